/// The error of a task that reads a stream's values while another task waits for the next one. The other task
/// goes on.
public struct ConcurrentReadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Creates the error.
    public init() {}

    /// What is wrong, in words.
    public var description: String { "another task is waiting for the next value of this stream" }
}
