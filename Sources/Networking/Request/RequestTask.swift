import FoundationEssentials
public import JSONBytes
import JSONCoding

/// The body and the query of a call (Moya's `Task`).
///
///     .plain
///     .json(weight)                                  // an Encodable, by JSONBytesEncoder()
///     .parameters(["page": 2, "tag": ["a", "b"]], encoding: .query)
///     .form(model)                                   // an Encodable, as application/x-www-form-urlencoded
///     .json(weight).adding(query: ["dryRun": true])  // body and query together
///     .multipart(form)
///     .file("/var/spool/video.mp4")                  // streamed from disk
public struct RequestTask: Sendable {
    enum Content: Sendable {
        case plain
        case parameters(Parameters, ParameterEncoding)
        case other(Other)
    }

    // Indirect, so a task with parameters is as small as the parameters.
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

    /// Moves the content out, so that the parameters are uniquely referenced.
    consuming func takeContent() -> Content { content }

    /// The default encoder of models.
    public static let encoder: any RequestEncoder = JSONBytesEncoder()

    /// Neither body nor query.
    public static let plain = RequestTask(content: .plain)

    /// A JSON body, encoded by `RequestTask.encoder`.
    public static func json(_ value: some Encodable & Sendable) -> RequestTask {
        RequestTask(content: .other(.model(value, encoder)))
    }

    /// A JSON body that is JSON already, such as the client's.
    public static func json(_ fragment: JSONFragment) -> RequestTask {
        RequestTask(content: .other(.bytes(fragment.bytes, contentType: "application/json")))
    }

    /// A body encoded by a custom encoder. The encoder must not be changed afterwards.
    public static func json(
        _ value: some Encodable & Sendable, encoder: any RequestEncoder
    ) -> RequestTask {
        RequestTask(content: .other(.model(value, encoder)))
    }

    /// Parameters in the query or the body, as `encoding` says.
    public static func parameters(_ parameters: Parameters, encoding: ParameterEncoding) -> RequestTask {
        RequestTask(content: .parameters(parameters, encoding))
    }

    /// A model in the body, as a form.
    public static func form(
        _ value: some Encodable & Sendable, encoder: URLEncodedFormEncoder = URLEncodedFormEncoder()
    ) -> RequestTask {
        RequestTask(content: .other(.model(value, encoder)))
    }

    /// A model in the query, after the path's own query.
    public static func query(
        _ value: some Encodable & Sendable, encoder: URLEncodedFormEncoder = URLEncodedFormEncoder()
    ) -> RequestTask {
        RequestTask(content: .other(.query(value, encoder)))
    }

    /// Bytes as the body.
    ///
    /// - Parameters:
    ///   - bytes: the complete body.
    ///   - contentType: the content type. Default nil: the target's headers may set it.
    public static func data(_ bytes: ArraySlice<UInt8>, contentType: String? = nil) -> RequestTask {
        RequestTask(content: .other(.bytes(bytes, contentType: contentType)))
    }

    /// `Data` or another byte sequence as the body, copied.
    @_disfavoredOverload
    public static func data(_ bytes: some Sequence<UInt8>, contentType: String? = nil) -> RequestTask {
        .data(ArraySlice(bytes), contentType: contentType)
    }

    /// A body read while it is sent.
    public static func stream(_ source: any BodySource, contentType: String? = nil) -> RequestTask {
        RequestTask(content: .other(.stream(source, contentType: contentType)))
    }

    /// A file as the body, streamed from disk. A file that cannot be read fails the call.
    ///
    /// - Parameters:
    ///   - path: path of the file.
    ///   - contentType: the content type. Default nil: derived from the file name, else
    ///     `application/octet-stream`.
    public static func file(_ path: String, contentType: String? = nil) -> RequestTask {
        RequestTask(content: .other(.file(path: path, contentType: contentType)))
    }

    /// A form of named parts: bytes, files and streams (RFC 7578).
    public static func multipart(_ form: MultipartFormData) -> RequestTask {
        RequestTask(content: .other(.multipart(form)))
    }

    /// Adds parameters after those already in the query.
    ///
    /// - Parameters:
    ///   - parameters: the parameters to add.
    ///   - encoding: must write a query; otherwise the call fails.
    public func adding(query parameters: Parameters, encoding: ParameterEncoding = .query) -> RequestTask {
        RequestTask(content: .other(.adding(content, parameters, encoding)))
    }
}
