extension ObservableType {
    /// The values as successes, and an error as a failure, after which the stream completes: it does not fail.
    @inlinable
    public consuming func asResult() -> Observable<Result<Element, any Error>> {
        MapResult(asObservable(), { .success($0) }, { .failure($0) })
    }

    /// The values as successes, and an error of type `Failure` as a failure, after which the stream completes. Other errors
    /// pass.
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
    /// The value as a success, or the error as a failure: it does not fail.
    @inlinable
    public consuming func asResult() -> Single<Result<Element, any Error>> {
        Single<Result<Element, any Error>>(raw: source.asResult())
    }

    /// The value as a success, or an error of type `Failure` as a failure. Other errors pass.
    @inlinable
    public consuming func asResult<Failure: Error>(
        catching type: Failure.Type
    ) -> Single<Result<Element, Failure>> {
        Single<Result<Element, Failure>>(raw: source.asResult(catching: type))
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// The value as a success, or the error as a failure, or nothing: it does not fail.
    @inlinable
    public consuming func asResult() -> Maybe<Result<Element, any Error>> {
        Maybe<Result<Element, any Error>>(raw: source.asResult())
    }

    /// The value as a success, or an error of type `Failure` as a failure, or nothing. Other errors pass.
    @inlinable
    public consuming func asResult<Failure: Error>(
        catching type: Failure.Type
    ) -> Maybe<Result<Element, Failure>> {
        Maybe<Result<Element, Failure>>(raw: source.asResult(catching: type))
    }
}
