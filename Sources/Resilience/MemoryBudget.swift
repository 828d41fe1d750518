internal import Synchronization

/// Memory that a process may use for one purpose, divided among holders in fair shares (`FairShare`). Used from any
/// thread, without a lock.
public final class MemoryBudget: Sendable {
    /// In bytes.
    public let capacity: Int
    private let used = Atomic(0)

    public init(capacity: Int) {
        self.capacity = capacity
    }

    /// Bytes charged to all holders.
    public var bytesInUse: Int { used.load(ordering: .relaxed) }

    /// One holder's part of the budget.
    public final class Share: Sendable {
        private let budget: MemoryBudget
        private let held = Atomic(0)

        public init(of budget: MemoryBudget) {
            self.budget = budget
        }

        /// Bytes charged to this holder.
        public var bytesInUse: Int { held.load(ordering: .relaxed) }

        /// Charges memory. Returns nil if the holder would then have more than what is free.
        public func charge(_ bytes: Int) -> Charge? { take(bytes) ? Charge(self, bytes) : nil }

        fileprivate func take(_ bytes: Int) -> Bool {
            let held = held.wrappingAdd(bytes, ordering: .relaxed).newValue
            let used = budget.used.wrappingAdd(bytes, ordering: .relaxed).newValue
            if held <= budget.capacity - used { return true }
            giveBack(bytes)
            return false
        }

        fileprivate func giveBack(_ bytes: Int) {
            held.wrappingSubtract(bytes, ordering: .relaxed)
            budget.used.wrappingSubtract(bytes, ordering: .relaxed)
        }
    }

    /// Charged memory, which is given back with this object.
    public final class Charge: Sendable {
        private let share: Share
        // Changed by one thread at a time; atomic, because another may release the object.
        private let bytes: Atomic<Int>

        fileprivate init(_ share: Share, _ bytes: Int) {
            self.share = share
            self.bytes = Atomic(bytes)
        }

        deinit { share.giveBack(bytes.load(ordering: .relaxed)) }

        /// Charges what is missing to `size` bytes. Returns false, and charges nothing, if there is no room.
        public func grow(to size: Int) -> Bool {
            let more = size - bytes.load(ordering: .relaxed)
            guard more > 0 else { return true }
            guard share.take(more) else { return false }
            bytes.store(size, ordering: .relaxed)
            return true
        }
    }
}
