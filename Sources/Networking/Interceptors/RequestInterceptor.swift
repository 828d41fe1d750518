public import Rx

/// Changes requests before they are sent, and says after a failure whether to send again (Alamofire's `RequestInterceptor`).
/// Both may take their time: they answer with a `Single`, which is disposed with the call and ends with the call's time.
///
/// Called on the call's own loop, of several in one `Interceptor` the later ones where the one before answered; with the
/// `CallContext` of the request that the call is made for. An interceptor that makes calls needs a provider of its own for
/// them: through the one that it intercepts they would wait for themselves.
public protocol RequestInterceptor: Sendable {
    /// The request that is sent instead. Asked before each time that a request is sent, but not for the attempts that the
    /// provider's own `CallRetryPolicy` makes in between. An error ends the call.
    func adapt(_ request: HTTPRequest) -> Single<HTTPRequest>

    /// What to do about a failure: no whole answer, or one whose status is 400 or more or does not pass the target's
    /// `validation`.
    ///
    /// - Parameters:
    ///   - request: as it was sent.
    ///   - retryCount: how often an interceptor had it sent again already; at most `CallPolicy.maxInterceptorRetries` times.
    func retry(_ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int) -> Single<RetryResult>
}

extension RequestInterceptor {
    public func adapt(_ request: HTTPRequest) -> Single<HTTPRequest> { .just(request) }

    public func retry(_ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int) -> Single<
        RetryResult
    > { .just(.doNotRetry) }
}

/// What an interceptor makes of a failure.
public enum RetryResult: Sendable {
    /// Send again, adapted anew.
    case retry
    /// The same after a time.
    case retryWithDelay(Duration)
    /// The outcome stands.
    case doNotRetry
    /// The call fails with this instead.
    case doNotRetryWithError(any Error)
}

/// Several interceptors as one, or one made of closures.
///
///     Interceptor(
///         adapt: { request in .just(request.setHeader("X-App", "7")) },
///         retry: { _, error, count in .just(error.reason == .connectionRefused && count < 2 ? .retry : .doNotRetry) })
public struct Interceptor: RequestInterceptor {
    /// `RequestInterceptor.adapt(_:)` as a closure.
    public typealias Adapt = @Sendable (HTTPRequest) -> Single<HTTPRequest>
    /// `RequestInterceptor.retry(_:dueTo:retryCount:)` as a closure.
    public typealias Retry = @Sendable (HTTPRequest, NetworkError, Int) -> Single<RetryResult>

    private let adapters: [Adapt]
    private let retriers: [Retry]

    /// Requests go through all in order; after a failure they are asked in order until one says something else than `doNotRetry`.
    public init(_ interceptors: [any RequestInterceptor]) {
        adapters = interceptors.map { interceptor in { interceptor.adapt($0) } }
        retriers = interceptors.map { interceptor in
            { interceptor.retry($0, dueTo: $1, retryCount: $2) }
        }
    }

    /// One made of closures; what is not given changes nothing and retries nothing.
    public init(adapt: Adapt? = nil, retry: Retry? = nil) {
        adapters = adapt.map { [$0] } ?? []
        retriers = retry.map { [$0] } ?? []
    }

    public func adapt(_ request: HTTPRequest) -> Single<HTTPRequest> {
        let context = CallContext.current
        return adapters.reduce(.just(request)) { adapted, adapt in
            adapted.flatMap { request in CallContext.$current.withValue(context) { adapt(request) } }
        }
    }

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
