/// Receives the progress of an attempt. Called inline on the attempt's loop.
public protocol StreamingAttemptReceiver: AttemptReceiver {
    /// Whether a small response that arrives at once may come as a whole, without `attemptStarted`. Default
    /// false.
    var takesWhole: Bool { get }

    /// Reports that bytes of the request's body were handed to the system.
    ///
    /// - Parameters:
    ///   - bytes: number of bytes of the body so far.
    ///   - total: length of the body; nil if unknown in advance.
    func attemptSent(_ bytes: Int64, of total: Int64?)

    /// Reports the head of the final response. Returns the form in which to deliver its body.
    ///
    /// - Parameters:
    ///   - head: the response with an empty body.
    ///   - flow: pauses the body until the attempt ends.
    func attemptStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm

    /// Receives a piece of a body requested in pieces, with content codings decoded. Valid during the call.
    func attemptReceived(_ piece: UnsafeRawBufferPointer)

    /// Reports bytes of the body, requested in any form, with content codings decoded.
    ///
    /// - Parameters:
    ///   - bytes: number of bytes of the body so far.
    ///   - total: length of the body; nil if the response does not announce it or uses a content coding.
    func attemptReceived(_ bytes: Int64, of total: Int64?)
}

extension StreamingAttemptReceiver {
    /// Default: false.
    public var takesWhole: Bool { false }
}

/// How the body of a response is delivered.
public enum BodyForm: Sendable, Hashable {
    /// In memory, as the body of the response, within the transport's limit.
    case whole
    /// In pieces as they arrive, without a size limit. The response has an empty body.
    case pieces
    /// To a file, without a size limit. The complete file gets this name last; a failure leaves no file
    /// behind. The response has an empty body.
    case file(path: String)
}

/// Pauses a response's body, to buffer no more of it than needed. Callable from any thread.
public protocol FlowControl: AnyObject, Sendable {
    /// Stops the delivery after the pieces on their way, and slows the upstream down. Suspends the read
    /// timeout.
    func pause()

    /// Continues the delivery.
    func resume()
}

extension AttemptReceiver {
    /// Default: nil, so that only complete responses are delivered.
    public var streaming: (any StreamingAttemptReceiver)? { nil }
}
