public import JSONBytes

/// A message of an event stream (`text/event-stream`, WHATWG HTML 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The name of the event. `message` if the server gives none.
    public var event: String
    /// The data. Several lines are joined by LF.
    public var data: String
    /// The last id that the server has sent, with this or an earlier event; nil for none.
    public var id: String?

    /// Creates an event.
    public init(_ data: String, event: String = "message", id: String? = nil) {
        self.data = data
        self.event = event
        self.id = id
    }

    /// Returns the data as JSON.
    ///
    /// - Throws: `JSONError` if it is not JSON.
    public func fragment() throws(JSONError) -> JSONFragment {
        try JSONFragment(validating: ArraySlice(data.utf8))
    }

    /// Decodes the data.
    ///
    /// - Throws: `JSONError` if it is not JSON; the error of the decoder, usually a `DecodingError`.
    public func json<Model: Decodable>(
        as type: Model.Type, using decoder: any ResponseDecoder = Response.decoder
    ) throws -> Model {
        try decoder.decode(type, from: fragment())
    }
}

extension EventWriter {
    /// Returns an event whose data is a JSON value.
    ///
    /// - Parameters:
    ///   - value: the data.
    ///   - name: the name of the event, without line ends. Nil: a message.
    package static func message(_ value: JSONFragment, as name: String? = nil) -> ArraySlice<UInt8> {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.bytes.count + (name?.utf8.count ?? 0) + 20)
        if let name {
            bytes += "event: ".utf8
            bytes += name.utf8
            bytes.append(lineFeed)
        }
        bytes += data
        bytes.append(onOneLine: value)
        bytes += end
        return bytes[...]
    }
}

extension [UInt8] {
    /// Appends a JSON value on one line. Its line ends stand between tokens (RFC 8259 7), where a space means
    /// the same.
    package mutating func append(onOneLine value: JSONFragment) {
        let start = endIndex
        append(contentsOf: value.bytes)
        for index in start..<endIndex
        where self[index] == UInt8(ascii: "\n") || self[index] == UInt8(ascii: "\r") {
            self[index] = UInt8(ascii: " ")
        }
    }
}
