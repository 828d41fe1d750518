public import FoundationEssentials
import JSONBytes
public import JSONCoding

/// Writes a model as the body of a request. `JSONBytesEncoder` is one, Foundation's `JSONEncoder` another; one of your own may
/// write another format.
public protocol RequestEncoder: Sendable {
    /// What the body is, where the call does not say so itself: `application/json`.
    var contentType: String { get }

    /// The whole body. What it throws fails the call, as `RequestPart.body`.
    func encodeBody(_ value: some Encodable) throws -> ArraySlice<UInt8>
}

extension JSONEncoder: RequestEncoder {
    public var contentType: String { "application/json" }

    /// The model as Foundation encodes it.
    public func encodeBody(_ value: some Encodable) throws -> ArraySlice<UInt8> {
        ArraySlice(try encode(value))
    }
}

extension JSONBytesEncoder: RequestEncoder {
    public var contentType: String { "application/json" }

    public func encodeBody(_ value: some Encodable) throws -> ArraySlice<UInt8> {
        try encode(value).bytes
    }
}
