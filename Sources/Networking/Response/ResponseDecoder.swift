public import FoundationEssentials
public import JSONBytes
public import JSONCoding
public import Rx

/// Reads models out of JSON that has been validated and cut already. `JSONBytesDecoder` is one, and Foundation's `JSONDecoder` is
/// another.
public protocol ResponseDecoder: Sendable {
    /// The model; what it throws is beneath a `pathErr`.
    func decode<Model: Decodable>(_ type: Model.Type, from fragment: JSONFragment) throws -> Model
}

extension JSONDecoder: ResponseDecoder {
    /// The model as Foundation decodes it.
    public func decode<Model: Decodable>(_ type: Model.Type, from fragment: JSONFragment) throws -> Model {
        try decode(type, from: Data(fragment.bytes))
    }
}

extension JSONBytesDecoder: ResponseDecoder {}

/// For `decode(type:decoder:)` on streams of `Data`.
extension JSONBytesDecoder: DataDecoder {}

extension Response {
    /// What reads models where nothing else is said.
    public static let decoder: any ResponseDecoder = JSONBytesDecoder()
}
