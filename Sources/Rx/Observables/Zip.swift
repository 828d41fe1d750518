extension ObservableType {
    /// Combines the first values of one or more sources, then the second ones, and so on. Completes when all
    /// sources have. Values that wait for other sources are queued without limit.
    @inlinable
    @_disfavoredOverload
    @preconcurrency
    public static func zip<First: ObservableConvertibleType, each Source: ObservableConvertibleType>(
        _ first: First, _ source: repeat each Source,
        resultSelector: @escaping @Sendable (First.Element, repeat (each Source).Element) throws -> Element
    ) -> Observable<Element> {
        JoinPack<Element, First.Element, repeat (each Source).Element>(
            JoinSlot.queued(first.asObservable()), repeat JoinSlot.queued((each source).asObservable()),
            endsWithoutPartners: false, selector: resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// Sends the first values of one or more sources as a tuple, then the second ones, and so on.
    @inlinable
    @_disfavoredOverload
    public static func zip<First: ObservableConvertibleType, each Source: ObservableConvertibleType>(
        _ first: First, _ source: repeat each Source
    ) -> Observable<(First.Element, repeat (each Source).Element)> {
        Observable<(First.Element, repeat (each Source).Element)>.zip(first, repeat each source) {
            (first: First.Element, rest: repeat (each Source).Element) in (first, repeat each rest)
        }
    }
}
