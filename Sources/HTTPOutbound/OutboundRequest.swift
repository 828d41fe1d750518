public import HTTPModel

/// One request. The client itself writes Host and the framing fields.
public struct OutboundRequest: Sendable {
    public var method: HTTPMethod
    /// Path and query, percent-encoded: `/weights?fddDate=2026-11-20`.
    public var target: ArraySlice<UInt8>
    /// End-to-end fields. Hop-by-hop fields, Host, Content-Length and Transfer-Encoding are ignored.
    public var fields: HTTPFields
    /// More fields, which follow `fields`. Kept apart so that requests can share them.
    public var sharedFields: HTTPFields
    public var body: OutboundBody

    /// Replaces `OutboundLimits.connectTimeout`.
    public var connectTimeout: Duration?
    /// Replaces `OutboundLimits.writeTimeout`.
    public var writeTimeout: Duration?
    /// Replaces `OutboundLimits.firstByteTimeout`.
    public var firstByteTimeout: Duration?
    /// Replaces `OutboundLimits.readTimeout`.
    public var readTimeout: Duration?
    /// Replaces `OutboundLimits.totalTimeout`, for example with the caller's remaining time.
    public var totalTimeout: Duration?
    /// Whether to decode content codings of the response. Default true.
    public var decodesContent = true

    public init(
        method: HTTPMethod = .get, target: ArraySlice<UInt8>, fields: HTTPFields = HTTPFields(),
        sharedFields: HTTPFields = HTTPFields(), body: OutboundBody = .none,
        connectTimeout: Duration? = nil, writeTimeout: Duration? = nil, firstByteTimeout: Duration? = nil,
        readTimeout: Duration? = nil, totalTimeout: Duration? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.sharedFields = sharedFields
        self.body = body
        self.connectTimeout = connectTimeout
        self.writeTimeout = writeTimeout
        self.firstByteTimeout = firstByteTimeout
        self.readTimeout = readTimeout
        self.totalTimeout = totalTimeout
    }

    public init(
        method: HTTPMethod = .get, target: String, fields: HTTPFields = HTTPFields(), body: String = ""
    ) {
        self.init(
            method: method, target: Array(target.utf8)[...], fields: fields,
            body: body.isEmpty ? .none : .bytes(Array(body.utf8)[...]))
    }
}
