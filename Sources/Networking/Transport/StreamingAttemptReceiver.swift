/// Receives the progress of an attempt. Called inline on the attempt's loop.
public protocol StreamingAttemptReceiver: AttemptReceiver {
    /// Bytes of the request's body were handed to the system.
    ///
    /// - Parameters:
    ///   - bytes: number of bytes of the body so far.
    ///   - total: length of the body; nil if unknown in advance.
    func attemptSent(_ bytes: Int64, of total: Int64?)

    /// The head of the final response arrived. Returns the form in which its body is to be delivered.
    ///
    /// - Parameters:
    ///   - head: the response with an empty body.
    ///   - flow: pauses the body, from now until the end of the attempt.
    func attemptStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm

    /// A piece of a body requested in pieces, with content codings decoded. Valid during the call.
    func attemptReceived(_ piece: UnsafeRawBufferPointer)

    /// Bytes of the body arrived, in whatever form it was requested, with content codings decoded.
    ///
    /// - Parameters:
    ///   - bytes: number of bytes of the body so far.
    ///   - total: length of the body; nil if the response does not announce it or uses a content coding.
    func attemptReceived(_ bytes: Int64, of total: Int64?)
}

/// How the body of a response is delivered.
public enum BodyForm: Sendable, Hashable {
    /// In memory, as the body of the response, within the transport's limit.
    case whole
    /// In pieces as they arrive, without a size limit. The response has an empty body.
    case pieces
    /// To a file, without a size limit. The file gets this name when it is complete; a failure leaves no file
    /// behind. The response has an empty body.
    case file(path: String)
}

/// Pauses the body of a response, so that no more of it is buffered than needed. Can be called from any
/// thread.
public protocol FlowControl: AnyObject, Sendable {
    /// Stops the delivery after the pieces already on their way, and slows the upstream down. While paused,
    /// the attempt's limit for a silent upstream does not run.
    func pause()

    /// Continues the delivery.
    func resume()
}

extension AttemptReceiver {
    public var streaming: (any StreamingAttemptReceiver)? { nil }
}
