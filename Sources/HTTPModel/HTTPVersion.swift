/// A supported version. A higher minor version of HTTP/1 is read as 1.1 (RFC 9110 2.5).
public enum HTTPVersion: Sendable, Hashable {
    case http10
    case http11
}

extension HTTPVersion: CustomStringConvertible {
    /// The value as text, for logs and messages.
    public var description: String {
        switch self {
        case .http10: "HTTP/1.0"
        case .http11: "HTTP/1.1"
        }
    }
}
