public import Rx

/// The outcome of a call as a value, so that a stream delivers failures as elements and a screen can switch
/// over them. Failing cases carry the complete error; `case .pathErr:` matches without binding it.
public enum NetworkResult<Value> {
    /// 2xx with the requested data.
    case success(Value)
    /// The upstream sent no content.
    case noContent
    /// 4xx. `payload` and `upstreamMessage` of the error are from the upstream.
    case requestErr(NetworkError)
    /// An unusable response: malformed, of an unexpected shape, or with an unexpected status.
    case pathErr(NetworkError)
    /// 5xx, a status above 599, or a failing status in the envelope of a 2xx.
    case serverErr(NetworkError)
    /// No complete response.
    case networkFail(NetworkError)

    /// Creates the case for the error's kind.
    public init(_ error: NetworkError) {
        switch error.kind {
        case .noContent: self = .noContent
        case .requestErr: self = .requestErr(error)
        case .serverErr: self = .serverErr(error)
        case .networkFail: self = .networkFail(error)
        // The kind of an error is never `success`.
        case .pathErr, .success: self = .pathErr(error)
        }
    }

    /// The case without its value, for metric labels.
    public var kind: OutcomeKind {
        switch self {
        case .success: .success
        case .noContent: .noContent
        case .requestErr: .requestErr
        case .pathErr: .pathErr
        case .serverErr: .serverErr
        case .networkFail: .networkFail
        }
    }

    /// The value of a success, else nil.
    public var value: Value? {
        if case .success(let value) = self { value } else { nil }
    }

    /// The error; nil for `success` and `noContent`.
    public var error: NetworkError? {
        switch self {
        case .success, .noContent: nil
        case .requestErr(let error), .pathErr(let error), .serverErr(let error), .networkFail(let error):
            error
        }
    }

    /// Transforms the value of a success.
    public func map<Result>(_ transform: (Value) throws -> Result) rethrows -> NetworkResult<Result> {
        switch self {
        case .success(let value): .success(try transform(value))
        case .noContent: .noContent
        case .requestErr(let error): .requestErr(error)
        case .pathErr(let error): .pathErr(error)
        case .serverErr(let error): .serverErr(error)
        case .networkFail(let error): .networkFail(error)
        }
    }
}

extension NetworkResult: Sendable where Value: Sendable {}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Delivers the outcome as a value. A `NetworkError` becomes an element; other errors still end the
    /// stream.
    public consuming func asNetworkResult() -> Single<NetworkResult<Element>> {
        map { NetworkResult.success($0) }.catch { error in
            guard let error = error as? NetworkError else { throw error }
            return .just(NetworkResult(error))
        }
    }
}

extension ObservableType {
    /// Delivers the outcome as a value. A `NetworkError` becomes an element; other errors still end the
    /// stream.
    public consuming func asNetworkResult() -> Observable<NetworkResult<Element>> {
        map { NetworkResult.success($0) }.catch { error in
            guard let error = error as? NetworkError else { throw error }
            return .just(NetworkResult(error))
        }
    }
}
