public import HTTPModel

/// One request to an upstream, whole. Host and the framing are the client's to write, and no field of the caller.
public struct OutboundRequest: Sendable {
    public var method: HTTPMethod
    /// Path and query as they go out, percent-encoded: `/weights?fddDate=2026-11-20`.
    public var target: ArraySlice<UInt8>
    /// End-to-end fields. A hop-by-hop field, Host, Content-Length or Transfer-Encoding among them is ignored.
    public var fields: HTTPFields
    /// More of them, which go out after `fields`: apart, so that requests may share either.
    public var sharedFields: HTTPFields
    public var body: OutboundBody

    /// Stands in for `OutboundLimits.connectTimeout`.
    public var connectTimeout: Duration?
    /// Stands in for `OutboundLimits.writeTimeout`.
    public var writeTimeout: Duration?
    /// Stands in for `OutboundLimits.firstByteTimeout`.
    public var firstByteTimeout: Duration?
    /// Stands in for `OutboundLimits.readTimeout`.
    public var readTimeout: Duration?
    /// Stands in for `OutboundLimits.totalTimeout`, e.g. what is left of the caller's own time.
    public var totalTimeout: Duration?
    /// Whether the content codings of the response are undone. Default true.
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
