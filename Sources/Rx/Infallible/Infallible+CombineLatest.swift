extension Infallible {
    /// The last values of two sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B, resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
    ) -> Infallible<Element> {
        Infallible(raw: .combineLatest(a, b, resultSelector: resultSelector))
    }

    /// The last values of three sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) throws -> Element
    ) -> Infallible<Element> {
        Infallible(raw: .combineLatest(a, b, c, resultSelector: resultSelector))
    }

    /// The last values of four sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) throws -> Element
    ) -> Infallible<Element> {
        Infallible(raw: .combineLatest(a, b, c, d, resultSelector: resultSelector))
    }

    /// The last values of five sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element) throws -> Element
    ) -> Infallible<Element> {
        Infallible(raw: .combineLatest(a, b, c, d, e, resultSelector: resultSelector))
    }

    /// The last values of six sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) throws ->
            Element
    ) -> Infallible<Element> {
        Infallible(raw: .combineLatest(a, b, c, d, e, f, resultSelector: resultSelector))
    }

    /// The last values of seven sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)
            throws -> Element
    ) -> Infallible<Element> {
        Infallible(raw: .combineLatest(a, b, c, d, e, f, g, resultSelector: resultSelector))
    }

    /// The last values of eight sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType, H: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        resultSelector:
            @escaping @Sendable (
                A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element
            ) throws -> Element
    ) -> Infallible<Element> {
        Infallible(raw: .combineLatest(a, b, c, d, e, f, g, h, resultSelector: resultSelector))
    }

    /// The last values of all sources whenever one of them sends a value and all have sent one; `[]` without sources.
    @inlinable
    @preconcurrency
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Infallible<Element> where Sources.Element: InfallibleType {
        Infallible(raw: .combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// The last values of all sources whenever one of them sends a value and all have sent one; `[]` without sources.
    @inlinable
    public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
    where Sources.Element: InfallibleType, Sources.Element.Element == Element {
        Infallible<[Element]>(raw: Observable<Element>.combineLatest(collection.map { $0.asObservable() }))
    }
}

extension Infallible where Element == any Sendable {
    /// The last values of two sources as a tuple, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<A: InfallibleType, B: InfallibleType>(_ a: A, _ b: B) -> Infallible<
        (A.Element, B.Element)
    > {
        Infallible<(A.Element, B.Element)>(raw: Observable<any Sendable>.combineLatest(a, b))
    }

    /// The last values of three sources as a tuple, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C
    ) -> Infallible<(A.Element, B.Element, C.Element)> {
        Infallible<(A.Element, B.Element, C.Element)>(raw: Observable<any Sendable>.combineLatest(a, b, c))
    }

    /// The last values of four sources as a tuple, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType
    >(_ a: A, _ b: B, _ c: C, _ d: D) -> Infallible<(A.Element, B.Element, C.Element, D.Element)> {
        Infallible<(A.Element, B.Element, C.Element, D.Element)>(
            raw: Observable<any Sendable>.combineLatest(a, b, c, d))
    }

    /// The last values of five sources as a tuple, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) -> Infallible<
        (A.Element, B.Element, C.Element, D.Element, E.Element)
    > {
        Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element)>(
            raw: Observable<any Sendable>.combineLatest(a, b, c, d, e))
    }

    /// The last values of six sources as a tuple, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) -> Infallible<
        (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)
    > {
        Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)>(
            raw: Observable<any Sendable>.combineLatest(a, b, c, d, e, f))
    }

    /// The last values of seven sources as a tuple, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Infallible<
        (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)
    > {
        Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)>(
            raw: Observable<any Sendable>.combineLatest(a, b, c, d, e, f, g))
    }

    /// The last values of eight sources as a tuple, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType, H: InfallibleType
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) -> Infallible<
        (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)
    > {
        Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)>(
            raw: Observable<any Sendable>.combineLatest(a, b, c, d, e, f, g, h))
    }
}
