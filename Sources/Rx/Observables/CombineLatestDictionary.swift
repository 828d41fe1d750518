extension ObservableType {
    /// The last values of all sources, each under its source's key, whenever one of them sends a value and all have sent one;
    /// `[:]` without sources, at once, and the end. The sources are subscribed to in the dictionary's order, hence in any.
    @inlinable
    public static func combineLatest<Key: Hashable & Sendable, Source: ObservableConvertibleType>(
        _ sources: [Key: Source]
    ) -> Observable<[Key: Element]> where Source.Element == Element {
        Observable<[Key: Element]>.combineLatest(sources) { $0 }
    }

    /// What `resultSelector` makes of the last values of all sources, each under its source's key. What it throws is the error.
    @inlinable
    @preconcurrency
    public static func combineLatest<Key: Hashable & Sendable, Source: ObservableConvertibleType>(
        _ sources: [Key: Source],
        resultSelector: @escaping @Sendable ([Key: Source.Element]) throws -> Element
    ) -> Observable<Element> {
        var observables: [Observable<Source.Element>] = []
        // Mapping the values of a dictionary hashes no key.
        let places = sources.mapValues { source in
            observables.append(source.asObservable())
            return observables.count - 1
        }
        return combineLatest(observables) { values in
            try resultSelector(places.mapValues { values[$0] })
        }
    }
}

extension Infallible {
    /// The last values of all sources, each under its source's key, whenever one of them sends a value and all have sent one;
    /// `[:]` without sources, at once, and the end. The sources are subscribed to in any order.
    @inlinable
    public static func combineLatest<Key: Hashable & Sendable, Source: InfallibleType>(
        _ sources: [Key: Source]
    ) -> Infallible<[Key: Element]> where Source.Element == Element {
        Infallible<[Key: Element]>(raw: Observable<Element>.combineLatest(sources))
    }

    /// What `resultSelector` makes of the last values of all sources, each under its source's key.
    @inlinable
    @preconcurrency
    public static func combineLatest<Key: Hashable & Sendable, Source: InfallibleType>(
        _ sources: [Key: Source], resultSelector: @escaping @Sendable ([Key: Source.Element]) -> Element
    ) -> Infallible<Element> {
        Infallible(raw: .combineLatest(sources, resultSelector: resultSelector))
    }
}
