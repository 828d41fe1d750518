/// What a request's head says about its body and about the connection (RFC 9112 6, 9).
public struct RequestFraming: Sendable, Hashable {
    public enum Body: Sendable, Hashable {
        case none
        /// That many bytes. A length beyond `Int` is `Int.max`, which is beyond every limit.
        case length(Int)
        case chunked
    }

    public let body: Body
    /// Whether the client waits for a 100 before it sends the body. Never on HTTP/1.0.
    public let expectsContinue: Bool
    /// Whether the connection may serve another request: HTTP/1.1 without `Connection: close`.
    public let keepAlive: Bool
    /// Whether `Connection` names fields, which then belong to this hop.
    public let namesHopFields: Bool
}

/// What a response's head says about its body and about the connection (RFC 9112 6, 9).
public struct ResponseFraming: Sendable, Hashable {
    public enum Body: Sendable, Hashable {
        case none
        case length(Int)
        case chunked
        /// Everything up to the end of the connection.
        case untilClose
    }

    public let body: Body
    /// Whether the connection may carry another request after this response.
    public let keepAlive: Bool
    /// Whether the fields have Content-Encoding and the response may have content.
    public let hasContentCoding: Bool
    /// `timeout` of Keep-Alive: how many seconds the server keeps the idle connection open.
    public let keepAliveTimeout: Int?
    /// `max` of Keep-Alive: how many more requests the server accepts on the connection.
    public let keepAliveMaximum: Int?
}
