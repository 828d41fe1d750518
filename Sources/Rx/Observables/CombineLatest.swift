extension ObservableType {
    /// Combines the last values of one or more sources whenever one of them sends a value and all have sent
    /// one.
    @inlinable
    @_disfavoredOverload
    @preconcurrency
    public static func combineLatest<
        First: ObservableConvertibleType, each Source: ObservableConvertibleType
    >(
        _ first: First, _ source: repeat each Source,
        resultSelector: @escaping @Sendable (First.Element, repeat (each Source).Element) throws -> Element
    ) -> Observable<Element> {
        JoinPack<Element, First.Element, repeat (each Source).Element>(
            JoinSlot(first.asObservable()), repeat JoinSlot((each source).asObservable()),
            endsWithoutPartners: true, selector: resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// Sends the last values of one or more sources as a tuple whenever one of them sends a value and all
    /// have sent one.
    @inlinable
    @_disfavoredOverload
    public static func combineLatest<
        First: ObservableConvertibleType, each Source: ObservableConvertibleType
    >(
        _ first: First, _ source: repeat each Source
    ) -> Observable<(First.Element, repeat (each Source).Element)> {
        Observable<(First.Element, repeat (each Source).Element)>.combineLatest(first, repeat each source) {
            (first: First.Element, rest: repeat (each Source).Element) in (first, repeat each rest)
        }
    }
}
