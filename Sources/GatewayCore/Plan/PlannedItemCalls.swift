import EndpointPlans
import HTTPModel
import JSONBytes
import Locking
@_spi(Encoded) import Networking

/// The calls of a planned endpoint for the elements of an array: equal GETs once.
final class PlannedItemCalls: ItemCalls {
    private struct State: Sendable {
        /// Of the GETs by their hashes, the index of the first element.
        var first: [Int: Int] = [:]
        /// Bytes of the requests so far.
        var bytes = 0
    }

    private let items: BoundItems
    private let template: CallTemplate
    private let scope: PlanScope
    private let elements: [JSONFragment]
    private let state = Lock(State())

    /// - Parameter elements: the array's elements.
    init(_ items: BoundItems, _ call: CallTemplate, _ scope: PlanScope, _ elements: [JSONFragment]) {
        self.items = items
        template = call
        self.elements = elements
        var scope = scope
        scope.items = items.source
        self.scope = scope
    }

    var count: Int { elements.count }

    func isLarge(_ index: Int) -> Bool { elements[index].isLarge }

    func call(_ index: Int) throws -> ItemCall {
        let request = try boundedRequest(for: index)
        let cost =
            ItemCall.costOfTarget * request.target.count + (request.body?.count ?? 0)
            + elements[index].bytes.count
        return ItemCall(earlier: earlier(like: request, for: index), cost: cost) { [template] in
            template.single(request)
        }
    }

    private func boundedRequest(for index: Int) throws(PlannedFailure) -> EncodedRequest {
        let limit = scope.largestValue
        guard state.withLock({ $0.bytes <= limit }) else {
            throw .unusable(
                "the requests for the elements have more than \(limit) bytes",
                from: scope.origin(of: items.read))
        }
        let request = try request(for: index)
        state.withLock { $0.bytes += request.target.count + (request.body?.count ?? 0) }
        return request
    }

    private func request(for index: Int) throws(PlannedFailure) -> EncodedRequest {
        var scope = scope
        scope.item = elements[index]
        return try template.request(scope)
    }

    /// Returns the index of the first element with the same GET; nil for none. Of earlier requests only the
    /// hashes are kept: one with the same hash is made again for the comparison, unless its element is the
    /// same.
    private func earlier(like request: EncodedRequest, for index: Int) -> Int? {
        guard template.method == .get else { return nil }
        let hash = request.hashValue
        let known = state.withLock { state -> Int? in
            guard let first = state.first[hash] else {
                state.first[hash] = index
                return nil
            }
            return first
        }
        guard let known else { return nil }
        let isSame = elements[known] == elements[index] || (try? self.request(for: known)) == request
        return isSame ? known : nil
    }
}

extension PlanScope {
    /// Returns the elements of an array; nil if it is null.
    func elements(of items: BoundItems) throws(PlannedFailure) -> [JSONFragment]? {
        guard let list = try json(items.source) else { throw missing(items.source) }
        if list.isNull { return nil }
        guard list.kind == .array else {
            throw .unusable("\(items.source.text) is not an array", from: origin(of: items.source))
        }
        guard let elements = list.elements(atMost: items.rules.limit) else {
            throw .tooManyElements(items.source.text, items.rules, from: origin(of: items.source))
        }
        return elements
    }
}
