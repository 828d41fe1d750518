import ASCIIText
public import HTTPModel

/// Writes the heads of responses, and decides from the request how the body is sent.
public enum ResponseSerializer {
    /// The body to be sent.
    public enum Body: Sendable, Hashable {
        /// In bytes.
        case length(Int)
        /// Of unknown length.
        case stream
    }

    /// How the body is sent.
    public enum Transfer: Sendable, Hashable {
        /// HEAD, 204 or 304: drop the body.
        case none
        /// Unchanged.
        case identity
        /// In chunks (`ChunkedEncoding`).
        case chunked
        /// Unchanged, until the connection closes: HTTP/1.0 has no chunks.
        case untilClose
    }

    /// What a response depends on in its request and its connection.
    public struct Context: Sendable, Hashable {
        /// The version of the request.
        public var version: HTTPVersion
        /// Whether the method of the request is HEAD.
        public var isHead: Bool
        /// If false, the response has `Connection: close`.
        public var keepAlive: Bool
        /// Whether the line of `Strict-Transport-Security` follows the value of `Date`. Then such fields of
        /// the response are skipped, since browsers read only the first (RFC 6797, section 8.1).
        public var hasTransportSecurity: Bool

        /// Creates a context.
        public init(
            version: HTTPVersion, isHead: Bool, keepAlive: Bool, hasTransportSecurity: Bool = false
        ) {
            self.version = version
            self.isHead = isHead
            self.keepAlive = keepAlive
            self.hasTransportSecurity = hasTransportSecurity
        }

        /// Takes the context from the head of a request and its framing.
        public init(_ head: HTTPRequestHead, _ framing: RequestFraming) {
            self.init(version: head.version, isHead: head.method == .head, keepAlive: framing.keepAlive)
        }
    }

    /// What the caller does after the head.
    public struct Outcome: Sendable, Hashable {
        /// How the body is sent.
        public let transfer: Transfer
        /// Whether the connection stays open after the body. If not, the head tells the client.
        public let keepAlive: Bool

        /// Creates an outcome.
        public init(transfer: Transfer, keepAlive: Bool) {
            self.transfer = transfer
            self.keepAlive = keepAlive
        }
    }

    /// Appends a 1xx response without fields, such as `100 Continue`.
    ///
    /// - Precondition: the status is 1xx.
    public static func appendInformational(_ status: HTTPStatus, to output: inout [UInt8]) {
        precondition(status.isInformational, "\(status) is not an interim status")
        ByteWriter.append(atMost: 192, to: &output) { writer in
            appendStatusLine(status, to: &writer)
            writer.append("\r\n")
        }
    }

    /// Appends the status line and the fields, or nothing if it throws. Writes framing, `Connection` and, if
    /// given, `Date` from the parameters, and skips such fields in `fields`.
    ///
    /// - Parameters:
    ///   - status: a final status.
    ///   - fields: end-to-end fields.
    ///   - body: the body that will be sent.
    ///   - context: the request.
    ///   - date: the value of Date (RFC 9110 5.6.7), with whole lines behind it if the context says so.
    ///   - output: the head is appended to it.
    public static func appendHead(
        _ status: HTTPStatus, _ fields: HTTPFields, body: Body, context: Context,
        date: ArraySlice<UInt8>? = nil,
        to output: inout [UInt8]
    ) throws(SerializationError) -> Outcome {
        let outcome = try outcome(status, body, context)
        try ByteWriter.append(atMost: headCapacity(fields, date: date), to: &output) {
            (writer) throws(SerializationError) in
            try write(status, fields, body, context, date, outcome, to: &writer)
        }
        return outcome
    }

    /// Writes the head into memory of at least `headCapacity` bytes. `length` is the number of bytes written.
    public static func writeHead(
        _ status: HTTPStatus, _ fields: HTTPFields, body: Body, context: Context, date: ArraySlice<UInt8>?,
        to room: UnsafeMutableRawBufferPointer
    ) throws(SerializationError) -> (outcome: Outcome, length: Int) {
        let outcome = try outcome(status, body, context)
        let length = try ByteWriter.write(to: room) { (writer) throws(SerializationError) in
            try write(status, fields, body, context, date, outcome, to: &writer)
        }
        return (outcome, length)
    }

    /// Returns an upper bound for the head's length in bytes.
    public static func headCapacity(_ fields: HTTPFields, date: ArraySlice<UInt8>?) -> Int {
        // The constants in `write`, a length of up to 19 digits and a status line.
        192 &+ (date?.count ?? 0) &+ FieldWriter.capacity(fields)
    }

    @inline(__always)
    private static func write(
        _ status: HTTPStatus, _ fields: HTTPFields, _ body: Body, _ context: Context,
        _ date: ArraySlice<UInt8>?, _ outcome: Outcome, to writer: inout ByteWriter
    ) throws(SerializationError) {
        appendStatusLine(status, to: &writer)
        if let date {
            writer.append("Date: ")
            writer.append(date)
            writer.append("\r\n")
        }
        let hasTransportSecurity = context.hasTransportSecurity
        try FieldWriter.append(
            fields, except: { isOwn($0, hasDate: date != nil, hasTransportSecurity) }, to: &writer)
        appendFraming(status, body, context, to: &writer)
        if !outcome.keepAlive { writer.append("Connection: close\r\n") }
        writer.append("\r\n")
    }

    private static func outcome(
        _ status: HTTPStatus, _ body: Body, _ context: Context
    ) throws(SerializationError) -> Outcome {
        guard !status.isInformational else { throw .informationalStatus }
        let transfer = transfer(status, body, context)
        return Outcome(
            transfer: transfer,
            keepAlive: context.keepAlive && context.version == .http11 && transfer != .untilClose)
    }

    private static func transfer(_ status: HTTPStatus, _ body: Body, _ context: Context) -> Transfer {
        if context.isHead || status.forbidsBody { return .none }
        switch (body, context.version) {
        case (.length, _): return .identity
        case (.stream, .http11): return .chunked
        case (.stream, .http10): return .untilClose
        }
    }

    /// Appends Content-Length or Transfer-Encoding (RFC 9110 8.6, RFC 9112 6.1), to HEAD as to GET. Skips 204
    /// and 304.
    private static func appendFraming(
        _ status: HTTPStatus, _ body: Body, _ context: Context, to writer: inout ByteWriter
    ) {
        guard !status.forbidsBody else { return }
        switch (body, context.version) {
        case (.length(let length), _):
            writer.append("Content-Length: ")
            writer.append(decimal: length)
            writer.append("\r\n")
        case (.stream, .http11): writer.append("Transfer-Encoding: chunked\r\n")
        case (.stream, .http10): break
        }
    }

    private static func appendStatusLine(_ status: HTTPStatus, to writer: inout ByteWriter) {
        if status == .ok {
            writer.append("HTTP/1.1 200 OK\r\n")
            return
        }
        writer.append("HTTP/1.1 ")
        writer.append(decimal: status.code)
        writer.append(" ")
        writer.append(status.reasonPhrase)
        writer.append("\r\n")
    }

    /// Whether the serializer writes the field itself or the field is hop-by-hop. The name is a token.
    @inline(__always)
    private static func isOwn(
        _ name: UnsafeRawBufferPointer, hasDate: Bool, _ hasTransportSecurity: Bool
    ) -> Bool {
        switch name.count {
        case 4: hasDate && ASCII.isText(name, "date")
        // RFC 9110 15.5.22: a 426 must list protocols in Upgrade, so a server may send the field.
        case 7: HopByHopFields.contains(name) && !ASCII.isText(name, "upgrade")
        case 14: ASCII.isText(name, "content-length") || HopByHopFields.contains(name)
        case 25: hasTransportSecurity && ASCII.isText(name, "strict-transport-security")
        default: HopByHopFields.contains(name)
        }
    }
}
