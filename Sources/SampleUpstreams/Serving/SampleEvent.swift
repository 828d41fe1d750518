/// What the sample upstreams have to tell, for logs.
public enum SampleEvent: Sendable {
    /// A request was answered, or the answer came to nothing.
    case answered(SampleAnswer)
    /// The data could not be read or written; the answer is a 500.
    case dataFailed(SampleDataError)
}

/// One answer of the sample upstreams.
public struct SampleAnswer: Sendable {
    /// The method and the target of the request; nil where none could be read.
    public let method: String?
    public let target: String?
    /// Nil where nothing that is HTTP was sent, because a fault has it so.
    public let status: Int?
    /// Bytes sent, head included.
    public let bytesSent: Int
    /// From the request's head to the last byte of the answer, in milliseconds.
    public let elapsedMilliseconds: Double
    /// Whether the client took the whole answer.
    public let isComplete: Bool
}
