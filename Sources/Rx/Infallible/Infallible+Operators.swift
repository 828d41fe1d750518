extension InfallibleType {
    /// The values that `predicate` is true of.
    @inlinable
    @preconcurrency
    public consuming func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().filter(predicate))
    }

    /// The values, transformed.
    @inlinable
    @preconcurrency
    public consuming func map<Result: Sendable>(_ transform: @escaping @Sendable (Element) -> Result)
        -> Infallible<Result>
    {
        Infallible<Result>(raw: asObservable().map(transform))
    }

    /// The values, transformed, but those that become `nil`.
    @inlinable
    @preconcurrency
    public consuming func compactMap<Result: Sendable>(_ transform: @escaping @Sendable (Element) -> Result?)
        -> Infallible<Result>
    {
        Infallible<Result>(raw: asObservable().compactMap(transform))
    }

    /// What has been gathered so far, after each value.
    @inlinable
    @preconcurrency
    public consuming func scan<Result: Sendable>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(raw: asObservable().scan(seed, accumulator: accumulator))
    }

    /// What has been gathered so far, after each value.
    @inlinable
    @preconcurrency
    public consuming func scan<Result: Sendable>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) -> Void
    ) -> Infallible<Result> {
        Infallible<Result>(raw: asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// `element`, then the values.
    @inlinable
    public consuming func startWith(_ element: Element) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().startWith(element))
    }

    /// The first `count` values.
    @inlinable
    public consuming func take(_ count: Int) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().take(count))
    }

    /// The values as long as `predicate` is true of them.
    @inlinable
    @preconcurrency
    public consuming func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().take(while: predicate, behavior: behavior))
    }

    /// The values until `predicate` is true of one.
    @inlinable
    @preconcurrency
    public consuming func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().take(until: predicate, behavior: behavior))
    }

    /// The values until `other` sends one.
    @inlinable
    public consuming func take<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().take(until: other.asObservable()))
    }

    /// The values of the first `duration`.
    @inlinable
    public consuming func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().take(for: duration, scheduler: scheduler))
    }

    /// The last `count` values.
    @inlinable
    public consuming func takeLast(_ count: Int) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().takeLast(count))
    }

    /// The values but the first `count`.
    @inlinable
    public consuming func skip(_ count: Int) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().skip(count))
    }

    /// The values from the first on of which `predicate` is false.
    @inlinable
    @preconcurrency
    public consuming func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().skip(while: predicate))
    }

    /// The values after `other` has sent one.
    @inlinable
    public consuming func skip<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().skip(until: other.asObservable()))
    }

    /// The values after the first `duration`.
    @inlinable
    public consuming func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().skip(duration, scheduler: scheduler))
    }

    /// The values, or `element` where there are none.
    @inlinable
    public consuming func ifEmpty(default element: Element) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().ifEmpty(default: element))
    }

    /// The values with their numbers, from 0.
    @inlinable
    public consuming func enumerated() -> Infallible<(index: Int, element: Element)> {
        Infallible<(index: Int, element: Element)>(raw: asObservable().enumerated())
    }

    /// A value when none has followed it for `dueTime`.
    @inlinable
    public consuming func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().debounce(dueTime, scheduler: scheduler))
    }

    /// At most one value every `dueTime`: the first at once and, if `latest`, the last that came meanwhile when the time is over.
    @inlinable
    public consuming func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    /// Shifts the values and the completion by `dueTime`.
    @inlinable
    public consuming func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes `dueTime` after it is subscribed to.
    @inlinable
    public consuming func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
        -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Delivers the events on `scheduler`.
    @inlinable
    public consuming func observe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().observe(on: scheduler))
    }

    /// Subscribes, and disposes that subscription, on `scheduler`.
    @inlinable
    public consuming func subscribe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().subscribe(on: scheduler))
    }

    /// One subscription to the source for all subscribers. `replay` values are kept for those that come later.
    @inlinable
    public consuming func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().share(replay: replay, scope: scope))
    }

    /// Prints the subscription, its events and its end, each with the time and `identifier`.
    @inlinable
    public consuming func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Infallible<Element> {
        Infallible<Element>(
            raw: asObservable().debug(
                identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    /// The values with `object`, which is not kept alive; the stream completes when it has gone.
    @inlinable
    public consuming func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Infallible<
        (Object, Element)
    > {
        Infallible<(Object, Element)>(raw: asObservable().withUnretained(object))
    }

    /// What `resultSelector` makes of `object`, which is not kept alive, and each value; completes when it has gone.
    @inlinable
    @preconcurrency
    public consuming func withUnretained<Object: AnyObject & Sendable, Out: Sendable>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Infallible<Out> {
        Infallible<Out>(raw: asObservable().withUnretained(object) { resultSelector($0, $1) })
    }

    /// Calls the hooks as the events pass: `on...` before an event is forwarded, `after...` after it was.
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
    /// The values that differ from the one before.
    @inlinable
    public consuming func distinctUntilChanged() -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged())
    }
}

extension InfallibleType {
    /// The values whose key differs from that of the one before.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged<Key: Equatable & Sendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(keySelector))
    }

    /// The values that `comparer` does not find equal to the one before.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
    )
        -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(comparer))
    }

    /// The values whose key `comparer` does not find equal to that of the one before.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged<Key: Sendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (Key, Key) throws -> Bool
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// The values whose property at `keyPath` is not that of the value before.
    @inlinable
    public consuming func distinctUntilChanged<Property: Equatable & Sendable>(
        at keyPath: any KeyPath<Element, Property> & Sendable
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(at: keyPath))
    }
}
