import AccessControl
package import HTTPModel
import JSONBytes

/// What limits count a request by.
package struct LimitedRequest: Sendable {
    /// The fields of the request.
    package var fields: HTTPFields
    /// The client's address; nil for a Unix socket.
    package var client: IPAddress?
    /// The caller; nil before it is known, and for a request without a credential.
    package var identity: Identity?
    /// The method and path template: `GET /api/orders/{id}`.
    package var endpoint: String
    /// Nanoseconds of the monotonic clock.
    package var now: Int64

    package init(
        fields: HTTPFields, client: IPAddress?, identity: Identity? = nil, endpoint: String, now: Int64
    ) {
        self.fields = fields
        self.client = client
        self.identity = identity
        self.endpoint = endpoint
        self.now = now
    }
}

extension LimitedRequest {
    /// Writes what the pieces of a limit's key are in this request.
    ///
    /// Different values are different bytes, because each piece begins with what it is, and text with its
    /// length. Something that is missing differs from all that is there.
    func write(_ pieces: [RateLimit.Key], to sink: inout some LimitKeySink) {
        for piece in pieces {
            switch piece.source {
            case .client: writeClient(to: &sink)
            case .identity: writeIdentity(to: &sink)
            case .claim(let name): write(identity.flatMap { Claims($0.claims).value(named: name) }, to: &sink)
            case .header(let name): write(name, to: &sink)
            case .endpoint: sink.write(.endpoint, endpoint)
            }
        }
    }

    private func writeClient(to sink: inout some LimitKeySink) {
        guard let client = client?.unmapped else { return sink.write(.missing) }
        sink.write(client.isIPv4 ? .ipv4 : .ipv6)
        // A client of IPv6 has a network of 64 bits at least.
        sink.write(UInt64(truncatingIfNeeded: client.isIPv4 ? client.bits : client.bits >> 64))
    }

    /// Writes the entry and `sub` of the caller. Many services number their users, so a `sub` that is not a
    /// text is a key as it was written. Callers without `sub` share the count of their entry, because nothing
    /// else stays the same from token to token.
    private func writeIdentity(to sink: inout some LimitKeySink) {
        sink.write(.entry, identity?.entry)
        if let subject = identity?.subject {
            sink.write(.subject, subject)
        } else {
            write(identity?.claims[member: "sub"], to: &sink)
        }
    }

    private func write(_ claim: JSONFragment?, to sink: inout some LimitKeySink) {
        guard let claim else { return sink.write(.missing) }
        guard let text = claim.stringValue else {
            sink.write(.value)
            claim.bytes.withUnsafeBytes { sink.write(text: $0) }
            return
        }
        sink.write(.text, text)
    }

    /// Writes all lines of a field: a proxy may join them, so nobody gets another key by adding lines to
    /// those that another client sends.
    private func write(_ name: HTTPFieldName, to sink: inout some LimitKeySink) {
        var next = fields.firstIndex(of: name)
        while let index = next {
            sink.write(.line)
            fields.valueBytes(at: index).withUnsafeBytes { sink.write(text: $0) }
            next = fields.firstIndex(of: name, from: index + 1)
        }
        sink.write(.missing)
    }
}
