/// Whether a response's content codings (RFC 9110 8.4) are decoded before the body is read.
public struct ContentDecoding: Sendable, Hashable {
    private let isAutomatic: Bool

    /// Decodes gzip, deflate and br, and removes `Content-Encoding` and `Content-Length`. Leaves other
    /// codings as they are.
    public static let automatic = ContentDecoding(isAutomatic: true)
    /// Delivers the body and its fields unchanged, like AsyncHTTPClient by default. Still sends
    /// `Accept-Encoding`.
    public static let none = ContentDecoding(isAutomatic: false)
}
