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
    let policy: Part.Policy
    let work: Work
    let condition: BoundCondition?
    let items: BoundItems?
    /// Whether its members go into an object, so that it has to be one.
    let isMerged: Bool
    /// The leaves that it reads, each once.
    let dependencies: [Int]
    /// Whether another leaf, or a field of the answer, reads it.
    var isRead = false

    /// Whether it runs as a part of Swift does: it reads no other, and no other reads it.
    var isIndependent: Bool { dependencies.isEmpty && !isRead }

    /// Returns the work of an independent leaf.
    func independent(_ scope: PlanScope) -> Single<JSONFragment> {
        if let condition, !scope.holds(condition) { return .just(.null) }
        do throws(PlannedFailure) {
            switch work {
            case .call(let call):
                let single = call.single(try call.request(scope))
                if call.shape == nil, !isMerged { return single }
                return single.map { try output($0) }
            case .value(let template):
                let value = try scope.json(template)
                return .just(try checked(value))
            }
        } catch {
            return .error(error)
        }
    }

    /// Returns the value in the answer for the value that references read.
    func output(_ value: JSONFragment) throws -> JSONFragment {
        var value = value
        if case .call(let call) = work, let shape = call.shape, items == nil {
            value = try value.shape(shape)
        }
        return try checked(value)
    }

    private func checked(_ value: JSONFragment) throws(PlannedFailure) -> JSONFragment {
        guard !isMerged || value.kind == .object || value.isNull else {
            throw .unusable("the data is no object, so that it cannot be merged")
        }
        return value
    }
}

/// The calls for the elements of an array.
struct BoundItems: Sendable {
    let source: BoundReference
    let concurrency: Int
    let limit: Int
    let failure: PlannedItems.Failure
    let atLeast: Int?
}
