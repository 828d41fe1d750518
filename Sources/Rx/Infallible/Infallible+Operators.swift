extension InfallibleType {
    /// Emits only the values that satisfy `predicate`.
    @inlinable
    @preconcurrency
    public consuming func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(raw: asObservable().filter(predicate))
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

    /// Emits each result of combining the values with `accumulator`, starting from `seed`, which is not emitted.
    @inlinable
    @preconcurrency
    public consuming func scan<Result: Sendable>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(raw: asObservable().scan(seed, accumulator: accumulator))
    }

    /// Like `scan(_:accumulator:)`, but `accumulator` mutates the result in place.
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
        Infallible(raw: asObservable().startWith(element))
    }

    /// Emits the first `count` values and completes. With 0 it completes without subscribing.
    @inlinable
    public consuming func take(_ count: Int) -> Infallible<Element> {
        Infallible(raw: asObservable().take(count))
    }

    /// Emits values while `predicate` holds, then completes.
    @inlinable
    @preconcurrency
    public consuming func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().take(while: predicate, behavior: behavior))
    }

    /// Emits values until `predicate` holds for one, then completes.
    @inlinable
    @preconcurrency
    public consuming func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().take(until: predicate, behavior: behavior))
    }

    /// Emits values until `other` emits one, then completes. The completion of `other` changes nothing.
    @inlinable
    public consuming func take<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element>
    {
        Infallible(raw: asObservable().take(until: other.asObservable()))
    }

    /// Emits the values of the first `duration` after subscription, then completes.
    @inlinable
    public consuming func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible(raw: asObservable().take(for: duration, scheduler: scheduler))
    }

    /// Keeps the last `count` values in memory and emits them when the stream completes.
    @inlinable
    public consuming func takeLast(_ count: Int) -> Infallible<Element> {
        Infallible(raw: asObservable().takeLast(count))
    }

    /// Skips the first `count` values.
    @inlinable
    public consuming func skip(_ count: Int) -> Infallible<Element> {
        Infallible(raw: asObservable().skip(count))
    }

    /// Skips values until `predicate` first returns false.
    @inlinable
    @preconcurrency
    public consuming func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Infallible<
        Element
    > {
        Infallible(raw: asObservable().skip(while: predicate))
    }

    /// Skips values until `other` emits one. If this stream completes first, the result never ends.
    @inlinable
    public consuming func skip<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element>
    {
        Infallible(raw: asObservable().skip(until: other.asObservable()))
    }

    /// Skips the values of the first `duration` after subscription.
    @inlinable
    public consuming func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible(raw: asObservable().skip(duration, scheduler: scheduler))
    }

    /// Emits `element` if the stream completes without a value.
    @inlinable
    public consuming func ifEmpty(default element: Element) -> Infallible<Element> {
        Infallible(raw: asObservable().ifEmpty(default: element))
    }

    /// Pairs each value with its index, starting at 0.
    @inlinable
    public consuming func enumerated() -> Infallible<(index: Int, element: Element)> {
        Infallible<(index: Int, element: Element)>(raw: asObservable().enumerated())
    }

    /// Emits a value once `dueTime` passes without a newer one. On completion the pending value is emitted first.
    @inlinable
    public consuming func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible(raw: asObservable().debounce(dueTime, scheduler: scheduler))
    }

    /// Emits at most one value every `dueTime`. If `latest` is true, the last value that arrived meanwhile follows.
    @inlinable
    public consuming func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    /// Delays values and completion by `dueTime`.
    @inlinable
    public consuming func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible(raw: asObservable().delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes to the source after `dueTime`. Events are not delayed further.
    @inlinable
    public consuming func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
        -> Infallible<Element>
    {
        Infallible(raw: asObservable().delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Delivers events on `scheduler`, in order, from an unbounded queue. Nothing is delivered after disposal.
    @inlinable
    public consuming func observe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(raw: asObservable().observe(on: scheduler))
    }

    /// Subscribes to the source and disposes that subscription on `scheduler`. Does not move the events there.
    @inlinable
    public consuming func subscribe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(raw: asObservable().subscribe(on: scheduler))
    }

    /// Shares one subscription while there are subscribers, and replays the last `replay` values to later ones.
    @inlinable
    public consuming func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<
        Element
    > {
        Infallible(raw: asObservable().share(replay: replay, scope: scope))
    }

    /// Prints the subscription, each event and the disposal, as `ObservableType.debug` does.
    @inlinable
    public consuming func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Infallible<Element> {
        Infallible(
            raw: asObservable().debug(
                identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    /// Pairs each value with `object`, unretained. Completes at the first value after `object` was deallocated.
    @inlinable
    public consuming func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Infallible<
        (Object, Element)
    > {
        Infallible<(Object, Element)>(raw: asObservable().withUnretained(object))
    }

    /// Combines `object` with each value by `resultSelector`, like `withUnretained(_:)`.
    @inlinable
    @preconcurrency
    public consuming func withUnretained<Object: AnyObject & Sendable, Out: Sendable>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Infallible<Out> {
        Infallible<Out>(raw: asObservable().withUnretained(object) { resultSelector($0, $1) })
    }

    /// Calls the `on...` hooks before and the `after...` hooks after forwarding an event. `onDispose` runs last.
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
        Infallible(
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
        Infallible(raw: asObservable().distinctUntilChanged())
    }
}

extension InfallibleType {
    /// Drops values with the same key as the previous value.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged<Key: Equatable & Sendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().distinctUntilChanged(keySelector))
    }

    /// Drops values that `comparer` considers equal to the last emitted one.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().distinctUntilChanged(comparer))
    }

    /// Drops values with a key that `comparer` considers equal to the previous one.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged<Key: Sendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (Key, Key) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// Drops values with the same property at `keyPath` as the previous value.
    @inlinable
    public consuming func distinctUntilChanged<Property: Equatable & Sendable>(
        at keyPath: any KeyPath<Element, Property> & Sendable
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().distinctUntilChanged(at: keyPath))
    }
}
