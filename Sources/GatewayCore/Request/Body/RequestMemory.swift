package import Networking

/// The memory of a large request body, charged to a limit of the server until this object is released.
/// Whoever keeps the body, or something made of it, keeps this too.
package protocol RequestMemory: AnyObject, Sendable {
    /// Charges more, for what is made of the body. Returns false, and charges nothing, if that exceeds the
    /// limit.
    func grow(by count: Int) -> Bool
}

/// A body whose collected pieces, and whose decoder, count.
package protocol CountedSource: PieceSource {
    /// Returns the memory for what a reader collects of the body.
    func makeMemory() -> (any RequestMemory)?

    /// Takes one of the places of the process for decoders of br, until the object is released. Returns nil
    /// if the client has its share.
    func takeBrotliPlace() -> (any AnyObject & Sendable)?
}
