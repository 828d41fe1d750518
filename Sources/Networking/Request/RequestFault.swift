/// The part of a request that could not be built.
public enum RequestPart: String, Sendable, Hashable {
    /// The base URL, the path or the query in it.
    case url
    /// A header with an invalid name or value, or one that only the transport sets.
    case headers
    /// Parameters that their encoding cannot write.
    case parameters
    /// A body that its encoder rejected, or a file that cannot be read.
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

    /// Creates the fault of an invalid base URL. Clients may see the message, so only the underlying error
    /// contains the URL.
    init(_ error: Upstream.InvalidBaseURL) {
        self.init(.url, "the address of the upstream is invalid", underlying: error)
    }
}
