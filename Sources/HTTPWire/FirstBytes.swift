import ASCIIText

/// What the first bytes of a connection to a port with TLS belong to. Decided by one read: clients send the
/// beginning of a request, a header or a handshake at once.
public enum FirstBytes: Equatable, Sendable {
    /// A record of TLS (RFC 8446, section 5.1).
    case tls
    case request
    /// A header of the PROXY protocol, of version 1 or 2.
    case proxyHeader
    /// None of them, such as a greeting of SSH or SMTP.
    case unknown

    /// Longer than each registered method.
    private static let longestMethod = 24

    /// - Parameter bytes: at least one.
    public init(_ bytes: UnsafeRawBufferPointer) {
        if let first = bytes.first, (20...23).contains(first) {
            self = .tls
        } else if ProxyHeaderParser.isHeader(bytes) {
            self = .proxyHeader
        } else {
            self = Self.isRequest(bytes) ? .request : .unknown
        }
    }

    /// Whether the bytes are a method, a space and a target, or begin so. What follows a space is a target if
    /// it begins with a slash, or if the line names the version of HTTP.
    private static func isRequest(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let method = bytes.prefix { ASCII.isLetter($0) || $0 == Byte.minus }
        guard let first = method.first, ASCII.isLetter(first), method.count <= longestMethod else {
            return false
        }
        let rest = bytes[method.endIndex...]
        guard let space = rest.first else { return true }
        guard space == Byte.space else { return false }
        let target = rest.dropFirst()
        guard target.first != Byte.slash, let end = target.firstIndex(of: Byte.lineFeed) else { return true }
        let line = target[..<end]
        return line.lastIndex(of: Byte.space).map { line[$0...].starts(with: " HTTP/".utf8) } ?? false
    }
}
