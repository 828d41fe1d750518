extension Infallible {
    /// Combines the last values of the sources whenever one of them sends a value and all have sent one.
    @inlinable
    @_disfavoredOverload
    @preconcurrency
    public static func combineLatest<First: InfallibleType, each Source: InfallibleType>(
        _ first: First, _ source: repeat each Source,
        resultSelector: @escaping @Sendable (First.Element, repeat (each Source).Element) throws -> Element
    ) -> Infallible<Element> {
        Infallible(raw: .combineLatest(first, repeat each source, resultSelector: resultSelector))
    }

    /// Combines the last values of all sources whenever one sends a value and all have; `[]` without sources.
    @inlinable
    @preconcurrency
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Infallible<Element> where Sources.Element: InfallibleType {
        Infallible(raw: .combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Sends the last values of all sources whenever one sends a value and all have; `[]` without sources.
    @inlinable
    public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
    where Sources.Element: InfallibleType, Sources.Element.Element == Element {
        Infallible<[Element]>(raw: Observable<Element>.combineLatest(collection.map { $0.asObservable() }))
    }
}

extension Infallible where Element == any Sendable {
    /// Sends the last values of the sources as a tuple whenever one of them sends a value and all have sent
    /// one.
    @inlinable
    @_disfavoredOverload
    public static func combineLatest<First: InfallibleType, each Source: InfallibleType>(
        _ first: First, _ source: repeat each Source
    ) -> Infallible<(First.Element, repeat (each Source).Element)> {
        Infallible<(First.Element, repeat (each Source).Element)>(
            raw: Observable<any Sendable>.combineLatest(first, repeat each source))
    }
}
