/// An event of the sample upstreams, for logs.
public enum SampleEvent: Sendable {
    /// A request was answered, or its answer failed.
    case answered(SampleAnswer)
    /// The database could not be read or written. The answer is a 500.
    case dataFailed(SampleDataError)
}

public struct SampleAnswer: Sendable {
    /// Nil if the request could not be parsed.
    public let method: String?
    /// Nil if the request could not be parsed.
    public let target: String?
    /// Nil if a fault sent no HTTP response.
    public let status: Int?
    /// Bytes sent, including the head.
    public let bytesSent: Int
    /// The time from the request's head to the last byte of the answer, in milliseconds.
    public let elapsedMilliseconds: Double
    /// Whether the client received the whole answer.
    public let isComplete: Bool
}
