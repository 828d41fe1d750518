import HTTPModel

extension GatewayRequest {
    /// Returns the body without its content codings: gzip, deflate and br are decoded (RFC 9110 8.4). Without
    /// a coding, returns `body` itself. `json()` and `form()` decode the body, too.
    ///
    /// - Throws: 415 with `Accept-Encoding` for another coding or more than two; 400 if the body is not what
    ///   `Content-Encoding` says, or is a range; 413 if the decoded body exceeds the endpoint's limit, or
    ///   exceeds 1 MiB and is more than 100 times as large as the body. At an endpoint that streams bodies,
    ///   an error that is answered with `500 INTERNAL`.
    public func decodedBody() throws -> ArraySlice<UInt8> {
        try requireBufferedBody(for: "decodedBody()")
        let codings = try CodedBody.codings(of: self)
        guard !codings.isEmpty else { return body }
        // Middleware and the handler may both read the body.
        if let known = self[DecodedBody.self] { return known.bytes }
        let decoded = try CodedBody.decode(
            body, codings, limit: endpoint.settings.bodyLimit, memory)
        self[DecodedBody.self] = DecodedBody(bytes: decoded[...])
        return decoded[...]
    }

    /// Checks the fields about the content, for a reader that needs the whole.
    func checkContent() throws(GatewayError) {
        try refuseRange()
        if let first = fields.firstIndex(of: .contentType),
            fields.firstIndex(of: .contentType, from: first + 1) != nil
        {
            throw .invalidRequest("Content-Type is given more than once")
        }
    }

    /// Refuses a range, which would be taken for the whole content (RFC 9110 14.5).
    func refuseRange() throws(GatewayError) {
        guard !fields.contains(.contentRange) else {
            throw .invalidRequest("Content-Range is not supported; the body must be the whole content")
        }
    }
}

/// The decoded body of a request, kept for its next reader.
private struct DecodedBody {
    let bytes: ArraySlice<UInt8>
}

/// The content of a request's body in pieces, without content codings. One reader may claim it.
struct BodyContent: Sendable {
    private let cursor: BodyCursor
    private let coded: Result<CodedBody?, GatewayError>

    init(_ request: GatewayRequest) {
        cursor = request.stream ?? BodyCursor(request.body, memory: request.memory)
        coded = Result { () throws(GatewayError) in try CodedBody.of(request) }
    }

    func claim() throws {
        _ = try coded.get()
        try cursor.claim()
    }

    func collect(_ count: Int) throws(GatewayError) { try cursor.collect(count) }

    /// Returns the next piece; nil at the end.
    func next() async throws -> ArraySlice<UInt8>? {
        guard let coded = try coded.get() else { return try await cursor.next() }
        return try await coded.next(from: cursor)
    }
}
