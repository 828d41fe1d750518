extension ObservableType {
    /// Merges the streams that `selector` returns for the values, with at most `maxConcurrent` subscribed at
    /// a time.
    ///
    /// Further values wait in an unbounded queue, and `selector` is called when their turn comes. In
    /// contrast, `concatMap` calls its selector when a value arrives, and `merge(maxConcurrent:)` queues
    /// existing streams. An error thrown by `selector` ends the stream. A limit below 1 fails with
    /// `RxError.argumentOutOfRange`.
    @inlinable
    @preconcurrency
    public consuming func flatMap<Source: ObservableConvertibleType>(
        maxConcurrent: Int, _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        guard maxConcurrent > 0 else { return .error(RxError.argumentOutOfRange) }
        return MergeLimited(
            asObservable(), maxConcurrent, { try selector($0).asObservable() }, MergeLimitedInner.self)
    }
}

extension InfallibleType {
    /// Merges the streams that `selector` returns for the values, with at most `maxConcurrent` subscribed at
    /// a time. Further values wait in an unbounded queue, and `selector` is called when their turn comes.
    @inlinable
    @preconcurrency
    public consuming func flatMap<Source: InfallibleType>(
        maxConcurrent: Int, _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().flatMap(maxConcurrent: maxConcurrent, selector))
    }
}
