import ASCIIText
public import HTTPModel

/// Writes the head of an answer and decides, from the request that is answered, how its body goes out.
public enum ResponseSerializer {
    /// What there is to send.
    public enum Body: Sendable, Hashable {
        /// So many bytes, which are there or will be.
        case length(Int)
        /// As many as come.
        case stream
    }

    /// How the body goes out.
    public enum Transfer: Sendable, Hashable {
        /// Not at all: an answer to HEAD, 204 or 304. Drop it.
        case none
        /// As it is.
        case identity
        /// In chunks, `ChunkedEncoding`.
        case chunked
        /// As it is, and its end is the end of the connection: HTTP/1.0 knows no chunks.
        case untilClose
    }

    /// What of the request decides about the answer.
    public struct Context: Sendable, Hashable {
        public var version: HTTPVersion
        public var isHead: Bool
        /// False: `Connection: close` is said.
        public var keepAlive: Bool

        public init(version: HTTPVersion, isHead: Bool, keepAlive: Bool) {
            self.version = version
            self.isHead = isHead
            self.keepAlive = keepAlive
        }

        /// For a request that came.
        public init(_ head: HTTPRequestHead, _ framing: RequestFraming) {
            self.init(version: head.version, isHead: head.method == .head, keepAlive: framing.keepAlive)
        }

        /// For an answer before the request was understood: the connection closes.
        public static var beforeRequest: Context {
            Context(version: .http11, isHead: false, keepAlive: false)
        }
    }

    /// What follows from what was written.
    public struct Outcome: Sendable, Hashable {
        public let transfer: Transfer
        /// False: the connection closes after the body; the client was told or can tell.
        public let keepAlive: Bool

        public init(transfer: Transfer, keepAlive: Bool) {
            self.transfer = transfer
            self.keepAlive = keepAlive
        }
    }

    /// Appends `100 Continue` or another interim answer, which has no fields.
    public static func appendInformational(_ status: HTTPStatus, to output: inout [UInt8]) {
        precondition(status.isInformational, "\(status) is no interim answer")
        ByteWriter.append(atMost: 192, to: &output) { writer in
            appendStatusLine(status, to: &writer)
            writer.append("\r\n")
        }
    }

    /// Appends status line and fields. Framing, `Connection` and, when `date` is given, `Date` are written here;
    /// what the fields say about them is left out. On an error nothing is appended.
    ///
    /// - Parameter date: The value of Date (RFC 9110 5.6.7), which the caller keeps for the second.
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

    /// The same into memory that is there, as many bytes as `headCapacity` says. `length` is how many were written.
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

    /// As many bytes as a head has at most.
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
        try FieldWriter.append(fields, except: { isOwn($0, hasDate: date != nil) }, to: &writer)
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

    /// RFC 9110 8.6, RFC 9112 6.1: neither on 204; on 304 and HEAD what a 200 to GET would have said, where known.
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

    /// Whether the serializer writes the field itself or the field belongs to one hop. The name is a token.
    @inline(__always)
    private static func isOwn(_ name: UnsafeRawBufferPointer, hasDate: Bool) -> Bool {
        switch name.count {
        case 4: hasDate && ASCII.isText(name, "date")
        // RFC 9110 15.5.22: a 426 has to list protocols in Upgrade, so a server may send the field.
        case 7: HopByHopFields.contains(name) && !ASCII.isText(name, "upgrade")
        case 14: ASCII.isText(name, "content-length") || HopByHopFields.contains(name)
        default: HopByHopFields.contains(name)
        }
    }
}
