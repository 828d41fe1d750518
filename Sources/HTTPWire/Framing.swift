/// What a request's head says about the rest of the message and the connection (RFC 9112 6, 9).
public struct RequestFraming: Sendable, Hashable {
    public enum Body: Sendable, Hashable {
        case none
        /// So many bytes. What no Int holds is told as `Int.max`, beyond any limit.
        case length(Int)
        case chunked
    }

    public let body: Body
    /// The client waits for 100 before it sends the body. Never true on HTTP/1.0.
    public let expectsContinue: Bool
    /// The connection may serve another request: HTTP/1.1 and no `Connection: close`.
    public let keepAlive: Bool
    /// `Connection` names other fields than itself, which belong to this hop.
    public let namesHopFields: Bool
}

/// What a response's head says about the rest of the message and the connection (RFC 9112 6, 9).
public struct ResponseFraming: Sendable, Hashable {
    public enum Body: Sendable, Hashable {
        case none
        case length(Int)
        case chunked
        /// Everything up to the end of the connection.
        case untilClose
    }

    public let body: Body
    /// The connection may carry another request once this response is whole.
    public let keepAlive: Bool
    /// Content-Encoding is among the fields, and there may be content.
    public let hasContentCoding: Bool
    /// `timeout` of Keep-Alive: seconds that the server keeps the idle connection open.
    public let keepAliveTimeout: Int?
    /// `max` of Keep-Alive: requests that the server still takes on the connection.
    public let keepAliveMaximum: Int?
}
