/// Whether a response's content codings (RFC 9110 8.4) are decoded before anyone reads the body.
public struct ContentDecoding: Sendable, Hashable {
    private let isAutomatic: Bool

    /// Decodes gzip, deflate and br, and removes `Content-Encoding` and `Content-Length`. A body in another
    /// coding keeps its fields and its bytes.
    public static let automatic = ContentDecoding(isAutomatic: true)
    /// Delivers the body and its fields unchanged, like AsyncHTTPClient by default. `Accept-Encoding` is sent
    /// as usual.
    public static let none = ContentDecoding(isAutomatic: false)
}
