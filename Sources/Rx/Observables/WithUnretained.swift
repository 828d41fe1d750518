extension ObservableType {
    /// Combines `object` with each value by `resultSelector`, without retaining `object`. The stream
    /// completes at the first value after `object` was deallocated.
    @inlinable
    @preconcurrency
    public consuming func withUnretained<Object: AnyObject & Sendable, Out: Sendable>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Observable<Out> {
        WithUnretained(asObservable(), object, resultSelector)
    }

    /// Pairs each value with `object`, like `withUnretained(_:resultSelector:)`.
    @inlinable
    public consuming func withUnretained<Object: AnyObject & Sendable>(
        _ object: Object
    ) -> Observable<(Object, Element)> {
        withUnretained(object) { ($0, $1) }
    }
}

// Sound: it adds only constants.
@usableFromInline
final class WithUnretained<Object: AnyObject & Sendable, In: Sendable, Out: Sendable>:
    StatefulOperator<In, Out>, @unchecked Sendable
{
    private weak let object: Object?
    private let resultSelector: @Sendable (Object, In) -> Out

    @usableFromInline
    init(
        _ source: consuming Observable<In>?, _ object: Object?,
        _ resultSelector: @escaping @Sendable (Object, In) -> Out
    ) {
        self.object = object
        self.resultSelector = resultSelector
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, object, resultSelector)
    }

    override func next(_ value: In) {
        guard !upstream.isClosed else { return }
        guard let object else { return completed() }
        down.next(resultSelector(object, value))
    }

    override func last(_ value: In) {
        guard let object else { return completed() }
        finish(with: resultSelector(object, value))
    }
}
