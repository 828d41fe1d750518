public import HTTPModel

/// One request, within the limits of its client. The client itself writes Host and the framing fields.
public struct OutboundRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// Path and query, percent-encoded: `/weights?fddDate=2026-11-20`.
    public var target: ArraySlice<UInt8>
    /// End-to-end fields. Hop-by-hop fields, Host, Content-Length and Transfer-Encoding are ignored.
    public var fields: HTTPFields
    /// The body.
    public var body: OutboundBody

    /// Creates a request to a target as it goes on the wire: path and query, percent-encoded.
    public init(
        method: HTTPMethod = .get, target: ArraySlice<UInt8>, fields: HTTPFields = HTTPFields(),
        body: OutboundBody = .none
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    /// Creates a request with a body of text.
    public init(
        method: HTTPMethod = .get, target: String, fields: HTTPFields = HTTPFields(), body: String = ""
    ) {
        self.init(
            method: method, target: Array(target.utf8)[...], fields: fields,
            body: body.isEmpty ? .none : .bytes(Array(body.utf8)[...]))
    }
}
