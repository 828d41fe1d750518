/// What a request's head says about its body and the connection (RFC 9112 6, 9).
public struct RequestFraming: Sendable, Hashable {
    /// How the body of a request is delimited.
    public enum Body: Sendable, Hashable {
        case none
        /// In bytes. A length above `Int.max` becomes `Int.max`, which exceeds every limit.
        case length(Int)
        case chunked
    }

    /// How the body is delimited.
    public let body: Body
    /// Whether the client waits for a 100 before it sends the body. False on HTTP/1.0.
    public let expectsContinue: Bool
    /// Whether the connection may serve another request: HTTP/1.1 without `Connection: close`.
    public let keepAlive: Bool
    /// Whether `Connection` names further hop-by-hop fields.
    public let namesHopFields: Bool
}

/// What a response's head says about its body and the connection (RFC 9112 6, 9).
public struct ResponseFraming: Sendable, Hashable {
    /// How the body of a response is delimited.
    public enum Body: Sendable, Hashable {
        case none
        case length(Int)
        case chunked
        /// The connection's end ends the body.
        case untilClose
    }

    /// How the body is delimited.
    public let body: Body
    /// Whether the connection can serve another request.
    public let keepAlive: Bool
    /// Whether Content-Encoding is present and the response may have content.
    public let hasContentCoding: Bool
    /// `timeout` of Keep-Alive: how many seconds the server keeps an idle connection open.
    public let keepAliveTimeout: Int?
    /// `max` of Keep-Alive: how many more requests the server accepts on the connection.
    public let keepAliveMaximum: Int?
    /// Whether the server may attribute further requests on the connection to one user (RFC 4559 6).
    public let logsInConnection: Bool
    /// The rules that the head broke without harm.
    public let tolerated: ToleratedFaults
}
