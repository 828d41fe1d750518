import HTTPModel

/// Sees what a provider does, and may change what it sends and gives (Moya's `PluginType`). Called on the call's own loop,
/// inline: be quick, block nothing. What takes its time is a `RequestInterceptor`'s.
public protocol PluginType: Sendable {
    /// The request that is sent instead. Before interceptors are asked.
    func prepare(_ request: HTTPRequest, for call: TransportCall) -> HTTPRequest

    /// An attempt is about to be sent; the first is 1.
    func willSend(_ call: TransportCall, attempt: Int)

    /// A request ended with a response of whatever status, or without one: once, after all attempts of the provider's retry
    /// policy, for each time that an interceptor or a redirect had it sent; not for a call that was disposed.
    func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall)

    /// An answer was read as a failure: by its status, its envelope or its shape. Beside `didReceive`.
    func didFail(_ error: NetworkError, call: TransportCall)

    /// What the call gives instead. Last, once a call.
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
/// A token that runs out, and is to be got anew, is `AuthenticationInterceptor`'s.
public struct AccessTokenPlugin: PluginType {
    private let scheme: String
    private let token: @Sendable () -> String?

    /// A token that is asked for anew with each request.
    ///
    /// - Parameters:
    ///   - scheme: what stands before the token in `Authorization` (RFC 9110 11.4). Default `Bearer`.
    ///   - token: asked for each request; nil sends none.
    public init(scheme: String = "Bearer", token: @escaping @Sendable () -> String?) {
        self.scheme = scheme
        self.token = token
    }

    public func prepare(_ request: HTTPRequest, for call: TransportCall) -> HTTPRequest {
        guard let token = token() else { return request }
        return request.setHeader(.authorization, "\(scheme) \(token)")
    }
}
