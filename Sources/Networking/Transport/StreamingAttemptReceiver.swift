/// Who wants to hear of an attempt before its end. Called on the attempt's loop, inline.
public protocol StreamingAttemptReceiver: AttemptReceiver {
    /// So many bytes of the request's body have been handed to the system.
    ///
    /// - Parameters:
    ///   - bytes: of the body so far.
    ///   - total: nil where the body's length is not known beforehand.
    func attemptSent(_ bytes: Int64, of total: Int64?)

    /// The head of the final response is there, and its body is about to come: in which form is to be said.
    ///
    /// - Parameters:
    ///   - head: with an empty body.
    ///   - flow: holds the body back, from now to the end of the attempt.
    func attemptStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm

    /// A piece of a body that was asked for in pieces, content codings undone. Valid during the call.
    func attemptReceived(_ piece: UnsafeRawBufferPointer)

    /// So many bytes of a body have come, whatever form was asked for, content codings undone.
    ///
    /// - Parameters:
    ///   - bytes: of the body so far.
    ///   - total: nil where the response does not tell its length, or is in a content coding.
    func attemptReceived(_ bytes: Int64, of total: Int64?)
}

/// What becomes of a response's body.
public enum BodyForm: Sendable, Hashable {
    /// In memory, within the transport's limit: the response has it.
    case whole
    /// As it comes, in pieces, without a limit of size. The response has an empty body.
    case pieces
    /// In a file, without a limit of size. It has that name when it is whole, and no file is left behind when it is not. The
    /// response has an empty body.
    case file(path: String)
}

/// Holds a response's body back, so that no more of it has to be kept than is wanted. From any thread.
public protocol FlowControl: AnyObject, Sendable {
    /// No piece comes after those that are on their way, and the upstream is slowed down. The attempt's limit for a silent
    /// upstream does not count while the body is held back.
    func pause()

    /// Pieces come again.
    func resume()
}

extension AttemptReceiver {
    public var streaming: (any StreamingAttemptReceiver)? { nil }
}
