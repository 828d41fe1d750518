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
}
