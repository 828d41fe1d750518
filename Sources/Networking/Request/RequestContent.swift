import HTTPModel

/// What a task comes to on the wire: a query, a body, and what the body is. An object, so that a call without one is no larger.
final class RequestContent {
    /// Without its question mark; goes behind the one that the path may have.
    private(set) var query: [UInt8] = []
    private(set) var body = RequestBody.none
    private(set) var contentType: String?

    init(
        _ parameters: consuming Parameters, _ encoding: ParameterEncoding, method: HTTPMethod
    ) throws(RequestFault) {
        switch encoding.target(of: method) {
        case .query:
            try add(parameters, encoding)
        case .form:
            var parameters = parameters
            let bytes = try ByteRoom.write { (room) throws(RequestFault) in
                try encoding.rules.appendPairs(of: &parameters, to: &room)
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
                throw RequestFault(.body, "the file to be sent cannot be read", underlying: error)
            }
            contentType = type ?? FileType.contentType(ofFile: path)
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

    /// Writes parameters behind what there is in the query so far.
    private func add(
        _ parameters: Parameters, _ encoding: ParameterEncoding
    ) throws(RequestFault) {
        guard encoding.target(of: .get) == .query else {
            throw RequestFault(.parameters, "parameters beside a body need an encoding for the query")
        }
        var parameters = parameters
        let before = query
        query = try ByteRoom.write { (room) throws(RequestFault) in
            room.append(before)
            try encoding.rules.appendPairs(
                of: &parameters, after: before.isEmpty ? nil : UInt8(ascii: "&"), to: &room)
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
