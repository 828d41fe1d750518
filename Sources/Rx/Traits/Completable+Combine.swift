// Completables together: one after the other, or all at once.
extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
    /// Subscribes to `second` after the completion.
    @inlinable
    public consuming func concat(_ second: Completable) -> Completable {
        Completable(raw: source.concat(second))
    }

    /// Completes when all have, each subscribed to after the completion of the one before. The sequence is asked for one when
    /// that is due.
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

    /// Completes when all have, each subscribed to after the completion of the one before.
    @inlinable
    public static func concat<Sources: Collection & Sendable>(
        _ collection: Sources
    ) -> Completable where Sources.Element == Completable {
        Completable(raw: Concat(collection.map { $0.source }))
    }

    /// Completes when all have, each subscribed to after the completion of the one before.
    @inlinable
    public static func concat(_ sources: Completable...) -> Completable {
        concat(sources)
    }

    /// Completes when all have, which are subscribed to at once; the first error ends the others.
    @inlinable
    public static func merge<Sources: Collection>(
        _ sources: Sources
    ) -> Completable where Sources.Element == Completable {
        Completable(raw: MergeAll(sources.map { $0.source }))
    }

    /// Completes when all have, which are subscribed to at once; the first error ends the others.
    @inlinable
    public static func merge(_ sources: Completable...) -> Completable {
        merge(sources)
    }

    /// Completes when all have, which are subscribed to at once; the first error ends the others.
    @inlinable
    public static func zip<Sources: Collection>(
        _ sources: Sources
    ) -> Completable where Sources.Element == Completable {
        merge(sources)
    }

    /// Completes when all have, which are subscribed to at once; the first error ends the others.
    @inlinable
    public static func zip(_ sources: Completable...) -> Completable {
        merge(sources)
    }
}

extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
    /// Subscribes handlers that get `object` as long as it lives; it is not kept alive.
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
