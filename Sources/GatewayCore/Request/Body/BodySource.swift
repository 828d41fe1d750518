/// Gives the body of a request as it arrives. Used from any thread, by one reader.
package protocol BodySource: AnyObject, Sendable {
    /// Requests the next piece; one request at a time. `receive` is called once, unless `cancel` comes first: on any
    /// thread, possibly inside this call.
    func read(_ receive: @escaping @Sendable (BodyPiece) -> Void)

    /// Forgets the pending request. The body is not read any more.
    func cancel()
}

/// A piece of a request's body, or its end.
package enum BodyPiece: Sendable {
    /// Not empty.
    case bytes(ArraySlice<UInt8>)
    case end
    /// A `GatewayError` if the server refused the body, a `CancellationError` if the request is over.
    case failed(any Error)
}
