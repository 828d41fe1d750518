public import Rx

/// What became of a call, as a value: an answer on the way of values, so that a screen can switch over it.
///
/// The failing cases carry the whole error; `case .pathErr:` matches without naming it.
public enum NetworkResult<Value> {
    /// 2xx with what was asked for.
    case success(Value)
    /// The upstream answered that there is nothing.
    case noContent
    /// 4xx; `payload` and `upstreamMessage` of the error are what the upstream said.
    case requestErr(NetworkError)
    /// An answer that is none.
    case pathErr(NetworkError)
    /// 5xx, or a failing status inside a 2xx.
    case serverErr(NetworkError)
    /// No whole answer.
    case networkFail(NetworkError)

    /// A failure as the case of its kind.
    public init(_ error: NetworkError) {
        switch error.kind {
        case .noContent: self = .noContent
        case .requestErr: self = .requestErr(error)
        case .serverErr: self = .serverErr(error)
        case .networkFail: self = .networkFail(error)
        // An error is never a success.
        case .pathErr, .success: self = .pathErr(error)
        }
    }

    /// The case alone, fit for a metric's label.
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

    /// Nil for all but a success.
    public var value: Value? {
        if case .success(let value) = self { value } else { nil }
    }

    /// Nil for a success and for `noContent`.
    public var error: NetworkError? {
        switch self {
        case .success, .noContent: nil
        case .requestErr(let error), .pathErr(let error), .serverErr(let error), .networkFail(let error):
            error
        }
    }

    /// The same outcome with another value.
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
    /// The outcome as a value: never fails with a `NetworkError`. Other errors pass.
    public consuming func asNetworkResult() -> Single<NetworkResult<Element>> {
        map { NetworkResult.success($0) }.catch { error in
            guard let error = error as? NetworkError else { throw error }
            return .just(NetworkResult(error))
        }
    }
}

extension ObservableType {
    /// The outcome as a value: never fails with a `NetworkError`. Other errors pass.
    public consuming func asNetworkResult() -> Observable<NetworkResult<Element>> {
        map { NetworkResult.success($0) }.catch { error in
            guard let error = error as? NetworkError else { throw error }
            return .just(NetworkResult(error))
        }
    }
}
