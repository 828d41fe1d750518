/// The statuses that a call accepts (Moya's `ValidationType`).
///
/// By default all: `checkStatusCode()`, `filter(statusCodes:)` and the operators that read the body check the
/// status. With any other case, the call itself fails, so that interceptors and `retry` see the failure.
public enum ValidationType: Sendable, Hashable {
    /// Accepts every status.
    case none
    /// Accepts 200 to 299.
    case successCodes
    /// Accepts 200 to 399.
    case successAndRedirectCodes
    /// Accepts only these statuses.
    case customCodes([Int])

    /// Whether the status is accepted.
    public func accepts(_ statusCode: Int) -> Bool {
        switch self {
        case .none: true
        case .successCodes: (200..<300).contains(statusCode)
        case .successAndRedirectCodes: (200..<400).contains(statusCode)
        case .customCodes(let codes): codes.contains(statusCode)
        }
    }

    /// The accepted statuses; empty if all are accepted (Moya's `statusCodes`).
    public var statusCodes: [Int] {
        switch self {
        case .none: []
        case .successCodes: Array(200..<300)
        case .successAndRedirectCodes: Array(200..<400)
        case .customCodes(let codes): codes
        }
    }
}
