// Completables in sequence or at once.
extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
    /// Subscribes to `second` when this one completes.
    @inlinable
    public consuming func concat(_ second: Completable) -> Completable {
        Completable(raw: source.concat(second))
    }

    /// Subscribes to each completable when the one before completes, and completes when all have. The sequence is iterated as
    /// needed.
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

    /// Subscribes to each completable when the one before completes, and completes when all have.
    @inlinable
    public static func concat<Sources: Collection & Sendable>(
        _ collection: Sources
    ) -> Completable where Sources.Element == Completable {
        Completable(raw: Concat(collection.map { $0.source }))
    }

    /// Subscribes to each completable when the one before completes, and completes when all have.
    @inlinable
    public static func concat(_ sources: Completable...) -> Completable {
        concat(sources)
    }

    /// Subscribes to all completables at once, and completes when all have. The first error ends the others.
    @inlinable
    public static func merge<Sources: Collection>(
        _ sources: Sources
    ) -> Completable where Sources.Element == Completable {
        Completable(raw: MergeAll(sources.map { $0.source }))
    }

    /// Subscribes to all completables at once, and completes when all have. The first error ends the others.
    @inlinable
    public static func merge(_ sources: Completable...) -> Completable {
        merge(sources)
    }

    /// Subscribes to all completables at once, and completes when all have. The first error ends the others.
    @inlinable
    public static func zip<Sources: Collection>(
        _ sources: Sources
    ) -> Completable where Sources.Element == Completable {
        merge(sources)
    }

    /// Subscribes to all completables at once, and completes when all have. The first error ends the others.
    @inlinable
    public static func zip(_ sources: Completable...) -> Completable {
        merge(sources)
    }
}

extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
    /// Subscribes handlers that are called with `object` while it lives. The subscription does not keep it alive.
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
