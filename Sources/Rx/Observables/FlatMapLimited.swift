extension ObservableType {
    /// The values of the streams that `selector` makes of the values, at most `maxConcurrent` streams at a time. The other
    /// values wait in their order, without bound, and `selector` is called when it is their turn, so that no work is made
    /// before there is room for it. What it throws is the stream's error; a limit below 1 is `RxError.argumentOutOfRange`.
    ///
    /// `concatMap` and `merge(maxConcurrent:)` differ in that: there it is the streams, made already, that wait.
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
    /// The values of the streams that `selector` makes of the values, at most `maxConcurrent` streams at a time. The other
    /// values wait in their order, without bound, and `selector` is called when it is their turn.
    @inlinable
    @preconcurrency
    public consuming func flatMap<Source: InfallibleType>(
        maxConcurrent: Int, _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(raw: asObservable().flatMap(maxConcurrent: maxConcurrent, selector))
    }
}
