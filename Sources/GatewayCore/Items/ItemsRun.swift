import EndpointPlans
import JSONBytes
import Locking
@_spi(Encoded) import Networking
import Rx

/// The calls for the elements of an array: a few at a time, one for elements that share it, results in the
/// order of the elements.
///
/// Files (`forEach`) and handlers (`Part.forEach`) differ only in how a call is made. A call is made when it
/// starts, so memory holds only the requests of calls in progress.
final class ItemsRun: Disposable {
    private struct State: Sendable {
        /// The index of the next element.
        var next = 0
        /// For each element before the next one the index of its call.
        var places: [Int] = []
        /// By the index of the call.
        var results: [ItemResult?] = []
        var running: [Int: (any Disposable)?] = [:]
        var isStarting = false
        /// Starts further calls in the next turn of the loop, or waits for another thread.
        var waiting: (any Disposable)?
        var isOver = false
    }

    private let calls: any ItemCalls
    /// The number of elements.
    private let count: Int
    private let results: ItemResults
    private let done: @Sendable (Result<ItemsEnd, any Error>) -> Void
    private let context = CallContext.current
    private let state = Lock(State())

    init(
        _ calls: any ItemCalls, _ results: ItemResults,
        _ done: @escaping @Sendable (Result<ItemsEnd, any Error>) -> Void
    ) {
        self.calls = calls
        count = calls.count
        self.results = results
        self.done = done
    }

    func begin() {
        if count == 0 { finish() } else { startMore() }
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
            if calls.isLarge(index) { return prepareApart(index) }
            cost += start(Result { try calls.call(index) })
            if cost > ItemCall.turn { return continueInNextTurn() }
        }
    }

    /// Makes the call for a large element on another thread, and then goes on.
    private func prepareApart(_ index: Int) {
        results.environment.apart { [calls] in
            try calls.call(index)
        } keptBy: {
            keep($0)
        } then: { [self] in
            _ = start($0)
            startTurn()
        }
    }

    private func continueInNextTurn() {
        keep(
            results.environment.transport.scheduler.schedule(()) { [self] in
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
            if !state.isOver, state.next < count, state.running.count < results.rules.concurrency {
                defer { state.next += 1 }
                return (state.next, false)
            }
            state.isStarting = false
            return (nil, state.places.count == count && state.running.isEmpty)
        }
        if isLast { finish() }
        return index
    }

    /// Starts the call for the next element, unless an earlier one serves it. Returns the cost of its
    /// request.
    private func start(_ made: Result<ItemCall, any Error>) -> Int {
        guard !state.withLock({ $0.isOver }) else { return 0 }
        let call: ItemCall
        switch made {
        case .failure(let error):
            ended(addCall(), .failure(error))
            return ItemCall.costOfTarget * EncodedRequest.longestTarget
        case .success(let ready):
            call = ready
            if let earlier = ready.earlier {
                state.withLock { state in
                    let place = state.places[earlier]
                    state.places.append(place)
                }
                return ready.cost
            }
        }
        let number = addCall()
        let work = CallContext.$current.withValue(context) {
            call.single().subscribe(
                onSuccess: { [self] in ended(number, .success($0)) },
                onFailure: { [self] in ended(number, .failure($0)) })
        }
        let isOver = state.withLock { state in
            if !state.isOver, state.running[number] != nil { state.running[number] = work }
            return state.isOver
        }
        if isOver { work.dispose() }
        return call.cost
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

    // MARK: - End

    private func ended(_ number: Int, _ ended: Result<JSONFragment, any Error>) {
        let result = ItemResult(ended, reveals: results.reveals)
        var failsAll = false
        if case .failed = result, results.rules.failure == .fail { failsAll = true }
        let isLast = state.withLock { state in
            guard !state.isOver else { return false }
            state.running[number] = nil
            state.results[number] = result
            return failsAll
                || !state.isStarting && state.places.count == count && state.running.isEmpty
        }
        if isLast { finish() } else { startMore() }
    }

    private func finish() {
        guard let ended = end() else { return }
        guard results.areLarge(ended.results, for: ended.places) else {
            return done(Result { try results.collect(ended.results, for: ended.places) })
        }
        results.environment.apart { [results] in
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
