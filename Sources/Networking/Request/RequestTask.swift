import FoundationEssentials

/// What a call sends beside its head (Moya's `Task`).
public struct RequestTask: Sendable {
    enum Content: Sendable {
        case plain
        case json(any Encodable & Sendable, any RequestEncoder)
        case parameters(Parameters, ParameterEncoding)
        case bytes(ArraySlice<UInt8>, contentType: String)
    }

    private let content: Content

    /// Moved out, so that the parameters are nobody else's.
    consuming func takeContent() -> Content { content }

    /// No body, no query.
    public static let plain = RequestTask(content: .plain)

    /// A JSON body by `JSONEncoder()`.
    public static func json(_ value: some Encodable & Sendable) -> RequestTask {
        RequestTask(content: .json(value, encoder))
    }

    /// What writes models where nothing else is said.
    public static let encoder: any RequestEncoder = JSONEncoder()

    /// A body by an encoder with settings or a format of its own. The encoder must not be changed afterwards.
    public static func json(_ value: some Encodable & Sendable, encoder: any RequestEncoder) -> RequestTask {
        RequestTask(content: .json(value, encoder))
    }

    /// Parameters in the query or in the body, as `encoding` says.
    public static func parameters(_ parameters: Parameters, encoding: ParameterEncoding) -> RequestTask {
        RequestTask(content: .parameters(parameters, encoding))
    }

    /// A body that is bytes already.
    public static func data(_ bytes: ArraySlice<UInt8>, contentType: String) -> RequestTask {
        RequestTask(content: .bytes(bytes, contentType: contentType))
    }
}

/// The same under Moya's names.
extension RequestTask {
    public static let requestPlain = RequestTask.plain

    public static func requestJSONEncodable(_ value: some Encodable & Sendable) -> RequestTask {
        .json(value)
    }

    public static func requestCustomJSONEncodable(
        _ value: some Encodable & Sendable, encoder: any RequestEncoder
    ) -> RequestTask {
        .json(value, encoder: encoder)
    }

    public static func requestParameters(
        parameters: Parameters, encoding: ParameterEncoding
    ) -> RequestTask {
        .parameters(parameters, encoding: encoding)
    }
}
