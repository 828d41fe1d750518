/// A source, or an operator with its parameters. Times are ticks. The comment says which inputs a node has; without one it is
/// the stream that the operator is called on.
enum Node: Equatable, Sendable {
    // MARK: Sources, without inputs unless said

    case cold(id: Int, [TimedSignal])
    case hot(id: Int, [TimedSignal])
    /// Sends all as it is subscribed to, what comes after a stop event too.
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
    /// The stream that is made.
    case deferred(throws: Bool)
    /// The stream that is made with the resource.
    case using(id: Int, throws: Bool)
    /// What `sharing` of that id shares.
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
    /// Its hooks do nothing, or `onNext` throws.
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

    // MARK: Two streams: the one that it is called on, and the other one

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
    /// The trigger's other stream is the second input, for those that have one.
    case retryWhen(RetryTrigger)

    // MARK: Any number of streams

    case merge
    case concat
    case ambAll
    case catchSequence
    /// Two or three.
    case combineLatest(Function)
    case zip(Function)
    case combineLatestAll(Function)
    case zipAll(Function)

    // MARK: Streams of streams

    /// The stream that it is called on, then those among which a value chooses. They are made once, or, where they are `fresh`,
    /// for each value. The selector throws what the function throws.
    case flatMap(Joining, Function, fresh: Bool)
    /// What is shared, and a stream in which `.shared(id:)` stands for it.
    case sharing(id: Int, Sharing)
}

/// How a stream of streams becomes one stream.
enum Joining: Equatable, Sendable {
    case merge
    case latest
    case first
    case concat
    /// `merge(maxConcurrent:)` of streams that are made as their values arrive.
    case limited(Int)
    /// `flatMap(maxConcurrent:)`: they are made when there is room.
    case lazilyLimited(Int)
}

/// When `retry(when:)` subscribes again.
enum RetryTrigger: Equatable, Sendable {
    /// At once, so many times; then the last error passes.
    case times(Int)
    /// A time after the error, so many times; then the last error passes.
    case after(Int, times: Int)
    /// `errors.take(count)`: its completion ends the stream at the next error.
    case take(Int)
    /// At each value of a stream that starts anew with each of the first three errors.
    case stream
    /// At the values of a stream that runs beside.
    case beside
}

/// How one subscription feeds several.
enum Sharing: Equatable, Sendable {
    case share(replay: Int, forever: Bool)
    case publishRefCount
    case replayRefCount(Int)
    case publishSelector
    case replaySelector(Int)
}
