import JSONBytes
import Locking
@_spi(Encoded) import Networking
import Rx

/// The calls for the elements of an array: a few at a time, equal GETs once, results in the order of the elements.
final class ItemsRun: Disposable {
    struct Ended {
        /// The array in the answer.
        let value: JSONFragment
        /// The array that references read, if any do: before members are kept, dropped and renamed.
        let readValue: JSONFragment?
        let failures: [PlanRun.ItemFailure]
    }

    private struct State: Sendable {
        var next = 0
        var running: [Int: (any Disposable)?] = [:]
        var results: [Result<JSONFragment, any Error>?]
        var isStarting = false
        var isOver = false
    }

    private let items: BoundItems
    private let call: CallTemplate
    private let scope: PlanScope
    /// What each element goes through before it stands in the answer.
    private let shapes: [JSONShape]
    private let reveals: Bool
    private let keepsReadValues: Bool
    private let done: @Sendable (Result<Ended, any Error>) -> Void
    /// Different calls, in the order of the elements.
    private let targets: [Result<EncodedRequest, any Error>]
    /// For each element the index of its call.
    private let places: [Int]
    private let context = CallContext.current
    private let state: Lock<State>

    init(
        _ items: BoundItems, _ call: CallTemplate, _ shapes: [JSONShape], _ scope: PlanScope,
        _ elements: [JSONFragment], reveals: Bool, keepsReadValues: Bool,
        _ done: @escaping @Sendable (Result<Ended, any Error>) -> Void
    ) {
        self.items = items
        self.call = call
        self.scope = scope
        self.shapes = shapes
        self.reveals = reveals
        self.keepsReadValues = keepsReadValues
        self.done = done
        var targets: [Result<EncodedRequest, any Error>] = []
        var places: [Int] = []
        var known: [EncodedRequest: Int] = [:]
        var scope = scope
        scope.items = items.source
        var bytes = 0
        for element in elements {
            scope.item = element
            // All requests are made before the first is sent, to find equal ones.
            let target = Result<EncodedRequest, any Error> {
                let limit = scope.largestValue
                guard bytes <= limit else {
                    throw PlannedFailure.unusable(
                        "the requests for the elements have more than \(limit) bytes",
                        from: scope.origin(of: items.read))
                }
                let request = try call.request(scope)
                bytes += request.target.count + (request.body?.count ?? 0)
                return request
            }
            if call.method == .get, let same = (try? target.get()).flatMap({ known[$0] }) {
                places.append(same)
                continue
            }
            if let target = try? target.get() { known[target] = targets.count }
            places.append(targets.count)
            targets.append(target)
        }
        self.targets = targets
        self.places = places
        state = Lock(State(results: Array(repeating: nil, count: targets.count)))
    }

    func begin() {
        if targets.isEmpty { finish() } else { startMore() }
    }

    /// Starts calls while there is room. In a loop, because a call may end before it returns.
    private func startMore() {
        let mayStart = state.withLock { state in
            defer { state.isStarting = true }
            return !state.isStarting
        }
        guard mayStart else { return }
        while let index = takeNext() { start(index) }
    }

    /// Returns the next call to start; nil if there is no room or none is left.
    private func takeNext() -> Int? {
        state.withLock { state in
            guard !state.isOver, state.next < targets.count, state.running.count < items.concurrency else {
                state.isStarting = false
                return nil
            }
            let index = state.next
            state.next += 1
            state.running[index] = .some(nil)
            return index
        }
    }

    private func start(_ index: Int) {
        let single: Single<JSONFragment>
        do {
            single = call.single(try targets[index].get())
        } catch {
            return ended(index, .failure(error))
        }
        let work = CallContext.$current.withValue(context) {
            single.subscribe(
                onSuccess: { [self] in ended(index, .success($0)) },
                onFailure: { [self] in ended(index, .failure($0)) })
        }
        let isOver = state.withLock { state in
            if !state.isOver, state.running[index] != nil { state.running[index] = work }
            return state.isOver
        }
        if isOver { work.dispose() }
    }

    private func ended(_ index: Int, _ result: Result<JSONFragment, any Error>) {
        var failsAll = false
        if case .failure = result, items.failure == .fail { failsAll = true }
        let isLast = state.withLock { state in
            guard !state.isOver else { return false }
            state.running[index] = nil
            state.results[index] = result
            return failsAll || state.next == targets.count && state.running.isEmpty
        }
        if isLast { finish() } else { startMore() }
    }

    private func finish() {
        var results: [Result<JSONFragment, any Error>?] = []
        var running: [Int: (any Disposable)?] = [:]
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            guard !state.isOver else { return false }
            swap(&results, &state.results)
            swap(&running, &state.running)
            return true
        }
        guard isFirst else { return }
        for work in running.values { work?.dispose() }
        done(Result { try collect(results) })
    }

    /// Makes the arrays, or the failure of the part.
    private func collect(_ results: [Result<JSONFragment, any Error>?]) throws -> Ended {
        var failures: [PlanRun.ItemFailure] = []
        var values: [JSONFragment?] = []
        var read: [JSONFragment?] = []
        for (index, place) in places.enumerated() {
            guard let result = results[place] else { continue }
            do {
                let value = try result.get()
                values.append(try shapes.applied(to: value))
                read.append(value)
            } catch {
                let outcome = PartOutcome(error: error, elapsed: 0, reveals: reveals)
                if let failure = outcome.failure {
                    failures.append(PlanRun.ItemFailure(index: index, failure: failure))
                }
                values.append(nil)
                read.append(nil)
            }
        }
        try check(failures)
        return Ended(
            value: array(values), readValue: keepsReadValues ? array(read) : nil, failures: failures)
    }

    private func check(_ failures: [PlanRun.ItemFailure]) throws {
        let attempts = failures.reduce(0) { $0 + $1.failure.attempts }
        if items.failure == .fail, let first = failures.first {
            throw PlannedFailure.items(
                first.failure, "element \(first.index): \(first.failure.message)", attempts: attempts)
        }
        let successes = places.count - failures.count
        let needed = items.atLeast ?? min(1, places.count)
        guard successes < needed else { return }
        let message = "\(successes) of \(places.count) elements succeeded; \(needed) must"
        guard let decisive = failures.min(by: { $0.failure.answer.rank < $1.failure.answer.rank }) else {
            throw PlannedFailure.unusable(message, from: scope.origin(of: items.source))
        }
        // What is wrong with the client's element is for the client to know.
        let isClients = decisive.failure.answer.isBeforeCall && decisive.failure.answer.status == 400
        throw PlannedFailure.items(
            decisive.failure,
            isClients ? "\(message); element \(decisive.index): \(decisive.failure.message)" : message,
            attempts: attempts)
    }

    /// - Parameter values: nil for a failed element.
    private func array(_ values: [JSONFragment?]) -> JSONFragment {
        var composer = JSONComposer(sharedFragmentLength: .max)
        composer.beginArray()
        for value in values {
            if let value {
                composer.fragment(value)
            } else if items.failure == .null {
                composer.null()
            }
        }
        composer.endArray()
        return composer.fragment()
    }

    func dispose() {
        var running: [Int: (any Disposable)?] = [:]
        state.withLock { state in
            state.isOver = true
            swap(&running, &state.running)
        }
        for work in running.values { work?.dispose() }
    }
}

extension PlanScope {
    /// Returns the elements of an array; nil if it is null.
    func elements(of items: BoundItems) throws(PlannedFailure) -> [JSONFragment]? {
        guard let list = json(items.source) else { throw missing(items.source) }
        if list.isNull { return nil }
        guard list.kind == .array else {
            throw .unusable("\(items.source.text) is not an array", from: origin(of: items.source))
        }
        let elements = list.elements
        guard elements.count <= items.limit else {
            throw .unusable(
                "\(items.source.text) has \(elements.count) elements, more than \(items.limit)",
                from: origin(of: items.source))
        }
        return elements
    }
}
