import EndpointPlans
import JSONBytes
import Locking
@_spi(Encoded) import Networking
import Rx

/// The calls for the elements of an array: a few at a time, equal GETs once, results in the order of the
/// elements.
///
/// A request is made when its call starts, so memory holds only the requests of calls in progress.
final class ItemsRun: Disposable {
    struct Ended {
        /// The array in the answer.
        let value: JSONFragment
        /// The array that references read, if any do: before members are kept, dropped and renamed.
        let readValue: JSONFragment?
        let failures: [PlanRun.ItemFailure]
    }

    private struct State: Sendable {
        /// The index of the next element.
        var next = 0
        /// For each element before the next one the index of its call.
        var places: [Int] = []
        /// By the index of the call.
        var results: [ItemResult?] = []
        var running: [Int: (any Disposable)?] = [:]
        /// Of the GETs by their hashes, the index of the first element.
        var first: [Int: Int] = [:]
        /// Bytes of the requests so far.
        var bytes = 0
        var isStarting = false
        /// Starts further calls in the next turn of the loop, or waits for another thread.
        var waiting: (any Disposable)?
        var isOver = false
    }

    /// The request for an element.
    private struct Prepared: Sendable {
        let request: EncodedRequest
        /// The index of the call with the same GET; nil for none.
        let place: Int?
    }

    /// What is done in one turn of the loop: the cost of a mebibyte of bodies, about a millisecond.
    private static let turn = 1 << 20
    /// What an element costs besides its request and its response: its place, and the hash and the failure of
    /// its call.
    static let bytesPerElement = 256
    /// A byte of a target may be an element of a list, and costs as much as so many bytes of a body.
    private static let costOfTarget = 16

    private let items: BoundItems
    private let call: CallTemplate
    private let scope: PlanScope
    private let elements: [JSONFragment]
    private let results: ItemResults
    private let done: @Sendable (Result<Ended, any Error>) -> Void
    private let context = CallContext.current
    private let state = Lock(State())

    /// - Parameter elements: the array's elements.
    init(
        _ items: BoundItems, _ call: CallTemplate, _ scope: PlanScope, _ elements: [JSONFragment],
        _ results: ItemResults, _ done: @escaping @Sendable (Result<Ended, any Error>) -> Void
    ) {
        self.items = items
        self.call = call
        self.elements = elements
        self.results = results
        self.done = done
        var scope = scope
        scope.items = items.source
        self.scope = scope
    }

    func begin() {
        if elements.isEmpty { finish() } else { startMore() }
    }

    // MARK: - Calls

    private func startMore() {
        let mayStart = state.withLock { state in
            defer { state.isStarting = true }
            return !state.isStarting
        }
        if mayStart { startTurn() }
    }

    /// Starts calls while there is room. In a loop, because a call may end before it returns.
    private func startTurn() {
        var cost = 0
        while let index = takeNext() {
            if elements[index].isLarge { return prepareApart(index) }
            cost += start(index, Result { try prepared(index) })
            if cost > Self.turn { return continueInNextTurn() }
        }
    }

    /// Makes the request for a large element on another thread, and then goes on.
    private func prepareApart(_ index: Int) {
        scope.apart { [self] in
            try prepared(index)
        } keptBy: {
            keep($0)
        } then: { [self] in
            _ = start(index, $0)
            startTurn()
        }
    }

    private func continueInNextTurn() {
        keep(
            scope.transport.scheduler.schedule(()) { [self] in
                CallContext.$current.withValue(context) { startTurn() }
                return Disposables.create()
            })
    }

    private func keep(_ work: any Disposable) {
        var kept: (any Disposable)? = work
        let isOver = state.withLock { state in
            if !state.isOver { swap(&state.waiting, &kept) }
            return state.isOver
        }
        if isOver { work.dispose() }
    }

    /// Returns the index of the next element; nil if its call finds no place, or no element is left.
    private func takeNext() -> Int? {
        let (index, isLast) = state.withLock { state -> (Int?, Bool) in
            if !state.isOver, state.next < elements.count, state.running.count < items.concurrency {
                defer { state.next += 1 }
                return (state.next, false)
            }
            state.isStarting = false
            return (nil, state.places.count == elements.count && state.running.isEmpty)
        }
        if isLast { finish() }
        return index
    }

    /// Starts the call for an element, unless an equal one was started. Returns the cost of its request.
    private func start(_ index: Int, _ prepared: Result<Prepared, any Error>) -> Int {
        guard !state.withLock({ $0.isOver }) else { return 0 }
        let request: EncodedRequest
        switch prepared {
        case .failure(let error):
            ended(addCall(), .failure(error))
            return Self.costOfTarget * EncodedRequest.longestTarget
        case .success(let prepared):
            request = prepared.request
            if let place = prepared.place {
                state.withLock { $0.places.append(place) }
                return cost(of: request, index)
            }
        }
        let number = addCall()
        let work = CallContext.$current.withValue(context) {
            call.single(request).subscribe(
                onSuccess: { [self] in ended(number, .success($0)) },
                onFailure: { [self] in ended(number, .failure($0)) })
        }
        let isOver = state.withLock { state in
            if !state.isOver, state.running[number] != nil { state.running[number] = work }
            return state.isOver
        }
        if isOver { work.dispose() }
        return cost(of: request, index)
    }

    private func cost(of request: EncodedRequest, _ index: Int) -> Int {
        Self.costOfTarget * request.target.count + (request.body?.count ?? 0) + elements[index].bytes.count
    }

    private func prepared(_ index: Int) throws -> Prepared {
        let request = try boundedRequest(for: index)
        return Prepared(request: request, place: place(like: request, for: index))
    }

    /// Adds the call of the next element. Returns its index.
    private func addCall() -> Int {
        state.withLock { state in
            let number = state.results.count
            state.places.append(number)
            state.results.append(nil)
            state.running[number] = .some(nil)
            return number
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
        return try call.request(scope)
    }

    /// Returns the index of the call with the same GET; nil for none. Of earlier requests only the hashes are
    /// kept: one with the same hash is made again for the comparison, unless its element is the same.
    private func place(like request: EncodedRequest, for index: Int) -> Int? {
        guard call.method == .get else { return nil }
        let hash = request.hashValue
        let known = state.withLock { state -> (first: Int, place: Int)? in
            guard let first = state.first[hash] else {
                state.first[hash] = index
                return nil
            }
            return (first, state.places[first])
        }
        guard let known else { return nil }
        let isSame =
            elements[known.first] == elements[index] || (try? self.request(for: known.first)) == request
        return isSame ? known.place : nil
    }

    // MARK: - End

    private func ended(_ number: Int, _ ended: Result<JSONFragment, any Error>) {
        let result = ItemResult(ended, reveals: results.reveals)
        var failsAll = false
        if case .failed = result, items.failure == .fail { failsAll = true }
        let isLast = state.withLock { state in
            guard !state.isOver else { return false }
            state.running[number] = nil
            state.results[number] = result
            return failsAll
                || !state.isStarting && state.places.count == elements.count && state.running.isEmpty
        }
        if isLast { finish() } else { startMore() }
    }

    private func finish() {
        guard let ended = end() else { return }
        guard results.areLarge(ended.results, for: ended.places) else {
            return done(Result { try results.collect(ended.results, for: ended.places) })
        }
        scope.apart { [results] in
            try results.collect(ended.results, for: ended.places)
        } keptBy: { work in
            state.withLock { $0.waiting = work }
        } then: { [done] in
            done($0)
        }
    }

    /// Ends the calls in progress. Returns the state at the end; nil if that was before.
    private func end() -> State? {
        var ended = State()
        ended.isOver = true
        let isFirst = state.withLock { state in
            guard !state.isOver else { return false }
            swap(&state, &ended)
            return true
        }
        guard isFirst else { return nil }
        ended.waiting?.dispose()
        for work in ended.running.values { work?.dispose() }
        return ended
    }

    func dispose() {
        if end() != nil { return }
        // The results may wait to be put together.
        let waiting = state.withLock { $0.waiting.take() }
        waiting?.dispose()
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
        guard let elements = list.elements(atMost: items.limit) else {
            throw .unusable(
                "\(items.source.text) has more than \(items.limit) elements", from: origin(of: items.source))
        }
        return elements
    }
}
