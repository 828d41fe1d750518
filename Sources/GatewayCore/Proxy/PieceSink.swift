/// Takes the pieces of an upstream's response as they arrive.
package protocol PieceSink: AnyObject, Sendable {
    /// Takes a piece, which is valid during the call only.
    func received(_ piece: UnsafeRawBufferPointer)

    /// The response is complete, or this error ended it early. Called once.
    func ended(_ error: (any Error)?)
}
