// Runs completables one after the other, or all at once.
extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
    /// Completes when this and then `second` have completed.
    @inlinable
    public consuming func concat(_ second: Completable) -> Completable {
        Completable(raw: source.concat(second))
    }

    /// Completes when all have completed, subscribing to each when the one before completes. The first error
    /// ends it.
    ///
    /// The iterator is advanced only when the next source is needed.
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

    /// Completes when all have completed, subscribing to each when the one before completes. The first error
    /// ends it.
    @inlinable
    public static func concat<Sources: Collection & Sendable>(
        _ collection: Sources
    ) -> Completable where Sources.Element == Completable {
        Completable(raw: Concat(collection.map { $0.source }))
    }

    /// Completes when all have completed, subscribing to each when the one before completes. The first error
    /// ends it.
    @inlinable
    public static func concat(_ sources: Completable...) -> Completable {
        concat(sources)
    }

    /// Subscribes to all at once and completes when all have completed. The first error ends it and disposes
    /// the others.
    @inlinable
    public static func merge<Sources: Collection>(
        _ sources: Sources
    ) -> Completable where Sources.Element == Completable {
        Completable(raw: MergeAll(sources.map { $0.source }))
    }

    /// Subscribes to all at once and completes when all have completed. The first error ends it and disposes
    /// the others.
    @inlinable
    public static func merge(_ sources: Completable...) -> Completable {
        merge(sources)
    }

    /// Subscribes to all at once and completes when all have completed. The first error ends it and disposes
    /// the others.
    @inlinable
    public static func zip<Sources: Collection>(
        _ sources: Sources
    ) -> Completable where Sources.Element == Completable {
        merge(sources)
    }

    /// Subscribes to all at once and completes when all have completed. The first error ends it and disposes
    /// the others.
    @inlinable
    public static func zip(_ sources: Completable...) -> Completable {
        merge(sources)
    }
}

extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
    /// Subscribes handlers that receive `object`, without retaining it. They are not called after `object`
    /// was deallocated.
    @inlinable
    @preconcurrency
    public consuming func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        source.subscribe(with: object, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }
}
