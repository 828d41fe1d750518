public import FoundationEssentials
public import JSONBytes
public import JSONCoding
public import Rx

/// Decodes models from validated and sliced JSON. `JSONBytesDecoder` and Foundation's `JSONDecoder` conform.
public protocol ResponseDecoder: Sendable {
    /// Decodes the model. Its error becomes the underlying error of a `pathErr`.
    func decode<Model: Decodable>(_ type: Model.Type, from fragment: JSONFragment) throws -> Model
}

extension JSONDecoder: ResponseDecoder {
    /// Decodes the model as Foundation does.
    public func decode<Model: Decodable>(_ type: Model.Type, from fragment: JSONFragment) throws -> Model {
        try decode(type, from: Data(fragment.bytes))
    }
}

extension JSONBytesDecoder: ResponseDecoder {}

/// Enables `decode(type:decoder:)` on streams of `Data`.
extension JSONBytesDecoder: DataDecoder {}

extension Response {
    /// The default decoder of models.
    public static let decoder: any ResponseDecoder = JSONBytesDecoder()
}
