internal import Synchronization

/// An amount of something that a process may use, such as bytes or connections, divided among holders in fair
/// shares (`FairShare`). Used from any thread, without a lock.
public final class FairBudget: Sendable {
    /// The most that all holders have together.
    public let capacity: Int
    private let used = Atomic(0)

    /// Creates a budget of which nothing is charged.
    public init(capacity: Int) {
        self.capacity = capacity
    }

    /// What is charged to all holders.
    public var inUse: Int { used.load(ordering: .relaxed) }

    /// One holder's part of the budget.
    public final class Share: Sendable {
        private let budget: FairBudget
        private let held = Atomic(0)

        /// Creates the part of a holder that has nothing yet.
        public init(of budget: FairBudget) {
            self.budget = budget
        }

        /// What is charged to this holder.
        public var inUse: Int { held.load(ordering: .relaxed) }

        /// Whether `charge` would find room for an amount now.
        public func hasRoom(for amount: Int) -> Bool {
            let free = budget.capacity - budget.inUse
            return amount <= free && inUse + amount <= free - amount
        }

        /// Charges an amount. Returns nil if the holder would then have more than what is free.
        public func charge(_ amount: Int) -> Charge? { take(amount) ? Charge(self, amount) : nil }

        fileprivate func take(_ amount: Int) -> Bool {
            let held = held.wrappingAdd(amount, ordering: .relaxed).newValue
            let used = budget.used.wrappingAdd(amount, ordering: .relaxed).newValue
            if held <= budget.capacity - used { return true }
            giveBack(amount)
            return false
        }

        fileprivate func giveBack(_ amount: Int) {
            held.wrappingSubtract(amount, ordering: .relaxed)
            budget.used.wrappingSubtract(amount, ordering: .relaxed)
        }
    }

    /// A charged amount, which is given back with this object.
    public final class Charge: Sendable {
        private let share: Share
        // Changed by one thread at a time; atomic, because another may release the object.
        private let amount: Atomic<Int>

        fileprivate init(_ share: Share, _ amount: Int) {
            self.share = share
            self.amount = Atomic(amount)
        }

        deinit { share.giveBack(amount.load(ordering: .relaxed)) }

        /// Charges what is missing to `size`. Returns false, and charges nothing, if that exceeds the budget.
        public func grow(to size: Int) -> Bool {
            let more = size - amount.load(ordering: .relaxed)
            guard more > 0 else { return true }
            guard share.take(more) else { return false }
            amount.store(size, ordering: .relaxed)
            return true
        }
    }
}
