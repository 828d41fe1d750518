import ASCIIText
public import HTTPModel

/// Writes the heads of requests.
public enum RequestSerializer {
    /// How the body is sent.
    public enum Body: Sendable, Hashable {
        case none
        /// In bytes; sent as it is.
        case length(Int)
        /// Sent in chunks (`ChunkedEncoding`).
        case chunked
    }

    /// A value of Host, checked once for all requests that use it.
    public struct Host: Sendable {
        fileprivate let bytes: ArraySlice<UInt8>
        fileprivate let isTargetAbsolute: Bool

        /// - Parameters:
        ///   - bytes: `host[:port]`.
        ///   - isTargetAbsolute: whether a proxy gets targets in absolute-form, `http://host/path` (RFC
        ///     9112 3.2.2).
        public init(_ bytes: ArraySlice<UInt8>, isTargetAbsolute: Bool = false) throws(SerializationError) {
            guard bytes.withUnsafeBytes({ Authority.isValid($0) }) else { throw .host }
            self.bytes = bytes
            self.isTargetAbsolute = isTargetAbsolute
        }
    }

    /// Appends the request line and the fields, or nothing if it throws. Writes Host, framing, `Connection`
    /// and `Expect` from the parameters, and skips such fields in `fields`.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - target: the target in origin-form or `*`, percent-encoded.
    ///   - host: `host[:port]`.
    ///   - fields: end-to-end fields.
    ///   - body: how the body will be sent.
    ///   - closes: whether to send `Connection: close` because this is the connection's last request.
    ///   - output: the head is appended to it.
    public static func appendHead(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, host: ArraySlice<UInt8>, fields: HTTPFields,
        body: Body,
        closes: Bool = false, to output: inout [UInt8]
    ) throws(SerializationError) {
        guard target.withUnsafeBytes(isTarget) else { throw .target }
        try appendHead(
            method, target: target, host: Host(host), fields: fields, body: body, closes: closes, to: &output)
    }

    /// Appends a head like the other `appendHead`, with a host that is already checked.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - target: the target in origin-form or `*`, percent-encoded.
    ///   - host: the value of Host.
    ///   - fields: end-to-end fields.
    ///   - sharedFields: written after `fields`. Separate, so that requests may share either.
    ///   - body: how the body will be sent.
    ///   - closes: whether to send `Connection: close` because this is the connection's last request.
    ///   - expectsContinue: whether to send `Expect: 100-continue` because the body waits for a 100 (RFC
    ///     9110 10.1.1).
    ///   - output: the head is appended to it.
    public static func appendHead(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, host: Host, fields: HTTPFields,
        sharedFields: HTTPFields = HTTPFields(), body: Body,
        closes: Bool = false, expectsContinue: Bool = false, to output: inout [UInt8]
    ) throws(SerializationError) {
        let capacity = headCapacity(
            method, target: target, host: host, fields: fields, sharedFields: sharedFields)
        try ByteWriter.append(atMost: capacity, to: &output) { (writer) throws(SerializationError) in
            try write(
                method, target, host, fields, sharedFields, body, closes: closes,
                expectsContinue: expectsContinue, to: &writer)
        }
    }

    /// Writes the head into memory of at least `headCapacity` bytes, and returns the number of bytes written.
    public static func writeHead(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, host: Host, fields: HTTPFields,
        sharedFields: HTTPFields, body: Body, to room: UnsafeMutableRawBufferPointer
    ) throws(SerializationError) -> Int {
        try ByteWriter.write(to: room) { (writer) throws(SerializationError) in
            try write(
                method, target, host, fields, sharedFields, body, closes: false, expectsContinue: false,
                to: &writer)
        }
    }

    /// Returns an upper bound for the head's length in bytes.
    public static func headCapacity(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, host: Host, fields: HTTPFields,
        sharedFields: HTTPFields
    ) -> Int {
        // The constants in `write`, a length of up to 19 digits and the method.
        128 &+ method.length &+ target.count &+ 2 &* host.bytes.count
            &+ FieldWriter.capacity(fields) &+ FieldWriter.capacity(sharedFields)
    }

    @inline(__always)
    private static func write(
        _ method: HTTPMethod, _ target: ArraySlice<UInt8>, _ host: Host, _ fields: HTTPFields,
        _ sharedFields: HTTPFields, _ body: Body, closes: Bool, expectsContinue: Bool,
        to writer: inout ByteWriter
    ) throws(SerializationError) {
        guard target.withUnsafeBytes(isTarget) else { throw .target }
        writer.append(name: method)
        writer.append(" ")
        if host.isTargetAbsolute {
            writer.append("http://")
            writer.append(host.bytes)
        }
        // RFC 9112 3.2.4: in absolute-form, an authority without a path replaces the asterisk.
        if !host.isTargetAbsolute || target.first != UInt8(ascii: "*") { writer.append(target) }
        writer.append(" HTTP/1.1\r\nHost: ")
        writer.append(host.bytes)
        writer.append("\r\n")
        try FieldWriter.append(fields, except: TransportFields.areInRequest, to: &writer)
        try FieldWriter.append(sharedFields, except: TransportFields.areInRequest, to: &writer)
        switch body {
        case .none:
            // RFC 9110 8.6: a method that anticipates content announces empty content.
            if method.anticipatesContent { writer.append("Content-Length: 0\r\n") }
        case .length(let length):
            writer.append("Content-Length: ")
            writer.append(decimal: length)
            writer.append("\r\n")
        case .chunked:
            writer.append("Transfer-Encoding: chunked\r\n")
        }
        if expectsContinue { writer.append("Expect: 100-continue\r\n") }
        if closes { writer.append("Connection: close\r\n") }
        writer.append("\r\n")
    }

    private static func isTarget(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first else { return false }
        guard first == UInt8(ascii: "/") || (first == UInt8(ascii: "*") && bytes.count == 1) else {
            return false
        }
        return ByteScan.isTarget(bytes)
    }
}

extension ByteWriter {
    @inline(__always)
    fileprivate mutating func append(name method: HTTPMethod) {
        if method.isGet { append("GET") } else { method.withBytes { append($0) } }
    }
}
