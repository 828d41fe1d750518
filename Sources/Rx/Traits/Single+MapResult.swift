extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Transforms the value with `success` or the error with `failure`, in one step. The result never fails.
    @inlinable
    @preconcurrency
    public consuming func mapResult<Mapped: Sendable>(
        success: @escaping @Sendable (Element) -> Mapped, failure: @escaping @Sendable (any Error) -> Mapped
    ) -> Single<Mapped> {
        Single<Mapped>(raw: MapResult(takeSource(), success, failure))
    }
}

// Sound: it adds only constants.
@usableFromInline
final class MapResult<In: Sendable, Out: Sendable>: Operator<In, Out>, @unchecked Sendable {
    private let success: @Sendable (In) -> Out
    /// An error it throws is passed on.
    private let failure: @Sendable (any Error) throws -> Out

    @usableFromInline
    init(
        _ source: consuming Observable<In>?, _ success: @escaping @Sendable (In) -> Out,
        _ failure: @escaping @Sendable (any Error) throws -> Out
    ) {
        self.success = success
        self.failure = failure
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, success, failure)
    }

    override func next(_ value: In) {
        down.next(success(value))
    }

    override func last(_ value: In) {
        down.last(success(value))
    }

    override func error(_ error: any Error) {
        let result: Out
        do {
            result = try failure(error)
        } catch {
            return down.error(error)
        }
        down.last(result)
    }
}
