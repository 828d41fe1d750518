// Infallible streams of streams, and several together.
extension InfallibleType {
    /// The values of all the streams that `selector` makes of the values, as they come.
    @inlinable
    @preconcurrency
    public consuming func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    )
        -> Infallible<Source.Element>
    {
        Infallible<Source.Element>(raw: asObservable().flatMap(selector))
    }

    /// The values of the latest stream that `selector` made of a value.
    @inlinable
    @preconcurrency
    public consuming func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().flatMapLatest(selector))
    }

    /// The values of the stream that `selector` makes of a value; values that come while it runs are dropped.
    @inlinable
    @preconcurrency
    public consuming func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().flatMapFirst(selector))
    }

    /// The values of the streams that `selector` makes of the values, one stream after the other.
    @inlinable
    @preconcurrency
    public consuming func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().concatMap(selector))
    }

    /// What `resultSelector` makes of each value and the latest of `second`. Values before the first of `second` are dropped.
    @inlinable
    @preconcurrency
    public consuming func withLatestFrom<Source: InfallibleType, Result: Sendable>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(raw: asObservable().withLatestFrom(second, resultSelector: resultSelector))
    }

    /// The latest value of `second` at each value.
    @inlinable
    public consuming func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<
        Source.Element
    > {
        Infallible<Source.Element>(raw: asObservable().withLatestFrom(second))
    }

    /// The values and, after the completion, those of `second`.
    @inlinable
    public consuming func concat<Source: ObservableConvertibleType>(_ second: Source) -> Infallible<Element>
    where Source.Element == Element {
        Infallible<Element>(raw: asObservable().concat(second))
    }
}

extension ObservableType {
    /// The values of the latest stream that `selector` made of a value, where an `Infallible` is asked for. An error of this
    /// stream, and what `selector` throws, is taken for the completion.
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
    /// The values of all streams, as they come.
    @inlinable
    public consuming func merge() -> Infallible<Element.Element> {
        Infallible<Element.Element>(raw: asObservable().merge())
    }

    /// The values of the latest stream.
    @inlinable
    public consuming func switchLatest() -> Infallible<Element.Element> {
        Infallible<Element.Element>(raw: asObservable().switchLatest())
    }

    /// The values of the streams, one stream after the other.
    @inlinable
    public consuming func concat() -> Infallible<Element.Element> {
        Infallible<Element.Element>(raw: asObservable().concat())
    }
}

extension Infallible {
    /// The values of all sources, each subscribed to after the completion of the one before. The sequence is asked for a source when that is due.
    @inlinable
    public static func concat<Sources: Sequence & Sendable>(_ sequence: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(
            raw: Concat {
                var iterator = sequence.makeIterator();
                return ConcatParts(next: { iterator.next()?.source }, remaining: nil)
            })
    }

    /// The values of all sources, each subscribed to after the completion of the one before.
    @inlinable
    public static func concat<Sources: Collection & Sendable>(_ collection: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(raw: Concat(collection.map { $0.source }))
    }

    /// The values of all sources, each subscribed to after the completion of the one before.
    @inlinable
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(raw: Concat(sources.map { $0.source }))
    }

    /// The values of all sources, as they come.
    @inlinable
    public static func merge<Sources: Collection>(_ sources: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(raw: MergeAll(sources.map { $0.source }))
    }

    /// The values of all sources, as they come.
    @inlinable
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(raw: MergeAll(sources.map { $0.source }))
    }
}
