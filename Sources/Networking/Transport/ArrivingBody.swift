/// The body of a request that arrives from elsewhere, such as from a gateway's client. It can be sent once, and reading it blocks no
/// thread.
package protocol ArrivingBody: BodySource {
    /// Whether to send `Expect: 100-continue` (RFC 9110 10.1.1): nothing is read until the upstream wants the body.
    var expectsContinue: Bool { get }

    /// Requests the next piece; one request at a time. `receive` is called once with it, with nil at the end, or with the error that
    /// ends the body early: on any thread, possibly inside this call.
    func read(_ receive: @escaping @Sendable (Result<ArraySlice<UInt8>?, any Error>) -> Void)

    /// The body is complete, or the rest of it is not wanted. A pending request is not answered any more.
    func close()
}

/// The error of a transport that can send only bodies that are in memory or block.
struct BodyCannotBlock: Error, CustomStringConvertible {
    var description: String { "the body arrives from elsewhere, so it cannot be read in one go" }
}

extension ArrivingBody {
    package func open() throws -> any BodyReader { throw BodyCannotBlock() }
}
