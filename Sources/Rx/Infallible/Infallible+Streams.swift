extension InfallibleType {
    /// Merges the streams that `selector` returns for the values, without limit.
    @inlinable
    @preconcurrency
    public consuming func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    )
        -> Infallible<Source.Element>
    {
        Infallible<Source.Element>(raw: asObservable().flatMap(selector))
    }

    /// Emits the values of the stream that `selector` returns for the latest value. Disposes the previous
    /// one.
    @inlinable
    @preconcurrency
    public consuming func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().flatMapLatest(selector))
    }

    /// Emits the values of the stream that `selector` returns for a value. Drops other values until it ends.
    @inlinable
    @preconcurrency
    public consuming func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().flatMapFirst(selector))
    }

    /// Emits the values of the streams that `selector` returns, one stream after the other, from an unbounded
    /// queue.
    @inlinable
    @preconcurrency
    public consuming func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().concatMap(selector))
    }

    /// Combines each value with the latest value of `second`, and drops values before the first of `second`.
    @inlinable
    @preconcurrency
    public consuming func withLatestFrom<Source: InfallibleType, Result: Sendable>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(raw: asObservable().withLatestFrom(second, resultSelector: resultSelector))
    }

    /// Emits the latest value of `second`, if any, each time this stream emits.
    @inlinable
    public consuming func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<
        Source.Element
    > {
        Infallible<Source.Element>(raw: asObservable().withLatestFrom(second))
    }
}

extension ObservableType {
    /// Emits the values of the stream that `selector` returned for the latest value. An error completes the
    /// result.
    @inlinable
    @_disfavoredOverload
    @preconcurrency
    public consuming func flatMapLatest<Source: InfallibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Infallible<Source.Element> {
        let latest: Observable<Source.Element> = flatMapLatest(selector)
        return Infallible<Source.Element>(raw: latest)
    }
}

extension InfallibleType where Element: InfallibleType {
    /// Subscribes to each inner stream as it arrives and merges their values.
    @inlinable
    public consuming func merge() -> Infallible<Element.Element> {
        Infallible<Element.Element>(raw: asObservable().merge())
    }

    /// Emits the values of the latest inner stream. The previous one is disposed before the new one is
    /// subscribed to.
    @inlinable
    public consuming func switchLatest() -> Infallible<Element.Element> {
        Infallible<Element.Element>(raw: asObservable().switchLatest())
    }

    /// Emits the values of the inner streams, one stream after the other. Further streams wait in an
    /// unbounded queue.
    @inlinable
    public consuming func concat() -> Infallible<Element.Element> {
        Infallible<Element.Element>(raw: asObservable().concat())
    }
}
