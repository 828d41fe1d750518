import FoundationEssentials
import JSONCoding

/// What a call sends beside its head (Moya's `Task`).
///
///     .plain
///     .json(weight)                                        // an Encodable, by JSONBytesEncoder()
///     .parameters(["page": 2, "tag": ["a", "b"]], encoding: .query)
///     .form(model)                                         // an Encodable, as application/x-www-form-urlencoded
///     .json(weight).adding(query: ["dryRun": true])        // body and query together
///     .multipart(form)
///     .file("/var/spool/video.mp4")                        // streamed from disk
public struct RequestTask: Sendable {
    enum Content: Sendable {
        case plain
        case parameters(Parameters, ParameterEncoding)
        case other(Other)
    }

    // Apart, so that a task with parameters is no larger than they are.
    indirect enum Other: Sendable {
        case bytes(ArraySlice<UInt8>, contentType: String?)
        case model(any Encodable & Sendable, any RequestEncoder)
        case query(any Encodable & Sendable, URLEncodedFormEncoder)
        case stream(any BodySource, contentType: String?)
        case file(path: String, contentType: String?)
        case multipart(MultipartFormData)
        case adding(Content, Parameters, ParameterEncoding)
    }

    private let content: Content

    /// Moved out, so that the parameters are nobody else's.
    consuming func takeContent() -> Content { content }

    /// What writes models where nothing else is said.
    public static let encoder: any RequestEncoder = JSONBytesEncoder()

    /// No body, no query.
    public static let plain = RequestTask(content: .plain)

    /// A JSON body by `RequestTask.encoder`.
    public static func json(_ value: some Encodable & Sendable) -> RequestTask {
        RequestTask(content: .other(.model(value, encoder)))
    }

    /// A body by an encoder with settings or a format of its own. The encoder must not be changed afterwards.
    public static func json(
        _ value: some Encodable & Sendable, encoder: any RequestEncoder
    ) -> RequestTask {
        RequestTask(content: .other(.model(value, encoder)))
    }

    /// Parameters in the query or in the body, as `encoding` says.
    public static func parameters(_ parameters: Parameters, encoding: ParameterEncoding) -> RequestTask {
        RequestTask(content: .parameters(parameters, encoding))
    }

    /// A model as a form in the body.
    public static func form(
        _ value: some Encodable & Sendable, encoder: URLEncodedFormEncoder = URLEncodedFormEncoder()
    ) -> RequestTask {
        RequestTask(content: .other(.model(value, encoder)))
    }

    /// A model in the query, after the one that the path may have.
    public static func query(
        _ value: some Encodable & Sendable, encoder: URLEncodedFormEncoder = URLEncodedFormEncoder()
    ) -> RequestTask {
        RequestTask(content: .other(.query(value, encoder)))
    }

    /// A body that is bytes already.
    ///
    /// - Parameters:
    ///   - bytes: the whole body.
    ///   - contentType: nil where the target's own headers say it, or nobody does.
    public static func data(_ bytes: ArraySlice<UInt8>, contentType: String? = nil) -> RequestTask {
        RequestTask(content: .other(.bytes(bytes, contentType: contentType)))
    }

    /// The same for `Data` and other bytes that are copied.
    @_disfavoredOverload
    public static func data(_ bytes: some Sequence<UInt8>, contentType: String? = nil) -> RequestTask {
        .data(ArraySlice(bytes), contentType: contentType)
    }

    /// A body that is read as it is sent.
    public static func stream(_ source: any BodySource, contentType: String? = nil) -> RequestTask {
        RequestTask(content: .other(.stream(source, contentType: contentType)))
    }

    /// A file as the body, streamed from disk. One that cannot be read fails the call.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - contentType: nil: by the file's name, `application/octet-stream` where that says nothing.
    public static func file(_ path: String, contentType: String? = nil) -> RequestTask {
        RequestTask(content: .other(.file(path: path, contentType: contentType)))
    }

    /// Named parts, of bytes and files (RFC 7578).
    public static func multipart(_ form: MultipartFormData) -> RequestTask {
        RequestTask(content: .other(.multipart(form)))
    }

    /// The same with parameters in the query, after those that it may have there already.
    ///
    /// - Parameters:
    ///   - parameters: for the query.
    ///   - encoding: one that writes a query; another one fails the call.
    public func adding(query parameters: Parameters, encoding: ParameterEncoding = .query) -> RequestTask {
        RequestTask(content: .other(.adding(content, parameters, encoding)))
    }
}
