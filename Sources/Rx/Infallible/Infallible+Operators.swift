extension InfallibleType {
    /// Emits only the values that satisfy `predicate`.
    @inlinable
    @preconcurrency
    public consuming func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().filter(predicate))
    }

    /// Transforms each value with `transform`.
    @inlinable
    @preconcurrency
    public consuming func map<Result: Sendable>(_ transform: @escaping @Sendable (Element) -> Result)
        -> Infallible<Result>
    {
        Infallible<Result>(raw: asObservable().map(transform))
    }

    /// Transforms each value and drops the `nil` results.
    @inlinable
    @preconcurrency
    public consuming func compactMap<Result: Sendable>(_ transform: @escaping @Sendable (Element) -> Result?)
        -> Infallible<Result>
    {
        Infallible<Result>(raw: asObservable().compactMap(transform))
    }

    /// Emits each intermediate result of combining the values with `accumulator`, starting from `seed`.
    @inlinable
    @preconcurrency
    public consuming func scan<Result: Sendable>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(raw: asObservable().scan(seed, accumulator: accumulator))
    }

    /// Emits each intermediate result of combining the values with `accumulator`, which mutates the result in
    /// place.
    @inlinable
    @preconcurrency
    public consuming func scan<Result: Sendable>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) -> Void
    ) -> Infallible<Result> {
        Infallible<Result>(raw: asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// Emits `element` before subscribing to the source.
    @inlinable
    public consuming func startWith(_ element: Element) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().startWith(element))
    }

    /// Emits the first `count` values and completes.
    @inlinable
    public consuming func take(_ count: Int) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().take(count))
    }

    /// Emits values while `predicate` holds, then completes.
    @inlinable
    @preconcurrency
    public consuming func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().take(while: predicate, behavior: behavior))
    }

    /// Emits values until `predicate` holds for one, then completes.
    @inlinable
    @preconcurrency
    public consuming func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().take(until: predicate, behavior: behavior))
    }

    /// Emits values until `other` emits one, then completes.
    @inlinable
    public consuming func take<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().take(until: other.asObservable()))
    }

    /// Emits the values of the first `duration` after subscription, then completes.
    @inlinable
    public consuming func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().take(for: duration, scheduler: scheduler))
    }

    /// Emits the last `count` values when the stream completes.
    @inlinable
    public consuming func takeLast(_ count: Int) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().takeLast(count))
    }

    /// Skips the first `count` values.
    @inlinable
    public consuming func skip(_ count: Int) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().skip(count))
    }

    /// Skips values while `predicate` holds.
    @inlinable
    @preconcurrency
    public consuming func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().skip(while: predicate))
    }

    /// Skips values until `other` emits one.
    @inlinable
    public consuming func skip<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().skip(until: other.asObservable()))
    }

    /// Skips the values of the first `duration` after subscription.
    @inlinable
    public consuming func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().skip(duration, scheduler: scheduler))
    }

    /// Emits `element` if the stream completes without a value.
    @inlinable
    public consuming func ifEmpty(default element: Element) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().ifEmpty(default: element))
    }

    /// Pairs each value with its index, starting at 0.
    @inlinable
    public consuming func enumerated() -> Infallible<(index: Int, element: Element)> {
        Infallible<(index: Int, element: Element)>(raw: asObservable().enumerated())
    }

    /// Emits a value once `dueTime` passes without a newer one.
    @inlinable
    public consuming func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().debounce(dueTime, scheduler: scheduler))
    }

    /// Emits at most one value every `dueTime`: the first at once and, if `latest` is true, the last of the
    /// rest when the time is up.
    @inlinable
    public consuming func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    /// Delays values and completion by `dueTime`.
    @inlinable
    public consuming func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes to the source `dueTime` after this stream is subscribed to.
    @inlinable
    public consuming func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
        -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Delivers events on `scheduler`, in order. Pending events are queued without limit.
    @inlinable
    public consuming func observe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().observe(on: scheduler))
    }

    /// Subscribes to the source, and disposes that subscription, on `scheduler`.
    @inlinable
    public consuming func subscribe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().subscribe(on: scheduler))
    }

    /// Shares one subscription to the source among all subscribers and replays its last `replay` values to
    /// later ones.
    @inlinable
    public consuming func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().share(replay: replay, scope: scope))
    }

    /// Prints the subscription, each event and the disposal, with the time and `identifier`.
    @inlinable
    public consuming func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Infallible<Element> {
        Infallible<Element>(
            raw: asObservable().debug(
                identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    /// Pairs `object` with each value, without retaining `object`. Completes at the first value after
    /// `object` was deallocated.
    @inlinable
    public consuming func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Infallible<
        (Object, Element)
    > {
        Infallible<(Object, Element)>(raw: asObservable().withUnretained(object))
    }

    /// Combines `object` with each value, without retaining `object`. Completes at the first value after
    /// `object` was deallocated.
    @inlinable
    @preconcurrency
    public consuming func withUnretained<Object: AnyObject & Sendable, Out: Sendable>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Infallible<Out> {
        Infallible<Out>(raw: asObservable().withUnretained(object) { resultSelector($0, $1) })
    }

    /// Calls the given hooks as events pass: an `on...` hook before the event is forwarded, an `after...`
    /// hook afterwards.
    @inlinable
    @preconcurrency
    public consuming func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Infallible<Element> {
        Infallible<Element>(
            raw: asObservable().do(
                onNext: onNext, afterNext: afterNext, onCompleted: onCompleted,
                afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
                onDispose: onDispose))
    }
}

extension InfallibleType where Element: Equatable {
    /// Drops values that equal the previous one.
    @inlinable
    public consuming func distinctUntilChanged() -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged())
    }
}

extension InfallibleType {
    /// Drops values whose key equals the previous key.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged<Key: Equatable & Sendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(keySelector))
    }

    /// Drops values that `comparer` considers equal to the last emitted one.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
    )
        -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(comparer))
    }

    /// Drops values whose key `comparer` considers equal to the previous key.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged<Key: Sendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (Key, Key) throws -> Bool
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// Drops values whose property at `keyPath` equals that of the previous value.
    @inlinable
    public consuming func distinctUntilChanged<Property: Equatable & Sendable>(
        at keyPath: any KeyPath<Element, Property> & Sendable
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(at: keyPath))
    }
}
