/// A source, or an operator with its parameters. Times are ticks. An operator's only input is the stream it
/// is called on, unless its comment says otherwise.
enum Node: Equatable, Sendable {
    // MARK: Sources, without inputs unless noted

    case cold(id: Int, [TimedSignal])
    case hot(id: Int, [TimedSignal])
    /// Emits all signals during its subscription, even after a terminal event.
    case create(id: Int, [Signal])
    case just(Int)
    case of([Int])
    case empty
    case never
    case error(String)
    case range(start: Int, count: Int)
    case generate(from: Int, below: Int, Function)
    case timer(Int)
    case periodic(Int, period: Int)
    case interval(Int)
    /// Input: the stream that the factory returns.
    case deferred(throws: Bool)
    /// Input: the stream that the factory returns for the resource.
    case using(id: Int, throws: Bool)
    /// The stream shared by the `sharing` node with this id.
    case shared(id: Int)

    // MARK: Values

    case map(Function)
    case filter(Predicate)
    case compactMap(Predicate)
    case scan(Function)
    case scanInto(Function)
    case reduce(Function)
    case toArray
    case buffer(Int, count: Int)
    case window(Int, count: Int, first: Int?, Joining)
    case groupBy(Predicate, first: Int?, Joining)
    case materialize
    case dematerialize(stopsAt: Int)
    case enumerated
    case ignoreElements
    case asSingle
    case asMaybe
    case first
    case single(Predicate?)
    case distinctUntilChanged(Predicate?)
    case take(Int)
    case takeFor(Int)
    case takeWhile(Predicate, inclusive: Bool)
    case takeUntilPredicate(Predicate, inclusive: Bool)
    case takeLast(Int)
    case skip(Int)
    case skipFor(Int)
    case skipWhile(Predicate)
    case elementAt(Int)
    case startWith([Int])
    case ifEmptyDefault(Int)
    case asResult
    /// `do`, whose `onNext` hook does nothing or throws.
    case doing(Function)

    // MARK: Errors and time

    case catchAndReturn(Int)
    case retry(Int)
    case debounce(Int)
    case throttle(Int, latest: Bool)
    case delay(Int)
    case delaySubscription(Int)
    case timeout(Int)
    case deadline(Int)
    case observeOn
    case subscribeOn

    // MARK: Two streams: the one it is called on, and another

    case takeUntil
    case skipUntil
    case sample(default: Int?)
    case ifEmptySwitch
    case withLatestFrom(Function)
    case amb
    case catching(throws: Bool)
    case timeoutOther(Int)
    case deadlineOther(Int)
    case concatWith
    /// The second input is the other stream of the trigger, if it uses one.
    case retryWhen(RetryTrigger)

    // MARK: Any number of streams

    case merge
    case concat
    case ambAll
    case catchSequence
    /// Two or three inputs.
    case combineLatest(Function)
    case zip(Function)
    case combineLatestAll(Function)
    case zipAll(Function)

    // MARK: Streams of streams

    /// Inputs: the stream it is called on, then the streams that a value chooses from. These are made once
    /// or, if `fresh`, for each value. The selector throws what the function throws.
    case flatMap(Joining, Function, fresh: Bool)
    /// Inputs: the shared stream, and a stream in which `.shared(id:)` stands for it.
    case sharing(id: Int, Sharing)
}

/// How a stream of streams becomes one stream.
enum Joining: Equatable, Sendable {
    case merge
    case latest
    case first
    case concat
    /// `merge(maxConcurrent:)` of streams that are made when their values arrive.
    case limited(Int)
    /// `flatMap(maxConcurrent:)`: streams are made when there is room.
    case lazilyLimited(Int)
}

/// When `retry(when:)` subscribes again.
enum RetryTrigger: Equatable, Sendable {
    /// At once, this many times. Then the last error is passed on.
    case times(Int)
    /// A time after the error, this many times. Then the last error is passed on.
    case after(Int, times: Int)
    /// `errors.take(count)`, whose completion ends the stream at the next error.
    case take(Int)
    /// At each value of a stream that is subscribed to for each of the first three errors.
    case stream
    /// At the values of a stream that is subscribed to once and ignores the errors.
    case beside
}

/// How a subscription is shared.
enum Sharing: Equatable, Sendable {
    case share(replay: Int, forever: Bool)
    case publishRefCount
    case replayRefCount(Int)
    case publishSelector
    case replaySelector(Int)
}
