import Dispatch
import Locking
import Rx
import RxTesting

/// Builds an observable of Rx from a pipeline.
struct RxInterpreter: Sendable {
    let scheduler: TestScheduler
    private let sources: [Int: TestableObservable<Int>]
    private let spans = Spans()

    /// Creates an interpreter and schedules the events of hot sources.
    init(_ scheduler: TestScheduler, _ pipeline: Pipeline) {
        self.scheduler = scheduler
        var sources: [Int: TestableObservable<Int>] = [:]
        for node in pipeline.nodes {
            switch node {
            case .cold(let id, let events):
                sources[id] = scheduler.createColdObservable(events.map(\.recorded))
            case .hot(let id, let events):
                sources[id] = scheduler.createHotObservable(events.map(\.recorded))
            default: break
            }
        }
        self.sources = sources
    }

    /// When each source was subscribed to and each resource existed.
    var allSpans: [Int: [Span]] {
        let subscriptions = sources.mapValues { source in
            source.subscriptions.map {
                Span(from: $0.subscribe, to: $0.unsubscribe == .max ? nil : $0.unsubscribe)
            }
        }
        return subscriptions.merging(spans.all) { $0 + $1 }.filter { !$0.value.isEmpty }
    }

    /// - Parameter shared: The observables that `.shared(id:)` stands for.
    func observable(_ pipeline: Pipeline, _ shared: [Int: Observable<Int>] = [:]) -> Observable<Int> {
        if let source = source(pipeline.node, shared) ?? nesting(pipeline, shared) { return source }
        let inputs = pipeline.inputs.map { observable($0, shared) }
        return joined(pipeline.node, inputs)
    }

    private func source(_ node: Node, _ shared: [Int: Observable<Int>]) -> Observable<Int>? {
        switch node {
        case .cold(let id, _), .hot(let id, _): return sources[id]?.asObservable()
        case .create(let id, let events):
            return .create { observer in
                let span = opened(id)
                for event in events { observer.on(event.event) }
                return span
            }
        case .just(let value): return .just(value)
        case .of(let values): return .from(values)
        case .empty: return .empty()
        case .never: return .never()
        case .error(let name): return .error(TestError(name))
        case .range(let start, let count): return .range(start: start, count: count)
        case .generate(let start, let limit, let advance):
            return .generate(initialState: start, condition: { $0 < limit }, iterate: { try advance($0) })
        case .timer(let time): return .timer(.seconds(time), scheduler: scheduler)
        case .periodic(let time, let period):
            return .timer(.seconds(time), period: .seconds(period), scheduler: scheduler)
        case .interval(let period): return .interval(.seconds(period), scheduler: scheduler)
        case .shared(let id): return shared[id] ?? .empty()
        default: return nil
        }
    }

    private func opened(_ id: Int) -> any Disposable & Sendable {
        let place = spans.open(id, scheduler.clock)
        return Disposables.create { spans.close(id, place, scheduler.clock) }
    }

    /// Nodes that build their own inputs.
    private func nesting(_ pipeline: Pipeline, _ shared: [Int: Observable<Int>]) -> Observable<Int>? {
        let inputs = pipeline.inputs
        switch pipeline.node {
        case .deferred(let throwing):
            return .deferred {
                if throwing { throw ClosureError() }
                return observable(inputs[0], shared)
            }
        case .using(let id, let throwing):
            return .using {
                Resource(opened(id))
            } observableFactory: { _ in
                if throwing { throw ClosureError() }
                return observable(inputs[0], shared)
            }
        case .flatMap(let joining, let function, let isFresh):
            let choices = Array(inputs.dropFirst())
            let made = isFresh ? [] : choices.map { observable($0, shared) }
            return flatMap(observable(inputs[0], shared), joining) { value in
                let place = try function(value).remainder(by: choices.count)
                return isFresh ? observable(choices[place], shared) : made[place]
            }
        case .sharing(let id, let sharing):
            return share(observable(inputs[0], shared), sharing) { stream in
                observable(inputs[1], shared.merging([id: stream]) { $1 })
            }
        default: return nil
        }
    }

    private func flatMap(
        _ source: Observable<Int>, _ joining: Joining,
        _ select: @escaping @Sendable (Int) throws -> Observable<Int>
    ) -> Observable<Int> {
        switch joining {
        case .merge: source.flatMap(select)
        case .latest: source.flatMapLatest(select)
        case .first: source.flatMapFirst(select)
        case .concat: source.concatMap(select)
        case .limited(let count): source.map(select).merge(maxConcurrent: count)
        case .lazilyLimited(let count): source.flatMap(maxConcurrent: count, select)
        }
    }

    private func share(
        _ source: Observable<Int>, _ sharing: Sharing,
        _ body: @escaping @Sendable (Observable<Int>) -> Observable<Int>
    ) -> Observable<Int> {
        switch sharing {
        case .share(let replay, let forever):
            body(source.share(replay: replay, scope: forever ? .forever : .whileConnected))
        case .publishRefCount: body(source.publish().refCount())
        case .replayRefCount(let replay): body(source.replay(replay).refCount())
        case .publishSelector: source.multicast({ PublishSubject<Int>() }, selector: body)
        case .replaySelector(let replay):
            source.multicast({ ReplaySubject<Int>.create(bufferSize: replay) }, selector: body)
        }
    }
}

/// Records when the subscriptions and resources of a pipeline existed.
private final class Spans: Sendable {
    private let spans = Lock<[Int: [Span]]>([:])

    var all: [Int: [Span]] { spans.withLock { $0 } }

    func open(_ id: Int, _ time: Int) -> Int {
        spans.withLock { spans in
            spans[id, default: []].append(Span(from: time, to: nil))
            return spans[id, default: []].count - 1
        }
    }

    func close(_ id: Int, _ place: Int, _ time: Int) {
        spans.withLock { $0[id]?[place].to = time }
    }
}

/// The resource of `using`.
private final class Resource: Disposable {
    private let disposable: any Disposable & Sendable

    init(_ disposable: any Disposable & Sendable) {
        self.disposable = disposable
    }

    func dispose() {
        disposable.dispose()
    }
}

extension TimedSignal {
    fileprivate var recorded: Recorded<Event<Int>> {
        Recorded(time: time, value: signal.event)
    }
}

extension Signal {
    var event: Event<Int> {
        switch self {
        case .next(let value): .next(value)
        case .error(let name): .error(TestError(name))
        case .completed: .completed
        }
    }
}

extension Event<Int> {
    var signal: Signal {
        switch self {
        case .next(let value): .next(value)
        case .error(let error): .error(name(of: error))
        case .completed: .completed
        }
    }
}

/// The name that errors are compared by.
func name(of error: any Error) -> String {
    switch error {
    case let error as TestError: error.name
    case is ClosureError: ClosureError.name
    case RxError.argumentOutOfRange: "argumentOutOfRange"
    case RxError.noElements: "noElements"
    case RxError.moreThanOneElement: "moreThanOneElement"
    case RxError.timeout: "timeout"
    case RxError.overflow: "overflow"
    default: "\(error)"
    }
}
