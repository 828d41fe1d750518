/// The envelope that many small APIs share: `{"code":String?,"message":String?,"status":Int,"data":T?}`.
///
/// Decode this type only if you need the envelope itself: `ResponseEnvelope.genericResponse` unwraps without
/// decoding.
public struct GenericResponse<Payload> {
    /// The API's own code for the outcome.
    public var code: String?
    /// `message`, or `responseMsg` in APIs that use that name.
    public var message: String?
    /// The status inside the envelope, possibly other than HTTP's.
    public var status: Int
    /// Missing or `null` in most failures.
    public var data: Payload?

    /// Creates an envelope, for tests and samples.
    public init(code: String? = nil, message: String? = nil, status: Int, data: Payload? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.data = data
    }

    private enum Key: String, CodingKey {
        case code, message, responseMsg, status, data
    }
}

extension GenericResponse: Sendable where Payload: Sendable {}
extension GenericResponse: Equatable where Payload: Equatable {}
extension GenericResponse: Hashable where Payload: Hashable {}

extension GenericResponse: Decodable where Payload: Decodable {
    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        code = try container.decodeIfPresent(String.self, forKey: .code)
        message =
            try container.decodeIfPresent(String.self, forKey: .message)
            ?? container.decodeIfPresent(String.self, forKey: .responseMsg)
        status = try container.decode(Int.self, forKey: .status)
        data = try container.decodeIfPresent(Payload.self, forKey: .data)
    }
}

extension GenericResponse: Encodable where Payload: Encodable {
    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(code, forKey: .code)
        try container.encodeIfPresent(message, forKey: .message)
        try container.encode(status, forKey: .status)
        try container.encodeIfPresent(data, forKey: .data)
    }
}
