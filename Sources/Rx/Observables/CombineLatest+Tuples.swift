// Two to eight sources have separate forms. With a parameter pack the compiler (6.3) finds no members of the
// tuple in the expression that makes it, as in `combineLatest(a, b, c).map { $0.2 }`.

extension ObservableType where Element == any Sendable {
    /// Sends the last values of the sources as a tuple whenever one of them sends a value and all have sent
    /// one.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType
    >(_ a: A, _ b: B, _ c: C) -> Observable<(A.Element, B.Element, C.Element)> {
        .combineLatest(a, b, c) { ($0, $1, $2) }
    }

    /// Sends the last values of the sources as a tuple whenever one of them sends a value and all have sent
    /// one.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element)> {
        .combineLatest(a, b, c, d, e) { ($0, $1, $2, $3, $4) }
    }

    /// Sends the last values of the sources as a tuple whenever one of them sends a value and all have sent
    /// one.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)> {
        .combineLatest(a, b, c, d, e, f) { ($0, $1, $2, $3, $4, $5) }
    }

    /// Combines the latest elements of seven streams to a tuple.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        .combineLatest(a, b, c, d, e, f, g) { ($0, $1, $2, $3, $4, $5, $6) }
    }

    /// Combines the latest elements of eight streams to a tuple.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType, H: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)>
    {
        .combineLatest(a, b, c, d, e, f, g, h) { ($0, $1, $2, $3, $4, $5, $6, $7) }
    }
}

extension Infallible where Element == any Sendable {
    /// Sends the last values of the sources as a tuple whenever one of them sends a value and all have sent
    /// one.
    @inlinable
    public static func combineLatest<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B
    ) -> Infallible<(A.Element, B.Element)> {
        .combineLatest(a, b) { ($0, $1) }
    }

    /// Sends the last values of the sources as a tuple whenever one of them sends a value and all have sent
    /// one.
    @inlinable
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C
    ) -> Infallible<(A.Element, B.Element, C.Element)> {
        .combineLatest(a, b, c) { ($0, $1, $2) }
    }

    /// Sends the last values of the sources as a tuple whenever one of them sends a value and all have sent
    /// one.
    @inlinable
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType
    >(_ a: A, _ b: B, _ c: C, _ d: D) -> Infallible<(A.Element, B.Element, C.Element, D.Element)> {
        .combineLatest(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// Combines the latest elements of five streams to a tuple.
    @inlinable
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element)> {
        .combineLatest(a, b, c, d, e) { ($0, $1, $2, $3, $4) }
    }

    /// Combines the latest elements of six streams to a tuple.
    @inlinable
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)> {
        .combineLatest(a, b, c, d, e, f) { ($0, $1, $2, $3, $4, $5) }
    }

    /// Combines the latest elements of seven streams to a tuple.
    @inlinable
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        .combineLatest(a, b, c, d, e, f, g) { ($0, $1, $2, $3, $4, $5, $6) }
    }

    /// Combines the latest elements of eight streams to a tuple.
    @inlinable
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType, H: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)>
    {
        .combineLatest(a, b, c, d, e, f, g, h) { ($0, $1, $2, $3, $4, $5, $6, $7) }
    }
}
