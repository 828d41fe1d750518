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

    /// Emits each result of combining the values with `accumulator`, starting from `seed`, which is not
    /// emitted.
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

    /// Pairs each value with its index, starting at 0.
    @inlinable
    public consuming func enumerated() -> Infallible<(index: Int, element: Element)> {
        Infallible<(index: Int, element: Element)>(raw: asObservable().enumerated())
    }

    /// Pairs each value with `object`, unretained. Completes at the first value after `object` was
    /// deallocated.
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

    /// Calls the `on...` hooks before and the `after...` hooks after forwarding an event. `onDispose` runs
    /// last.
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
