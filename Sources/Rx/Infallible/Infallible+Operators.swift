// These operators work like the ones of the same name on `ObservableType`.
extension InfallibleType {
    @inlinable
    @preconcurrency
    public consuming func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().filter(predicate))
    }

    @inlinable
    @preconcurrency
    public consuming func map<Result: Sendable>(_ transform: @escaping @Sendable (Element) -> Result)
        -> Infallible<Result>
    {
        Infallible<Result>(raw: asObservable().map(transform))
    }

    @inlinable
    @preconcurrency
    public consuming func compactMap<Result: Sendable>(_ transform: @escaping @Sendable (Element) -> Result?)
        -> Infallible<Result>
    {
        Infallible<Result>(raw: asObservable().compactMap(transform))
    }

    @inlinable
    @preconcurrency
    public consuming func scan<Result: Sendable>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(raw: asObservable().scan(seed, accumulator: accumulator))
    }

    @inlinable
    @preconcurrency
    public consuming func scan<Result: Sendable>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) -> Void
    ) -> Infallible<Result> {
        Infallible<Result>(raw: asObservable().scan(into: seed, accumulator: accumulator))
    }

    @inlinable
    public consuming func startWith(_ element: Element) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().startWith(element))
    }

    @inlinable
    public consuming func take(_ count: Int) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().take(count))
    }

    @inlinable
    @preconcurrency
    public consuming func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().take(while: predicate, behavior: behavior))
    }

    @inlinable
    @preconcurrency
    public consuming func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().take(until: predicate, behavior: behavior))
    }

    @inlinable
    public consuming func take<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().take(until: other.asObservable()))
    }

    @inlinable
    public consuming func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().take(for: duration, scheduler: scheduler))
    }

    @inlinable
    public consuming func takeLast(_ count: Int) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().takeLast(count))
    }

    @inlinable
    public consuming func skip(_ count: Int) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().skip(count))
    }

    @inlinable
    @preconcurrency
    public consuming func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().skip(while: predicate))
    }

    @inlinable
    public consuming func skip<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().skip(until: other.asObservable()))
    }

    @inlinable
    public consuming func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().skip(duration, scheduler: scheduler))
    }

    @inlinable
    public consuming func ifEmpty(default element: Element) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().ifEmpty(default: element))
    }

    @inlinable
    public consuming func enumerated() -> Infallible<(index: Int, element: Element)> {
        Infallible<(index: Int, element: Element)>(raw: asObservable().enumerated())
    }

    @inlinable
    public consuming func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().debounce(dueTime, scheduler: scheduler))
    }

    @inlinable
    public consuming func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    @inlinable
    public consuming func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().delay(dueTime, scheduler: scheduler))
    }

    @inlinable
    public consuming func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType)
        -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().delaySubscription(dueTime, scheduler: scheduler))
    }

    @inlinable
    public consuming func observe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().observe(on: scheduler))
    }

    @inlinable
    public consuming func subscribe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().subscribe(on: scheduler))
    }

    @inlinable
    public consuming func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<
        Element
    > {
        Infallible<Element>(raw: asObservable().share(replay: replay, scope: scope))
    }

    @inlinable
    public consuming func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Infallible<Element> {
        Infallible<Element>(
            raw: asObservable().debug(
                identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    @inlinable
    public consuming func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Infallible<
        (Object, Element)
    > {
        Infallible<(Object, Element)>(raw: asObservable().withUnretained(object))
    }

    @inlinable
    @preconcurrency
    public consuming func withUnretained<Object: AnyObject & Sendable, Out: Sendable>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Infallible<Out> {
        Infallible<Out>(raw: asObservable().withUnretained(object) { resultSelector($0, $1) })
    }

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
    @inlinable
    public consuming func distinctUntilChanged() -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged())
    }
}

extension InfallibleType {
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged<Key: Equatable & Sendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(keySelector))
    }

    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
    )
        -> Infallible<Element>
    {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(comparer))
    }

    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged<Key: Sendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (Key, Key) throws -> Bool
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    @inlinable
    public consuming func distinctUntilChanged<Property: Equatable & Sendable>(
        at keyPath: any KeyPath<Element, Property> & Sendable
    ) -> Infallible<Element> {
        Infallible<Element>(raw: asObservable().distinctUntilChanged(at: keyPath))
    }
}
