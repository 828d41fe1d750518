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
