import HTTPModel

/// Observes a provider's calls and may change requests and results (Moya's `PluginType`). Called inline on
/// the call's loop: be quick and do not block. Use a `RequestInterceptor` for work that takes time.
public protocol PluginType: Sendable {
    /// Returns the request to send instead. Called before interceptors.
    func prepare(_ request: HTTPRequest, for call: TransportCall) -> HTTPRequest

    /// An attempt is about to be sent. The first is number 1.
    func willSend(_ call: TransportCall, attempt: Int)

    /// A request ended with a response of any status, or without one. Called after all attempts of the retry
    /// policy, each time that a request is sent by the provider, an interceptor or a redirect. Not called for
    /// a disposed call.
    func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall)

    /// A response was read as a failure because of its status, envelope or shape. Called in addition to
    /// `didReceive`.
    func didFail(_ error: NetworkError, call: TransportCall)

    /// Returns the result of the call instead. Called last, once for each call.
    func process(_ result: Result<Response, NetworkError>, for call: TransportCall) -> Result<
        Response, NetworkError
    >
}

extension PluginType {
    public func prepare(_ request: HTTPRequest, for call: TransportCall) -> HTTPRequest { request }
    public func willSend(_ call: TransportCall, attempt: Int) {}
    public func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {}
    public func didFail(_ error: NetworkError, call: TransportCall) {}
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

    /// Creates a plugin that asks for the token with each request.
    ///
    /// - Parameters:
    ///   - scheme: the scheme before the token in `Authorization` (RFC 9110 11.4). Default `Bearer`.
    ///   - token: returns the token; nil sends none.
    public init(scheme: String = "Bearer", token: @escaping @Sendable () -> String?) {
        self.scheme = scheme
        self.token = token
    }

    public func prepare(_ request: HTTPRequest, for call: TransportCall) -> HTTPRequest {
        guard let token = token() else { return request }
        return request.setHeader(.authorization, "\(scheme) \(token)")
    }
}
