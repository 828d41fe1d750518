extension PrimitiveSequence where Trait == MaybeTrait {
    /// The results of two sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<A: Sendable, B: Sendable>(
        _ a: Maybe<A>, _ b: Maybe<B>,
        resultSelector: @escaping @Sendable (A, B) throws -> Element
    ) -> Maybe<Element> {
        Maybe(raw: .zip(a.source, b.source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == MaybeTrait, Element == any Sendable {
    /// The results of two sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable>(
        _ a: Maybe<A>, _ b: Maybe<B>
    ) -> Maybe<(A, B)> {
        Maybe<(A, B)>(raw: .zip(a.source, b.source) { ($0, $1) })
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// The results of three sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>,
        resultSelector: @escaping @Sendable (A, B, C) throws -> Element
    ) -> Maybe<Element> {
        Maybe(raw: .zip(a.source, b.source, c.source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == MaybeTrait, Element == any Sendable {
    /// The results of three sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>
    ) -> Maybe<(A, B, C)> {
        Maybe<(A, B, C)>(raw: .zip(a.source, b.source, c.source) { ($0, $1, $2) })
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// The results of four sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>, _ d: Maybe<D>,
        resultSelector: @escaping @Sendable (A, B, C, D) throws -> Element
    ) -> Maybe<Element> {
        Maybe(raw: .zip(a.source, b.source, c.source, d.source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == MaybeTrait, Element == any Sendable {
    /// The results of four sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>, _ d: Maybe<D>
    ) -> Maybe<(A, B, C, D)> {
        Maybe<(A, B, C, D)>(raw: .zip(a.source, b.source, c.source, d.source) { ($0, $1, $2, $3) })
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// The results of five sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>, _ d: Maybe<D>, _ e: Maybe<E>,
        resultSelector: @escaping @Sendable (A, B, C, D, E) throws -> Element
    ) -> Maybe<Element> {
        Maybe(
            raw: .zip(a.source, b.source, c.source, d.source, e.source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == MaybeTrait, Element == any Sendable {
    /// The results of five sequences as a tuple.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>, _ d: Maybe<D>, _ e: Maybe<E>
    ) -> Maybe<(A, B, C, D, E)> {
        Maybe<(A, B, C, D, E)>(
            raw: .zip(a.source, b.source, c.source, d.source, e.source) { ($0, $1, $2, $3, $4) })
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// The results of six sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable
    >(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>, _ d: Maybe<D>, _ e: Maybe<E>, _ f: Maybe<F>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F) throws -> Element
    ) -> Maybe<Element> {
        Maybe(
            raw: .zip(
                a.source, b.source, c.source, d.source, e.source, f.source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == MaybeTrait, Element == any Sendable {
    /// The results of six sequences as a tuple.
    @inlinable
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable
    >(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>, _ d: Maybe<D>, _ e: Maybe<E>, _ f: Maybe<F>
    ) -> Maybe<(A, B, C, D, E, F)> {
        Maybe<(A, B, C, D, E, F)>(
            raw: .zip(a.source, b.source, c.source, d.source, e.source, f.source) {
                ($0, $1, $2, $3, $4, $5)
            }
        )
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// The results of seven sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable
    >(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>, _ d: Maybe<D>, _ e: Maybe<E>, _ f: Maybe<F>,
        _ g: Maybe<G>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Element
    ) -> Maybe<Element> {
        Maybe(
            raw: .zip(
                a.source, b.source, c.source, d.source, e.source, f.source, g.source,
                resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == MaybeTrait, Element == any Sendable {
    /// The results of seven sequences as a tuple.
    @inlinable
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable
    >(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>, _ d: Maybe<D>, _ e: Maybe<E>, _ f: Maybe<F>,
        _ g: Maybe<G>
    ) -> Maybe<(A, B, C, D, E, F, G)> {
        Maybe<(A, B, C, D, E, F, G)>(
            raw: .zip(a.source, b.source, c.source, d.source, e.source, f.source, g.source) {
                ($0, $1, $2, $3, $4, $5, $6)
            })
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// The results of eight sequences, combined.
    @inlinable
    @preconcurrency
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable,
        H: Sendable
    >(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>, _ d: Maybe<D>, _ e: Maybe<E>, _ f: Maybe<F>,
        _ g: Maybe<G>, _ h: Maybe<H>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Element
    ) -> Maybe<Element> {
        Maybe(
            raw: .zip(
                a.source, b.source, c.source, d.source, e.source, f.source, g.source, h.source,
                resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait == MaybeTrait, Element == any Sendable {
    /// The results of eight sequences as a tuple.
    @inlinable
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable,
        H: Sendable
    >(
        _ a: Maybe<A>, _ b: Maybe<B>, _ c: Maybe<C>, _ d: Maybe<D>, _ e: Maybe<E>, _ f: Maybe<F>,
        _ g: Maybe<G>, _ h: Maybe<H>
    ) -> Maybe<(A, B, C, D, E, F, G, H)> {
        Maybe<(A, B, C, D, E, F, G, H)>(
            raw: .zip(a.source, b.source, c.source, d.source, e.source, f.source, g.source, h.source) {
                ($0, $1, $2, $3, $4, $5, $6, $7)
            })
    }
}
