extension Infallible {
    /// Combines the first values of the sources, then the second ones, and so on. Completes when all sources
    /// have.
    @inlinable
    @_disfavoredOverload
    @preconcurrency
    public static func zip<First: InfallibleType, each Source: InfallibleType>(
        _ first: First, _ source: repeat each Source,
        resultSelector: @escaping @Sendable (First.Element, repeat (each Source).Element) throws -> Element
    ) -> Infallible<Element> {
        Infallible(raw: .zip(first, repeat each source, resultSelector: resultSelector))
    }

    /// Combines the first values of all sources, then the second ones, and so on. Completes at once without
    /// sources.
    @inlinable
    @preconcurrency
    public static func zip<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Infallible<Element> where Sources.Element: InfallibleType {
        Infallible(raw: .zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Sends the first values of all sources, then the second ones, and so on. Completes at once without
    /// sources.
    @inlinable
    public static func zip<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
    where Sources.Element: InfallibleType, Sources.Element.Element == Element {
        Infallible<[Element]>(raw: Observable<Element>.zip(collection.map { $0.asObservable() }))
    }
}

extension Infallible where Element == any Sendable {
    /// Sends the first values of the sources as a tuple, then the second ones, and so on.
    @inlinable
    @_disfavoredOverload
    public static func zip<First: InfallibleType, each Source: InfallibleType>(
        _ first: First, _ source: repeat each Source
    ) -> Infallible<(First.Element, repeat (each Source).Element)> {
        Infallible<(First.Element, repeat (each Source).Element)>(
            raw: Observable<any Sendable>.zip(first, repeat each source))
    }
}
