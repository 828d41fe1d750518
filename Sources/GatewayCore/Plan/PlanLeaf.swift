import EndpointPlans
import JSONBytes
import Rx

/// A step or part that has one outcome: a call, the calls for the elements of an array, or a composed value.
struct PlanLeaf: Sendable {
    enum Work: Sendable {
        case call(CallTemplate)
        case value(ValueTemplate<BoundReference>)
    }

    /// Below the names of its groups: `weather.now`.
    let name: String
    var policy: Part.Policy
    let work: Work
    /// The conditions of its groups, from the outside, and its own. If one does not hold, the leaf is null.
    let conditions: [BoundCondition]
    let items: BoundItems?
    /// What its value must be before the shapes; nil if nobody looks.
    let contract: PartContract?
    /// Whether its members go into an object, so that it has to be one.
    let isMerged: Bool
    /// What its work reads.
    let read: PlanReads
    /// What its work and its conditions read.
    let searched: PlanReads
    /// The leaves that it waits for, each once: leaves that its work or its conditions read, and leaves in
    /// groups that these read.
    var dependencies: [Int] = []
    /// What its value goes through before it stands in the answer: its own shape, then its groups' shapes,
    /// from the inside.
    var shapes: [JSONShape]
    /// Whether another leaf, or a field of the answer, reads it.
    var isRead = false

    /// Whether it runs as a part of Swift does: it reads no other, and no other reads it.
    var isIndependent: Bool { dependencies.isEmpty && !isRead }

    /// Whether it would fail now with `circuit_open` if it started. False if it may turn out that nothing is
    /// called.
    func isCircuitOpen(for endpoint: Int) -> Bool {
        guard dependencies.isEmpty, conditions.isEmpty, items == nil, case .call(let call) = work else {
            return false
        }
        return call.isCircuitOpen(for: endpoint)
    }

    /// Returns the work of an independent leaf.
    func independent(_ scope: PlanScope) -> Single<JSONFragment> {
        for condition in conditions where !scope.holds(condition) { return .just(.null) }
        do {
            switch work {
            case .call(let call):
                let single = checked(call.single(try call.request(scope)), in: scope)
                if shapes.isEmpty, !isMerged { return single }
                return single.flatMap { value in
                    if !value.isLarge { return .just(try output(value, in: scope)) }
                    return outputApart(value, in: scope)
                }
            case .value(let template): return .just(try output(try scope.value(template), in: scope))
            }
        } catch {
            return .error(error)
        }
    }

    /// Returns the value in the answer for the value that references read.
    func output(_ value: JSONFragment, in scope: PlanScope) throws -> JSONFragment {
        let output = try checked(shapes.applied(to: value))
        // A value that nothing reads is released, but counted to the end of the request.
        if !shapes.isEmpty { try scope.keep(output.bytes.count - (isRead ? 0 : value.bytes.count)) }
        return output
    }

    private func outputApart(_ value: JSONFragment, in scope: PlanScope) -> Single<JSONFragment> {
        .create { observer in
            let waiting = SingleAssignmentDisposable()
            scope.apart {
                try output(value, in: scope)
            } keptBy: {
                waiting.setDisposable($0)
            } then: { result in
                switch result {
                case .success(let output): observer(.success(output))
                case .failure(let error): observer(.failure(error))
                }
            }
            return waiting
        }
    }

    /// Returns the value of the call once it has been checked by its schema.
    func checked(_ single: Single<JSONFragment>, in scope: PlanScope) -> Single<JSONFragment> {
        guard let contract, let reports = scope.contracts else { return single }
        return single.flatMap { value in
            if value.bytes.count <= PartContract.largest {
                try contract.check(value, reports)
                return .just(value)
            }
            return Single.create { observer in
                let waiting = SingleAssignmentDisposable()
                scope.apart {
                    try contract.check(value, reports)
                    return value
                } keptBy: {
                    waiting.setDisposable($0)
                } then: { result in
                    switch result {
                    case .success(let value): observer(.success(value))
                    case .failure(let error): observer(.failure(error))
                    }
                }
                return waiting
            }
        }
    }

    private func checked(_ value: JSONFragment) throws(PlannedFailure) -> JSONFragment {
        guard !isMerged || value.kind == .object || value.isNull else {
            throw .unusableResponse("the data is no object, so that it cannot be merged")
        }
        return value
    }
}

/// The leaves and groups that references lead to, each once.
struct PlanReads: Sendable {
    private(set) var leaves: [Int] = []
    private(set) var groups: [Int] = []

    init(_ references: [BoundReference]) {
        for reference in references {
            switch reference.source {
            case .leaf(let number): if !leaves.contains(number) { leaves.append(number) }
            case .group(let number): if !groups.contains(number) { groups.append(number) }
            case .parameter, .body, .item, .claims: break
            }
        }
    }
}

/// The calls for the elements of an array.
struct BoundItems: Sendable {
    let source: BoundReference
    /// What the calls read, and the array.
    var read: [BoundReference] = []
    let rules: ItemRules
}
