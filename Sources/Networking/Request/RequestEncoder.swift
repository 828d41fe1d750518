public import FoundationEssentials
import JSONBytes
public import JSONCoding

/// Encodes a model as a request's body. `JSONBytesEncoder` and Foundation's `JSONEncoder` conform.
public protocol RequestEncoder: Sendable {
    /// The body's content type, used unless the call sets its own. Default `application/json`.
    var contentType: String { get }

    /// Encodes the complete body. An error fails the call with `RequestPart.body`.
    func encodeBody(_ value: some Encodable) throws -> ArraySlice<UInt8>
}

extension JSONEncoder: RequestEncoder {
    /// `application/json`.
    public var contentType: String { "application/json" }

    /// Encodes the model as Foundation does.
    public func encodeBody(_ value: some Encodable) throws -> ArraySlice<UInt8> {
        ArraySlice(try encode(value))
    }
}

extension JSONBytesEncoder: RequestEncoder {
    /// `application/json`.
    public var contentType: String { "application/json" }

    /// Encodes the value as JSON.
    public func encodeBody(_ value: some Encodable) throws -> ArraySlice<UInt8> {
        try encode(value).bytes
    }
}
