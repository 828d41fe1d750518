/// The body of a request that arrives from elsewhere, such as from a gateway's client. It can be sent once,
/// and reading it blocks no thread. `cancel` says that it is complete, or that the rest of it is not wanted.
package protocol ArrivingBody: BodySource, PieceSource {
    /// Whether to send `Expect: 100-continue` (RFC 9110 10.1.1): nothing is read until the upstream wants the
    /// body.
    var expectsContinue: Bool { get }
}

/// The error of a transport that can send only bodies that are in memory or block.
struct BodyCannotBlock: Error, CustomStringConvertible {
    var description: String { "the body arrives from elsewhere, so it cannot be read in one go" }
}

extension ArrivingBody {
    package func open() throws -> any BodyReader { throw BodyCannotBlock() }
}
