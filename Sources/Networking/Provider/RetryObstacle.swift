/// The rule that kept a failed call from another attempt, although its policy had attempts left and the
/// failure may pass (`NetworkError.notRetried`).
public struct RetryObstacle: Sendable, Hashable, CustomStringConvertible {
    private enum Rule: String, Sendable {
        case budget, circuit, method, deadline, reason
    }

    private let rule: Rule

    /// The name in responses, e.g. `budget`.
    public var token: String { rule.rawValue }

    /// The value as text, for logs and messages.
    public var description: String { token }

    /// Whether it keeps a request from being sent twice, and so explains nothing if none was sent.
    var isAboutSentRequests: Bool {
        switch rule {
        case .method, .reason: true
        case .budget, .circuit, .deadline: false
        }
    }

    /// The retries in flight to the upstream had used up the budget (`RetryBudget`).
    public static let budget = RetryObstacle(rule: .budget)
    /// The upstream's circuit is not closed (`CircuitBreakerPolicy`).
    public static let circuit = RetryObstacle(rule: .circuit)
    /// The request was sent, and its method is not idempotent (RFC 9110 9.2.2): the upstream may have
    /// processed it.
    public static let method = RetryObstacle(rule: .method)
    /// The time of the call or of the incoming request was over, or too short for the wait before the next
    /// attempt.
    public static let deadline = RetryObstacle(rule: .deadline)
    /// The request was sent, and the policy does not retry this failure reason or status, or the response had
    /// already been passed on in part, or a success had come before the rest of the request could not be
    /// sent.
    public static let reason = RetryObstacle(rule: .reason)
}
