extension ObservableType {
    /// Wraps each value in `.success`. An error is emitted as `.failure`, and the stream then completes.
    @inlinable
    public consuming func asResult() -> Observable<Result<Element, any Error>> {
        MapResult(asObservable(), { .success($0) }, { .failure($0) })
    }

    /// Like `asResult()`, but only for errors of type `Failure`. Any other error ends the stream.
    @inlinable
    public consuming func asResult<Failure: Error>(
        catching type: Failure.Type
    ) -> Observable<Result<Element, Failure>> {
        MapResult(
            asObservable(), { .success($0) },
            { error in
                guard let failure = error as? Failure else { throw error }
                return .failure(failure)
            })
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Emits the value as `.success`, or the error as `.failure`. The result never fails.
    @inlinable
    public consuming func asResult() -> Single<Result<Element, any Error>> {
        Single<Result<Element, any Error>>(raw: source.asResult())
    }

    /// Emits the value as `.success`, or an error of type `Failure` as `.failure`. Any other error is passed
    /// on.
    @inlinable
    public consuming func asResult<Failure: Error>(
        catching type: Failure.Type
    ) -> Single<Result<Element, Failure>> {
        Single<Result<Element, Failure>>(raw: source.asResult(catching: type))
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// Emits the value as `.success`, the error as `.failure`, or completes empty. The result never fails.
    @inlinable
    public consuming func asResult() -> Maybe<Result<Element, any Error>> {
        Maybe<Result<Element, any Error>>(raw: source.asResult())
    }

    /// Emits the value as `.success`, an error of type `Failure` as `.failure`, or completes empty. Any other
    /// error is passed on.
    @inlinable
    public consuming func asResult<Failure: Error>(
        catching type: Failure.Type
    ) -> Maybe<Result<Element, Failure>> {
        Maybe<Result<Element, Failure>>(raw: source.asResult(catching: type))
    }
}
