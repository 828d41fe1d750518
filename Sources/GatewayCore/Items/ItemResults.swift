import EndpointPlans
import JSONBytes
import Networking

/// How the call for an element has ended.
enum ItemResult: Sendable {
    case value(JSONFragment)
    /// Nil if the response has no content.
    case failed(PartFailure?)

    /// Not the error itself, which has the call with its body.
    init(_ result: Result<JSONFragment, any Error>, reveals: Bool) {
        switch result {
        case .success(let value): self = .value(value)
        case .failure(let error):
            self = .failed(PartOutcome(error: error, elapsed: 0, reveals: reveals).failure)
        }
    }

    /// Nil if the call failed.
    var value: JSONFragment? { if case .value(let value) = self { value } else { nil } }

    func shaped(by shapes: [JSONShape], reveals: Bool) -> ItemResult {
        guard let value else { return self }
        return ItemResult(Result { try shapes.applied(to: value) }, reveals: reveals)
    }
}

/// What happens to the results of the calls for the elements of an array.
struct ItemResults: Sendable {
    let rules: ItemRules
    let environment: PartEnvironment
    /// The most bytes of an array.
    var largestValue = PlannedEndpoint.standardLargestValue
    /// Who is to blame for too few elements. Asked only after that.
    let origin: @Sendable () -> ValueOrigin
    /// What each element goes through before it stands in the answer.
    var shapes: [JSONShape] = []
    let reveals: Bool
    /// Whether references read the elements as they were before `shapes`.
    var keepsReadValues = false

    /// Whether it takes long to put the results together.
    func areLarge(_ results: [ItemResult?], for places: [Int]) -> Bool {
        var bytes = 0
        for place in places {
            bytes += results[place]?.value?.bytes.count ?? 0
            if bytes > LargeBody.smallest { return true }
        }
        return false
    }

    /// Makes the arrays, or the failure of the part.
    ///
    /// - Parameters:
    ///   - results: by the index of the call; nil for one that was cancelled.
    ///   - places: for each element the index of its call.
    func collect(_ results: [ItemResult?], for places: [Int]) throws -> ItemsEnd {
        var failures: [ItemFailure] = []
        var values: [JSONFragment?] = []
        var read: [JSONFragment?] = []
        // One response may stand for many elements.
        let outputs = results.map { $0?.shaped(by: shapes, reveals: reveals) }
        for (index, place) in places.enumerated() {
            guard let result = results[place], let output = outputs[place] else { continue }
            switch output {
            case .value(let value):
                values.append(value)
                read.append(result.value)
            case .failed(let failure):
                if let failure { failures.append(ItemFailure(index: index, failure: failure)) }
                values.append(nil)
                read.append(nil)
            }
        }
        try check(failures, of: places.count)
        let copiesRead = keepsReadValues && !shapes.isEmpty
        let valueBytes = try byteCount(values)
        let readBytes = copiesRead ? try byteCount(read) : 0
        // The elements are copies of responses, which are released, but counted to the end of the request.
        // One response may have become many elements.
        let received = results.reduce(0) { $0 + ($1?.value?.bytes.count ?? 0) }
        try environment.keep(valueBytes + readBytes - received)
        let value = array(values, valueBytes)
        let readValue = keepsReadValues ? (copiesRead ? array(read, readBytes) : value) : nil
        return ItemsEnd(value: value, readValue: readValue, failures: failures)
    }

    private func check(_ failures: [ItemFailure], of count: Int) throws {
        let attempts = failures.reduce(0) { $0 + $1.failure.attempts }
        if rules.failure == .fail, let first = failures.first {
            throw PlannedFailure.items(
                first.failure, "element \(first.index): \(first.failure.message)", attempts: attempts)
        }
        let successes = count - failures.count
        let needed = rules.atLeast ?? min(1, count)
        guard successes < needed else { return }
        let message = "\(successes) of \(count) elements succeeded; \(needed) must"
        guard let decisive = failures.min(by: { $0.failure.answer.rank < $1.failure.answer.rank }) else {
            throw PlannedFailure.unusable(message, from: origin())
        }
        // What is wrong with the client's element is for the client to know.
        let isClients = decisive.failure.answer.isBeforeCall && decisive.failure.answer.status == 400
        throw PlannedFailure.items(
            decisive.failure,
            isClients ? "\(message); element \(decisive.index): \(decisive.failure.message)" : message,
            attempts: attempts)
    }

    /// Returns the bytes that the array of these values has at most.
    private func byteCount(_ values: [JSONFragment?]) throws(PlannedFailure) -> Int {
        // One response stands for each element with the same request.
        let size = values.reduce(0) { $0 + ($1?.bytes.count ?? 0) }
        guard size <= largestValue else {
            throw .unusableResponse("the value has more than \(largestValue) bytes")
        }
        return size + 5 * values.count + 2
    }

    /// - Parameters:
    ///   - values: nil for a failed element.
    ///   - byteCount: the most bytes of the array.
    private func array(_ values: [JSONFragment?], _ byteCount: Int) -> JSONFragment {
        var composer = JSONComposer(reservingCapacity: byteCount, sharedFragmentLength: .max)
        composer.beginArray()
        for value in values {
            if let value {
                composer.fragment(value)
            } else if rules.failure == .null {
                composer.null()
            }
        }
        composer.endArray()
        return composer.fragment()
    }
}
