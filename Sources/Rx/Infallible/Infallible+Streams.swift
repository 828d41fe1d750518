// Except for `flatMapLatest` on `ObservableType`, these operators work like the ones of the same name on observables.
extension InfallibleType {
    @inlinable
    @preconcurrency
    public consuming func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    )
        -> Infallible<Source.Element>
    {
        Infallible<Source.Element>(raw: asObservable().flatMap(selector))
    }

    @inlinable
    @preconcurrency
    public consuming func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().flatMapLatest(selector))
    }

    @inlinable
    @preconcurrency
    public consuming func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().flatMapFirst(selector))
    }

    @inlinable
    @preconcurrency
    public consuming func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().concatMap(selector))
    }

    @inlinable
    @preconcurrency
    public consuming func withLatestFrom<Source: InfallibleType, Result: Sendable>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(raw: asObservable().withLatestFrom(second, resultSelector: resultSelector))
    }

    @inlinable
    public consuming func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<
        Source.Element
    > {
        Infallible<Source.Element>(raw: asObservable().withLatestFrom(second))
    }

    @inlinable
    public consuming func concat<Source: ObservableConvertibleType>(_ second: Source) -> Infallible<Element>
    where Source.Element == Element {
        Infallible<Element>(raw: asObservable().concat(second))
    }
}

extension ObservableType {
    /// Emits the values of the stream that `selector` returned for the latest value. An error of this stream or of
    /// `selector` completes the result.
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
    @inlinable
    public consuming func merge() -> Infallible<Element.Element> {
        Infallible<Element.Element>(raw: asObservable().merge())
    }

    @inlinable
    public consuming func switchLatest() -> Infallible<Element.Element> {
        Infallible<Element.Element>(raw: asObservable().switchLatest())
    }

    @inlinable
    public consuming func concat() -> Infallible<Element.Element> {
        Infallible<Element.Element>(raw: asObservable().concat())
    }
}

extension Infallible {
    @inlinable
    public static func concat<Sources: Sequence & Sendable>(_ sequence: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(
            raw: Concat {
                var iterator = sequence.makeIterator();
                return ConcatParts(next: { iterator.next()?.source }, remaining: nil)
            })
    }

    @inlinable
    public static func concat<Sources: Collection & Sendable>(_ collection: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(raw: Concat(collection.map { $0.source }))
    }

    @inlinable
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(raw: Concat(sources.map { $0.source }))
    }

    @inlinable
    public static func merge<Sources: Collection>(_ sources: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(raw: MergeAll(sources.map { $0.source }))
    }

    @inlinable
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(raw: MergeAll(sources.map { $0.source }))
    }
}
