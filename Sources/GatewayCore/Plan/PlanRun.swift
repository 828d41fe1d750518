import EndpointPlans
import HTTPModel
import JSONBytes
import Locking
import Networking
import Synchronization

/// One request at a planned endpoint whose parts read each other, or whose answer has a layout.
final class PlanRun: Sendable {
    /// How a leaf that others read has ended.
    enum Ended: Sendable {
        case value(JSONFragment)
        case failed(PartFailure)
    }

    private struct State: Sendable {
        /// By the number of the leaf; nil while it has not ended.
        var ended: [Ended?]
        /// Those that wait for a leaf.
        var waiting: [(leaf: Int, reader: LeafRun)] = []
        /// The groups that have been read, by their numbers.
        var groups: [Int: Ended] = [:]
        /// What references lead to that are read several times, by their slots; empty before the first.
        var found: [JSONFragment??] = []
    }

    let plan: EndpointPlan
    let values: RequestValues
    /// Whether the client may see the upstreams' messages.
    let reveals: Bool
    /// The clock of the calls.
    let transport: any Transport
    /// The request's, which counts what is composed.
    let context = CallContext.current
    let workApart: WorkApart?
    let contracts: ContractReports?
    /// Whether a part is so large that all values that are found are kept.
    private let hasLargeValues = Atomic(false)
    private let state: Lock<State>

    init(
        _ plan: EndpointPlan, _ values: RequestValues, reveals: Bool, _ transport: any Transport,
        _ workApart: WorkApart?, _ contracts: ContractReports?
    ) {
        self.contracts = contracts
        self.transport = transport
        self.workApart = workApart
        self.plan = plan
        self.values = values
        self.reveals = reveals
        state = Lock(State(ended: Array(repeating: nil, count: plan.leaves.count)))
    }

    // MARK: - What parts read

    /// Returns the value of a leaf; nil if it failed or has not ended.
    func value(of leaf: Int) -> JSONFragment? {
        if case .value(let value)? = state.withLock({ $0.ended[leaf] }) { value } else { nil }
    }

    /// Returns the value of a group; nil if it failed, or if one of its leaves has not ended.
    func value(ofGroup group: Int) -> JSONFragment? {
        if case .value(let value)? = end(ofGroup: group) { value } else { nil }
    }

    /// Whether these values take long to search. From then on, all that is found is kept.
    func hasLarge(_ read: PlanReads) -> Bool {
        let leaves = read.leaves + read.groups.flatMap { plan.groups[$0].leaves }
        let bytes = state.withLock { state in
            leaves.reduce(0) { sum, leaf in
                guard case .value(let value)? = state.ended[leaf] else { return sum }
                return sum + value.bytes.count
            }
        }
        let isLarge = bytes > LargeBody.smallest
        if isLarge { hasLargeValues.store(true, ordering: .relaxed) }
        return isLarge
    }

    /// Whether what is found for a slot is kept.
    func keeps(_ slot: Int) -> Bool {
        plan.repeatedSlots[slot] || hasLargeValues.load(ordering: .relaxed)
    }

    /// Returns the cached lookup: nil if not looked up yet, `.some(nil)` for a missing value.
    func found(_ slot: Int) -> JSONFragment?? {
        state.withLock { $0.found.isEmpty ? nil : $0.found[slot] }
    }

    func keep(_ value: JSONFragment?, in slot: Int) {
        state.withLock { state in
            if state.found.isEmpty { state.found = Array(repeating: nil, count: plan.repeatedSlots.count) }
            state.found[slot] = .some(value)
        }
    }

    /// Returns the first failure among these leaves and groups.
    func failure(of read: PlanReads) -> PlannedFailure? {
        for leaf in read.leaves {
            if case .failed(let failure)? = state.withLock({ $0.ended[leaf] }) {
                return .dependency(plan.leaves[leaf].value.name, failure)
            }
        }
        for group in read.groups {
            if case .failed(let failure)? = end(ofGroup: group) {
                return .dependency(plan.groups[group].name, failure)
            }
        }
        return nil
    }

    /// Returns how a group ended; nil if one of its leaves has not ended.
    private func end(ofGroup number: Int) -> Ended? {
        let group = plan.groups[number]
        let (known, ended) = state.withLock { ($0.groups[number], $0.ended) }
        if let known { return known }
        guard let value = group.value, ended[group.leaves].allSatisfy({ $0 != nil }) else { return nil }
        let end = isSkipped(group) ? Ended.value(.null) : value.end(ended, self)
        state.withLock { $0.groups[number] = end }
        return end
    }

    /// Whether a condition leaves a group out, so that none of its parts was made.
    func isSkipped(_ group: PartLayout.Group) -> Bool {
        guard let number = group.number else { return false }
        return isSkipped(plan.groups[number])
    }

    private func isSkipped(_ group: PlanGroup) -> Bool {
        let scope = PlanScope(self)
        for condition in group.conditions {
            let reads = condition.read
            let isKnown =
                reads.leaves.allSatisfy { value(of: $0) != nil }
                && reads.groups.allSatisfy { value(ofGroup: $0) != nil }
            guard isKnown else { return false }
            if !scope.holds(condition) { return true }
        }
        return false
    }

    /// Lets a reader wait for the leaves that have not ended.
    ///
    /// - Returns: how many have ended. `leafEnded` is called for each of the others.
    func await(_ leaves: [Int], by reader: LeafRun) -> Int {
        state.withLock { state in
            let open = leaves.filter { state.ended[$0] == nil }
            for leaf in open { state.waiting.append((leaf, reader)) }
            return leaves.count - open.count
        }
    }

    /// Forgets a reader that nobody wants any more.
    func stopWaiting(_ reader: LeafRun) {
        var forgotten: [(leaf: Int, reader: LeafRun)] = []
        state.withLock { state in
            forgotten = state.waiting.filter { $0.reader === reader }
            state.waiting.removeAll { $0.reader === reader }
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Keeps the end of a leaf.
    ///
    /// - Returns: the readers that waited for it. Their `leafEnded` is called once the leaf's own end is
    ///   reported.
    func end(_ leaf: Int, _ ended: Ended) -> [LeafRun] {
        var readers: [LeafRun] = []
        state.withLock { state in
            guard state.ended[leaf] == nil else { return }
            state.ended[leaf] = ended
            readers = state.waiting.filter { $0.leaf == leaf }.map(\.reader)
            state.waiting.removeAll { $0.leaf == leaf }
        }
        return readers
    }

    /// Releases what parts have read, once the answer is made.
    func dropValues() {
        var dropped: [Ended?] = []
        var groups: [Int: Ended] = [:]
        var found: [JSONFragment??] = []
        state.withLock { state in
            dropped = state.ended
            state.ended = Array(repeating: nil, count: dropped.count)
            swap(&groups, &state.groups)
            swap(&found, &state.found)
        }
        withExtendedLifetime((dropped, groups, found)) {}
    }

    // MARK: - The answer

    /// Whether the answer takes long to write: its fields read large parts, or it has the members of large
    /// ones.
    func takesLong(toWrite results: PartResults) -> Bool {
        guard workApart != nil else { return false }
        return hasLarge(plan.lateReads) || layout.mergedBytes(results) > LargeBody.smallest
    }

    /// Where the parts stand. A run is found through its answer's parts only if the plan has a layout.
    var layout: PartLayout { plan.layout ?? PartLayout.empty }

    /// Returns what the failure of a part of the answer means for its group.
    func policy(of part: Int) -> Part.Policy { plan.leaves[plan.stepCount + part].value.policy }

    /// Returns what stands in the answer for a part that has failed.
    func fallback(of part: Int) -> JSONFragment {
        if case .fallback(let value) = policy(of: part) { value } else { .null }
    }

    /// Returns the fields of the answer and those that the plan adds.
    func fields(after own: HTTPFields) -> HTTPFields {
        var fields = own
        fields.append(contentsOf: plan.lateFields(self))
        return fields
    }
}
