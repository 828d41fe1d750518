public import Dispatch
public import FoundationEssentials
import Locking

/// Translates between a virtual clock's units and those of the schedulers.
public protocol VirtualTimeConverterType: Sendable {
    /// A point of virtual time.
    associatedtype VirtualTimeUnit: Sendable
    /// A span of virtual time.
    associatedtype VirtualTimeIntervalUnit: Sendable

    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime
    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit)
        -> TimeInterval
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit
    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit)
        -> VirtualTimeUnit
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison

    /// The span of `interval`. In terms of `convertToVirtualTimeInterval` unless a converter is exact itself.
    func convert(_ interval: RxTimeInterval) -> VirtualTimeIntervalUnit
}

extension VirtualTimeConverterType {
    public func convert(_ interval: RxTimeInterval) -> VirtualTimeIntervalUnit {
        convertToVirtualTimeInterval(interval.seconds)
    }
}

/// How two points of virtual time lie to each other.
public enum VirtualTimeComparison: Sendable {
    case lessThan
    case equal
    case greaterThan
}

/// A scheduler whose clock stands until it is moved: time in tests.
///
/// Work runs on the thread that moves the clock, in the order of its times, and at equal times in the order in which it
/// was scheduled. It may be scheduled and disposed from any thread; one thread moves the clock.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType,
    @unchecked Sendable
{
    // Sound: all that changes is behind the lock.
    public typealias VirtualTime = Converter.VirtualTimeUnit
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    private struct State {
        var clock: VirtualTime
        var items: [VirtualItem<VirtualTime>] = []
        var nextID: UInt64 = 0
        var isRunning = false
    }

    private let converter: Converter
    private let state: Lock<State>

    public init(initialClock: VirtualTime, converter: Converter) {
        self.converter = converter
        state = Lock(State(clock: initialClock))
    }

    /// The virtual time.
    public final var clock: VirtualTime {
        state.withLock { $0.clock }
    }

    public final var now: RxTime {
        converter.convertFromVirtualTime(clock)
    }

    /// How much work waits.
    public final var pendingCount: Int {
        state.withLock { $0.items.count }
    }

    @preconcurrency
    public final func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
    }

    @preconcurrency
    public final func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelativeVirtual(state, dueTime: converter.convert(dueTime), action: action)
    }

    /// Runs `action` once, `dueTime` from now.
    @preconcurrency
    public final func scheduleRelativeVirtual<StateType: Sendable>(
        _ state: StateType, dueTime: VirtualTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleAbsoluteVirtual(
            state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Runs `action` once, at `time`.
    @preconcurrency
    public final func scheduleAbsoluteVirtual<StateType: Sendable>(
        _ state: StateType, time: VirtualTime, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let time = adjustScheduledTime(time)
        let result = SingleAssignmentDisposable()
        let id = self.state.withLock { scheduler in
            scheduler.nextID += 1
            let item = VirtualItem(time: time, id: scheduler.nextID) {
                if !result.isDisposed { result.setDisposable(action(state)) }
            }
            // Kept in order; work is mostly added near the end.
            let index = scheduler.items.lastIndex {
                converter.compareVirtualTime($0.time, time) != .greaterThan
            }
            scheduler.items.insert(item, at: index.map { $0 + 1 } ?? 0)
            return scheduler.nextID
        }
        let removal = Disposables.create { [weak self] in
            // Let go outside of the lock: what the work holds may come back here.
            _ = self?.state.withLock { scheduler in
                scheduler.items.firstIndex { $0.id == id }.map { scheduler.items.remove(at: $0) }
            }
        }
        return Disposables.create(result, removal)
    }

    /// The time that work asked for `time` really gets. For subclasses: a test scheduler may add a tick.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        time
    }

    /// Runs all work there is, moving the clock from one to the next, until none is left or `stop()` is called.
    public final func start() {
        run(until: nil)
    }

    /// Moves the clock to `virtualTime` and runs the work up to then, that included.
    public final func advanceTo(_ virtualTime: VirtualTime) {
        run(until: virtualTime)
        state.withLock { state in
            if converter.compareVirtualTime(state.clock, virtualTime) == .lessThan {
                state.clock = virtualTime
            }
        }
    }

    /// Moves the clock by `interval` and runs the work up to then, that included.
    public final func advance(by interval: RxTimeInterval) {
        advanceTo(converter.offsetVirtualTime(clock, offset: converter.convert(interval)))
    }

    /// Moves the clock by `virtualInterval` without running anything.
    public final func sleep(_ virtualInterval: VirtualTimeInterval) {
        state.withLock { $0.clock = converter.offsetVirtualTime($0.clock, offset: virtualInterval) }
    }

    /// Ends `start()` and `advanceTo(_:)` after the work at hand.
    public final func stop() {
        state.withLock { $0.isRunning = false }
    }

    private func run(until limit: VirtualTime?) {
        state.withLock { $0.isRunning = true }
        while let item = next(until: limit) { item.action() }
        stop()
    }

    private func next(until limit: VirtualTime?) -> VirtualItem<VirtualTime>? {
        state.withLock { state in
            guard state.isRunning, let first = state.items.first else { return nil }
            if let limit, converter.compareVirtualTime(first.time, limit) == .greaterThan { return nil }
            state.items.removeFirst()
            if converter.compareVirtualTime(first.time, state.clock) == .greaterThan {
                state.clock = first.time
            }
            return first
        }
    }
}

extension VirtualTimeScheduler: CustomDebugStringConvertible {
    /// The clock, and the times of the work that waits.
    public var debugDescription: String {
        let (clock, times) = state.withLock { ($0.clock, $0.items.map(\.time)) }
        return "\(clock): \(times)"
    }
}

/// Outside of the generic class, where using it would look up metadata.
private struct VirtualItem<Time: Sendable>: Sendable {
    let time: Time
    let id: UInt64
    let action: @Sendable () -> Void
}
