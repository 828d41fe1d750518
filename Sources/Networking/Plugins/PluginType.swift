import HTTPModel

/// Observes a provider's calls and may change requests and results (Moya's `PluginType`). Runs inline on the
/// call's loop: be quick and do not block. For work that takes time, use a `RequestInterceptor`.
public protocol PluginType: Sendable {
    /// Returns the request to send instead. Called before interceptors.
    func prepare(_ request: HTTPRequest, for call: TransportCall) -> HTTPRequest

    /// Announces that an attempt is about to be sent. The first is number 1.
    func willSend(_ call: TransportCall, attempt: Int)

    /// Reports the result of a request: a response of any status, or none. Called each time the provider, an
    /// interceptor or a redirect sends the request, after all attempts of the retry policy. Skips disposed
    /// calls.
    func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall)

    /// Reports a response read as a failure because of its status, envelope or shape, in addition to
    /// `didReceive`.
    func didFail(_ error: NetworkError, call: TransportCall)

    /// Returns the result of the call instead. Called last, once for each call.
    func process(_ result: Result<Response, NetworkError>, for call: TransportCall) -> Result<
        Response, NetworkError
    >
}

extension PluginType {
    /// Default: the request unchanged.
    public func prepare(_ request: HTTPRequest, for call: TransportCall) -> HTTPRequest { request }
    /// Default: nothing.
    public func willSend(_ call: TransportCall, attempt: Int) {}
    /// Default: nothing.
    public func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {}
    /// Default: nothing.
    public func didFail(_ error: NetworkError, call: TransportCall) {}
    /// Default: the result unchanged.
    public func process(_ result: Result<Response, NetworkError>, for call: TransportCall) -> Result<
        Response, NetworkError
    > { result }
}

/// Sends a token with each request (Moya's `AccessTokenPlugin`).
///
///     Provider<TagAPI>(plugins: [AccessTokenPlugin { keychain.token }])
///
/// For a token that expires and is refreshed, use `AuthenticationInterceptor`.
public struct AccessTokenPlugin: PluginType {
    private let scheme: String
    private let token: @Sendable () -> String?

    /// Creates a plugin that asks for the token before each request.
    ///
    /// - Parameters:
    ///   - scheme: the scheme before the token in `Authorization` (RFC 9110 11.4). Default `Bearer`.
    ///   - token: returns the token; nil sends none.
    public init(scheme: String = "Bearer", token: @escaping @Sendable () -> String?) {
        self.scheme = scheme
        self.token = token
    }

    /// Adds the token, if there is one.
    public func prepare(_ request: HTTPRequest, for call: TransportCall) -> HTTPRequest {
        guard let token = token() else { return request }
        return request.setHeader(.authorization, "\(scheme) \(token)")
    }
}
