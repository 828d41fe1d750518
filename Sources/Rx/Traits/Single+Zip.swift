extension PrimitiveSequence where Trait == SingleTrait {
    /// The results of two sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<A: Sendable, B: Sendable>(
        _ a: Single<A>, _ b: Single<B>,
        resultSelector: @escaping @Sendable (A, B) throws -> Element
    ) -> Single<Element> {
        Single(raw: .zip(a.source, b.source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == any Sendable {
    /// The results of two sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable>(
        _ a: Single<A>, _ b: Single<B>
    ) -> Single<(A, B)> {
        Single<(A, B)>(raw: .zip(a.source, b.source) { ($0, $1) })
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// The results of three sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>,
        resultSelector: @escaping @Sendable (A, B, C) throws -> Element
    ) -> Single<Element> {
        Single(raw: .zip(a.source, b.source, c.source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == any Sendable {
    /// The results of three sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>
    ) -> Single<(A, B, C)> {
        Single<(A, B, C)>(raw: .zip(a.source, b.source, c.source) { ($0, $1, $2) })
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// The results of four sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, _ d: Single<D>,
        resultSelector: @escaping @Sendable (A, B, C, D) throws -> Element
    ) -> Single<Element> {
        Single(raw: .zip(a.source, b.source, c.source, d.source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == any Sendable {
    /// The results of four sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, _ d: Single<D>
    ) -> Single<(A, B, C, D)> {
        Single<(A, B, C, D)>(raw: .zip(a.source, b.source, c.source, d.source) { ($0, $1, $2, $3) })
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// The results of five sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, _ d: Single<D>, _ e: Single<E>,
        resultSelector: @escaping @Sendable (A, B, C, D, E) throws -> Element
    ) -> Single<Element> {
        Single(
            raw: .zip(a.source, b.source, c.source, d.source, e.source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == any Sendable {
    /// The results of five sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, _ d: Single<D>, _ e: Single<E>
    ) -> Single<(A, B, C, D, E)> {
        Single<(A, B, C, D, E)>(
            raw: .zip(a.source, b.source, c.source, d.source, e.source) { ($0, $1, $2, $3, $4) })
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// The results of six sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable
    >(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, _ d: Single<D>, _ e: Single<E>, _ f: Single<F>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F) throws -> Element
    ) -> Single<Element> {
        Single(
            raw: .zip(
                a.source, b.source, c.source, d.source, e.source, f.source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == any Sendable {
    /// The results of six sequences as a tuple.
    @inlinable
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable
    >(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, _ d: Single<D>, _ e: Single<E>, _ f: Single<F>
    ) -> Single<(A, B, C, D, E, F)> {
        Single<(A, B, C, D, E, F)>(
            raw: .zip(a.source, b.source, c.source, d.source, e.source, f.source) {
                ($0, $1, $2, $3, $4, $5)
            }
        )
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// The results of seven sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable
    >(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, _ d: Single<D>, _ e: Single<E>, _ f: Single<F>,
        _ g: Single<G>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Element
    ) -> Single<Element> {
        Single(
            raw: .zip(
                a.source, b.source, c.source, d.source, e.source, f.source, g.source,
                resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == any Sendable {
    /// The results of seven sequences as a tuple.
    @inlinable
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable
    >(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, _ d: Single<D>, _ e: Single<E>, _ f: Single<F>,
        _ g: Single<G>
    ) -> Single<(A, B, C, D, E, F, G)> {
        Single<(A, B, C, D, E, F, G)>(
            raw: .zip(a.source, b.source, c.source, d.source, e.source, f.source, g.source) {
                ($0, $1, $2, $3, $4, $5, $6)
            })
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// The results of eight sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable,
        H: Sendable
    >(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, _ d: Single<D>, _ e: Single<E>, _ f: Single<F>,
        _ g: Single<G>, _ h: Single<H>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Element
    ) -> Single<Element> {
        Single(
            raw: .zip(
                a.source, b.source, c.source, d.source, e.source, f.source, g.source, h.source,
                resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == any Sendable {
    /// The results of eight sequences as a tuple.
    @inlinable
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable,
        H: Sendable
    >(
        _ a: Single<A>, _ b: Single<B>, _ c: Single<C>, _ d: Single<D>, _ e: Single<E>, _ f: Single<F>,
        _ g: Single<G>, _ h: Single<H>
    ) -> Single<(A, B, C, D, E, F, G, H)> {
        Single<(A, B, C, D, E, F, G, H)>(
            raw: .zip(a.source, b.source, c.source, d.source, e.source, f.source, g.source, h.source) {
                ($0, $1, $2, $3, $4, $5, $6, $7)
            })
    }
}
