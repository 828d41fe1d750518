import Locking
import Synchronization

/// Delivers the events of several sources one at a time without holding a lock during a delivery.
///
///     if gate.enter() {
///         deliver(value)
///         gate.leave()
///     } else {
///         gate.park { deliver(value) }
///     }
///
/// A caller that finds the gate free owns it and delivers at once. Events that arrive meanwhile, from another
/// thread or from inside the delivery, are parked. The owner delivers them before it leaves. State that only
/// the owner touches needs no other guard.
struct SerialGate: ~Copyable {
    private static var free: UInt32 { 0 }
    private static var owned: UInt32 { 1 }
    private static var ownedAndParked: UInt32 { 2 }

    private let state = Atomic<UInt32>(SerialGate.free)
    private let parked = Lock<[@Sendable () -> Void]>([])

    init() {}

    /// Returns whether the caller is now the owner and has to call `leave()`.
    func enter() -> Bool {
        state.compareExchange(
            expected: SerialGate.free, desired: SerialGate.owned, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Delivers parked events and frees the gate.
    func leave() {
        let (freed, _) = state.compareExchange(
            expected: SerialGate.owned, desired: SerialGate.free, ordering: .acquiringAndReleasing)
        if !freed { drain() }
    }

    /// Leaves `work` to the owner, or runs it here if the owner has left meanwhile.
    func park(_ work: @escaping @Sendable () -> Void) {
        let isOwner = parked.withLock { parked in
            parked.append(work)
            return state.exchange(SerialGate.ownedAndParked, ordering: .acquiringAndReleasing)
                == SerialGate.free
        }
        if isOwner { drain() }
    }

    /// Runs `work` now, or leaves it to the owner. It always allocates the closure, so use it for rare work.
    func run(_ work: @escaping @Sendable () -> Void) {
        if enter() {
            work()
            leave()
        } else {
            park(work)
        }
    }

    /// Runs `work` now, or leaves it to the owner. `work` must capture nothing, so that running it now
    /// allocates nothing.
    @inline(__always)
    func run<Owner: AnyObject & Sendable, Value: Sendable>(
        _ owner: Owner, _ value: Value, _ work: @escaping @Sendable (Owner, Value) -> Void
    ) {
        if enter() {
            work(owner, value)
            leave()
        } else {
            park { work(owner, value) }
        }
    }

    private func drain() {
        while true {
            let batch: [@Sendable () -> Void]? = parked.withLock { parked in
                guard !parked.isEmpty else {
                    state.store(SerialGate.free, ordering: .releasing)
                    return nil
                }
                let batch = parked
                parked = []
                return batch
            }
            guard let batch else { return }
            for work in batch { work() }
        }
    }
}
