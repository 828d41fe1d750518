// Two to eight sources have separate forms. With a parameter pack the compiler (6.3) finds no members of the
// tuple in the expression that makes it, as in `zip(a, b, c).map { $0.2 }`.

extension ObservableType where Element == any Sendable {
    /// Sends the first values of the sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<A: ObservableConvertibleType, B: ObservableConvertibleType>(
        _ a: A, _ b: B
    ) -> Observable<(A.Element, B.Element)> {
        .zip(a, b) { ($0, $1) }
    }

    /// Sends the first values of the sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType
    >(_ a: A, _ b: B, _ c: C) -> Observable<(A.Element, B.Element, C.Element)> {
        .zip(a, b, c) { ($0, $1, $2) }
    }

    /// Sends the first values of the sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType
    >(_ a: A, _ b: B, _ c: C, _ d: D) -> Observable<(A.Element, B.Element, C.Element, D.Element)> {
        .zip(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// Sends the first values of the sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element)> {
        .zip(a, b, c, d, e) { ($0, $1, $2, $3, $4) }
    }

    /// Sends the first values of the sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)> {
        .zip(a, b, c, d, e, f) { ($0, $1, $2, $3, $4, $5) }
    }

    /// Combines the elements of seven streams at the same position to a tuple.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        .zip(a, b, c, d, e, f, g) { ($0, $1, $2, $3, $4, $5, $6) }
    }

    /// Combines the elements of eight streams at the same position to a tuple.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType, H: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)>
    {
        .zip(a, b, c, d, e, f, g, h) { ($0, $1, $2, $3, $4, $5, $6, $7) }
    }
}

extension Infallible where Element == any Sendable {
    /// Sends the first values of the sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B
    ) -> Infallible<(A.Element, B.Element)> {
        .zip(a, b) { ($0, $1) }
    }

    /// Sends the first values of the sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C
    ) -> Infallible<(A.Element, B.Element, C.Element)> {
        .zip(a, b, c) { ($0, $1, $2) }
    }

    /// Sends the first values of the sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element)> {
        .zip(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// Combines the elements of five streams at the same position to a tuple.
    @inlinable
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element)> {
        .zip(a, b, c, d, e) { ($0, $1, $2, $3, $4) }
    }

    /// Combines the elements of six streams at the same position to a tuple.
    @inlinable
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)> {
        .zip(a, b, c, d, e, f) { ($0, $1, $2, $3, $4, $5) }
    }

    /// Combines the elements of seven streams at the same position to a tuple.
    @inlinable
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        .zip(a, b, c, d, e, f, g) { ($0, $1, $2, $3, $4, $5, $6) }
    }

    /// Combines the elements of eight streams at the same position to a tuple.
    @inlinable
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType, H: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)>
    {
        .zip(a, b, c, d, e, f, g, h) { ($0, $1, $2, $3, $4, $5, $6, $7) }
    }
}

extension PrimitiveSequence where Trait: ValueTrait, Element == any Sendable {
    /// Sends the results of the sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>
    ) -> PrimitiveSequence<Trait, (A, B)> {
        PrimitiveSequence<Trait, (A, B)>.zip(a, b) { ($0, $1) }
    }

    /// Sends the results of the sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>
    ) -> PrimitiveSequence<Trait, (A, B, C)> {
        PrimitiveSequence<Trait, (A, B, C)>.zip(a, b, c) { ($0, $1, $2) }
    }

    /// Sends the results of the sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>
    ) -> PrimitiveSequence<Trait, (A, B, C, D)> {
        PrimitiveSequence<Trait, (A, B, C, D)>.zip(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// Sends the results of the sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>
    ) -> PrimitiveSequence<Trait, (A, B, C, D, E)> {
        PrimitiveSequence<Trait, (A, B, C, D, E)>.zip(a, b, c, d, e) { ($0, $1, $2, $3, $4) }
    }

    /// Sends the results of the sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>
    ) -> PrimitiveSequence<Trait, (A, B, C, D, E, F)> {
        PrimitiveSequence<Trait, (A, B, C, D, E, F)>.zip(a, b, c, d, e, f) { ($0, $1, $2, $3, $4, $5) }
    }

    /// Combines the values of seven sequences to a tuple.
    @inlinable
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable
    >(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        _ g: PrimitiveSequence<Trait, G>
    ) -> PrimitiveSequence<Trait, (A, B, C, D, E, F, G)> {
        PrimitiveSequence<Trait, (A, B, C, D, E, F, G)>.zip(a, b, c, d, e, f, g) {
            ($0, $1, $2, $3, $4, $5, $6)
        }
    }

    /// Combines the values of eight sequences to a tuple.
    @inlinable
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable
    >(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        _ g: PrimitiveSequence<Trait, G>, _ h: PrimitiveSequence<Trait, H>
    ) -> PrimitiveSequence<Trait, (A, B, C, D, E, F, G, H)> {
        PrimitiveSequence<Trait, (A, B, C, D, E, F, G, H)>.zip(a, b, c, d, e, f, g, h) {
            ($0, $1, $2, $3, $4, $5, $6, $7)
        }
    }
}
