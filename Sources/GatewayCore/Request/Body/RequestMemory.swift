package import Networking

/// The memory of a large request body, charged to a limit of the server until this object is released. Whoever keeps the body, or
/// something made of it, keeps this too.
package protocol RequestMemory: AnyObject, Sendable {
    /// Charges more, for what is made of the body. Returns false, and charges nothing, if there is no room.
    func grow(by count: Int) -> Bool
}

/// A body whose collected pieces count.
package protocol CountedSource: PieceSource {
    /// Returns the memory for what a reader collects of the body.
    func makeMemory() -> (any RequestMemory)?
}
