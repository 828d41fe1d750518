public import Rx

/// Adapts requests before they are sent and decides after a failure whether to send them again (Alamofire's
/// `RequestInterceptor`). Both methods may take time: their `Single` is disposed with the call and limited by
/// its total time.
///
/// Both are called on the call's loop, in the `CallContext` of the incoming request; later interceptors of an
/// `Interceptor` run where the previous one delivered. An interceptor that makes calls needs its own
/// provider, because calls through the intercepted one would wait for themselves.
public protocol RequestInterceptor: Sendable {
    /// Returns the request to send instead. Called every time the request is sent, except for the attempts
    /// that `CallRetryPolicy` repeats in between. An error ends the call.
    func adapt(_ request: HTTPRequest) -> Single<HTTPRequest>

    /// Decides about a failure: no complete response, a status from 400 on, or one that the target does not
    /// accept.
    ///
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - error: the failure.
    ///   - retryCount: how often interceptors have already sent the request again, at most
    ///     `CallPolicy.maxInterceptorRetries`.
    func retry(_ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int) -> Single<RetryResult>
}

extension RequestInterceptor {
    /// Default: the request unchanged.
    public func adapt(_ request: HTTPRequest) -> Single<HTTPRequest> { .just(request) }

    /// Default: no further attempt.
    public func retry(_ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int) -> Single<
        RetryResult
    > { .just(.doNotRetry) }
}

/// An interceptor's decision about a failure.
public enum RetryResult: Sendable {
    /// Adapt the request again and send it.
    case retry
    /// Adapt the request again and send it after a delay.
    case retryWithDelay(Duration)
    /// The failure stands.
    case doNotRetry
    /// The call fails with this error instead.
    case doNotRetryWithError(any Error)
}

/// Combines several interceptors, or makes one from closures.
///
///     Interceptor(
///         adapt: { request in .just(request.setHeader("X-App", "7")) },
///         retry: { _, error, count in
///             .just(error.reason == .connectionRefused && count < 2 ? .retry : .doNotRetry)
///         })
public struct Interceptor: RequestInterceptor {
    /// `RequestInterceptor.adapt(_:)` as a closure.
    public typealias Adapt = @Sendable (HTTPRequest) -> Single<HTTPRequest>
    /// `RequestInterceptor.retry(_:dueTo:retryCount:)` as a closure.
    public typealias Retry = @Sendable (HTTPRequest, NetworkError, Int) -> Single<RetryResult>

    private let adapters: [Adapt]
    private let retriers: [Retry]

    /// Combines interceptors. All adapt the request in order. The first decision other than `doNotRetry`
    /// counts.
    public init(_ interceptors: [any RequestInterceptor]) {
        adapters = interceptors.map { interceptor in { interceptor.adapt($0) } }
        retriers = interceptors.map { interceptor in
            { interceptor.retry($0, dueTo: $1, retryCount: $2) }
        }
    }

    /// Makes an interceptor from closures. A missing closure leaves requests unchanged or retries nothing.
    public init(adapt: Adapt? = nil, retry: Retry? = nil) {
        adapters = adapt.map { [$0] } ?? []
        retriers = retry.map { [$0] } ?? []
    }

    /// Returns what the closure makes of the request.
    public func adapt(_ request: HTTPRequest) -> Single<HTTPRequest> {
        let context = CallContext.current
        return adapters.reduce(.just(request)) { adapted, adapt in
            adapted.flatMap { request in CallContext.$current.withValue(context) { adapt(request) } }
        }
    }

    /// Returns what the closure decides about the failure.
    public func retry(_ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int) -> Single<
        RetryResult
    > {
        let context = CallContext.current
        return retriers.reduce(.just(.doNotRetry)) { answer, retry in
            answer.flatMap { answer in
                guard case .doNotRetry = answer else { return .just(answer) }
                return CallContext.$current.withValue(context) { retry(request, error, retryCount) }
            }
        }
    }
}
