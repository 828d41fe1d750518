/// Whether a response's content codings (RFC 9110 8.4) are undone before anybody sees the body.
public struct ContentDecoding: Sendable, Hashable {
    private let isAutomatic: Bool

    /// gzip, deflate and br are undone, and `Content-Encoding` and `Content-Length` are removed with them. A body in another
    /// coding comes as it is, and keeps its fields.
    public static let automatic = ContentDecoding(isAutomatic: true)
    /// The body and its fields come as they are, as with AsyncHTTPClient's default. `Accept-Encoding` is sent as ever.
    public static let none = ContentDecoding(isAutomatic: false)
}
