extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
    /// Runs the completables one after the other. Fails with the first error. The sequence may be infinite.
    @inlinable
    public static func concat<Sources: Sequence & Sendable>(
        _ sequence: Sources
    ) -> Completable where Sources.Element == Completable {
        Completable(
            raw: Concat {
                var iterator = sequence.makeIterator()
                return ConcatParts(next: { iterator.next()?.source }, remaining: nil)
            })
    }

    /// Runs the completables one after the other. Fails with the first error.
    @inlinable
    public static func concat<Sources: Collection & Sendable>(
        _ collection: Sources
    ) -> Completable where Sources.Element == Completable {
        Completable(raw: Concat(collection.map { $0.source }))
    }

    /// Runs the completables one after the other. Fails with the first error.
    @inlinable
    public static func concat(_ sources: Completable...) -> Completable {
        concat(sources)
    }

    /// Subscribes to all at once and completes once all have. The first error fails the result and disposes
    /// the others.
    @inlinable
    public static func merge<Sources: Collection>(
        _ sources: Sources
    ) -> Completable where Sources.Element == Completable {
        Completable(raw: MergeAll(sources.map { $0.source }))
    }

    /// Subscribes to all at once and completes once all have. The first error fails the result and disposes
    /// the others.
    @inlinable
    public static func merge(_ sources: Completable...) -> Completable {
        merge(sources)
    }

    /// Subscribes to all at once and completes once all have. The first error fails the result and disposes
    /// the others.
    @inlinable
    public static func zip<Sources: Collection>(
        _ sources: Sources
    ) -> Completable where Sources.Element == Completable {
        merge(sources)
    }

    /// Subscribes to all at once and completes once all have. The first error fails the result and disposes
    /// the others.
    @inlinable
    public static func zip(_ sources: Completable...) -> Completable {
        merge(sources)
    }
}
