extension ObservableType {
    /// Sends the last values of all sources by their keys, whenever one of them sends a value and all have
    /// sent one. Without sources, sends `[:]` and completes. The sources are subscribed to in no particular
    /// order.
    @inlinable
    public static func combineLatest<Key: Hashable & Sendable, Source: ObservableConvertibleType>(
        _ sources: [Key: Source]
    ) -> Observable<[Key: Element]> where Source.Element == Element {
        Observable<[Key: Element]>.combineLatest(sources) { $0 }
    }

    /// Combines the last values of all sources by their keys. An error that `resultSelector` throws ends the
    /// stream.
    @inlinable
    @preconcurrency
    public static func combineLatest<Key: Hashable & Sendable, Source: ObservableConvertibleType>(
        _ sources: [Key: Source],
        resultSelector: @escaping @Sendable ([Key: Source.Element]) throws -> Element
    ) -> Observable<Element> {
        var observables: [Observable<Source.Element>] = []
        // `mapValues` hashes no key.
        let indices = sources.mapValues { source in
            observables.append(source.asObservable())
            return observables.count - 1
        }
        return combineLatest(observables) { values in
            try resultSelector(indices.mapValues { values[$0] })
        }
    }
}

extension Infallible {
    /// Sends the last values of all sources by key whenever one sends a value and all have; `[:]` without
    /// sources.
    @inlinable
    public static func combineLatest<Key: Hashable & Sendable, Source: InfallibleType>(
        _ sources: [Key: Source]
    ) -> Infallible<[Key: Element]> where Source.Element == Element {
        Infallible<[Key: Element]>(raw: Observable<Element>.combineLatest(sources))
    }

    /// Combines the last values of all sources by their keys whenever one sends a value and all have.
    @inlinable
    @preconcurrency
    public static func combineLatest<Key: Hashable & Sendable, Source: InfallibleType>(
        _ sources: [Key: Source], resultSelector: @escaping @Sendable ([Key: Source.Element]) -> Element
    ) -> Infallible<Element> {
        Infallible(raw: .combineLatest(sources, resultSelector: resultSelector))
    }
}
