import ASCIIText
import HTTPModel

/// The query, body and content type that a task produces. A class, so a call without one does not grow.
final class RequestContent {
    /// Without the question mark.
    private(set) var query: [UInt8] = []
    private(set) var body = RequestBody.none
    private(set) var contentType: String?

    init(
        _ parameters: consuming Parameters, _ encoding: ParameterEncoding, method: HTTPMethod
    ) throws(RequestFault) {
        switch encoding.output(for: method) {
        case .query:
            try add(parameters, encoding)
        case .form:
            var parameters = parameters
            let bytes = try ByteWriter.collect { (writer) throws(RequestFault) in
                try encoding.rules.appendPairs(of: &parameters, to: &writer)
            }
            body = .bytes(bytes[...])
            contentType = "application/x-www-form-urlencoded"
        case .json:
            body = .bytes(try encoding.object(of: &parameters))
            contentType = "application/json"
        }
    }

    convenience init(_ task: consuming RequestTask, method: HTTPMethod) throws(RequestFault) {
        try self.init(task.takeContent(), method: method)
    }

    init(_ content: RequestTask.Content, method: HTTPMethod) throws(RequestFault) {
        switch content {
        case .plain: break
        case .parameters(let parameters, let encoding):
            take(try RequestContent(parameters, encoding, method: method))
        case .other(let task):
            take(try RequestContent(task, method: method))
        }
    }

    init(_ task: RequestTask.Other, method: HTTPMethod) throws(RequestFault) {
        switch task {
        case .bytes(let bytes, let type):
            body = .bytes(bytes)
            contentType = type
        case .model(let value, let encoder):
            body = .bytes(try Self.encode(value, encoder, for: .body))
            contentType = encoder.contentType
        case .query(let value, let encoder):
            query = Array(try Self.encode(value, encoder, for: .parameters))
        case .stream(let source, let type):
            body = .stream(source)
            contentType = type
        case .file(let path, let type):
            do {
                body = .stream(try FileBody(path: path))
            } catch {
                throw RequestFault(.body, "the file cannot be read", underlying: error)
            }
            contentType = type ?? MediaType.text(ofFile: path)
        case .multipart(let form):
            let encoded = try form.encoded()
            body = encoded.body
            contentType = encoded.contentType
        case .adding(let content, let parameters, let encoding):
            take(try RequestContent(content, method: method))
            try add(parameters, encoding)
        }
    }

    private func take(_ other: RequestContent) {
        (query, body, contentType) = (other.query, other.body, other.contentType)
    }

    private func add(
        _ parameters: Parameters, _ encoding: ParameterEncoding
    ) throws(RequestFault) {
        guard encoding.output(for: .get) == .query else {
            throw RequestFault(.parameters, "query parameters need an encoding for the query")
        }
        var parameters = parameters
        let before = query
        query = try ByteWriter.collect { (writer) throws(RequestFault) in
            writer.append(before)
            try encoding.rules.appendPairs(
                of: &parameters, after: before.isEmpty ? nil : UInt8(ascii: "&"), to: &writer)
        }
    }

    private static func encode(
        _ value: any Encodable & Sendable, _ encoder: any RequestEncoder, for part: RequestPart
    ) throws(RequestFault) -> ArraySlice<UInt8> {
        do {
            return try encoder.encodeBody(value)
        } catch {
            throw RequestFault(part, "the \(part.rawValue) cannot be encoded", underlying: error)
        }
    }
}
