/// The part of a request that could not be built.
public enum RequestPart: String, Sendable, Hashable {
    /// Base URL, path or query as they were written.
    case url
    /// A field with a name or value that is none, or one that is the transport's.
    case headers
    /// Parameters that their encoding cannot write.
    case parameters
    /// A body that its encoder refused, or a file that cannot be read.
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

    /// The target's base URL is invalid. The message may reach a client: only the underlying error has the address.
    init(_ error: Upstream.InvalidBaseURL) {
        self.init(.url, "the address of the upstream is invalid", underlying: error)
    }
}
