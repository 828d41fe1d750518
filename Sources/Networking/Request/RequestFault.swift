/// The part of a request that could not be built.
public enum RequestPart: String, Sendable, Hashable {
    /// The base URL, the path or the path's query. Also the method CONNECT, whose target is not a path.
    case url
    /// A header with an invalid name or value, or one that only the transport sets.
    case headers
    /// Parameters that their encoding cannot write.
    case parameters
    /// A body that its encoder rejected, or an unreadable file.
    case body
}

/// Why a request could not be built. Nothing was sent.
struct RequestFault: Error, Sendable {
    let part: RequestPart
    let message: String
    let underlying: (any Error)?

    init(_ part: RequestPart, _ message: String, underlying: (any Error)? = nil) {
        self.part = part
        self.message = message
        self.underlying = underlying
    }

    /// Creates the fault of an invalid base URL. Only the underlying error contains the URL: clients may see
    /// the message.
    init(_ error: Upstream.InvalidBaseURL) {
        self.init(.url, "the address of the upstream is invalid", underlying: error)
    }
}
