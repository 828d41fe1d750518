/// Which statuses a call takes for a failure before anybody reads its response (Moya's `ValidationType`).
///
/// By default none: the response comes as it is, and `checkStatusCode()`, `filter(statusCodes:)` and what reads the body judge
/// it. With another one the call itself fails, so that interceptors and `retry` see it.
public enum ValidationType: Sendable, Hashable {
    /// Any status is an answer.
    case none
    /// 200 to 299.
    case successCodes
    /// 200 to 399.
    case successAndRedirectCodes
    /// These and no others.
    case customCodes([Int])

    /// Whether a response of this status passes.
    public func accepts(_ statusCode: Int) -> Bool {
        switch self {
        case .none: true
        case .successCodes: (200..<300).contains(statusCode)
        case .successAndRedirectCodes: (200..<400).contains(statusCode)
        case .customCodes(let codes): codes.contains(statusCode)
        }
    }

    /// The statuses that pass; none where all do (Moya's `statusCodes`).
    public var statusCodes: [Int] {
        switch self {
        case .none: []
        case .successCodes: Array(200..<300)
        case .successAndRedirectCodes: Array(200..<400)
        case .customCodes(let codes): codes
        }
    }
}
