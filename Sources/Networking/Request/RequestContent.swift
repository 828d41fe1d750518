import HTTPModel

/// What a task comes to on the wire: a query, a body, and what the body is.
struct RequestContent {
    /// Parameters for the query, still to be written behind the path.
    var query = Parameters()
    var hasQuery = false
    var encoding = ParameterEncoding.query
    /// What else goes into the query, written already. Few calls have any.
    var moreQuery: [UInt8] = []
    var body = RequestBody.none
    var contentType: String?

    init(_ content: consuming RequestTask.Content, method: HTTPMethod) throws(RequestFault) {
        switch content {
        case .plain:
            break
        case .parameters(var parameters, let encoding):
            switch encoding.target(of: method) {
            case .query:
                self.encoding = encoding
                query = parameters
                hasQuery = true
            case .form:
                let bytes = try ByteRoom.write { (room) throws(RequestFault) in
                    try encoding.appendPairs(of: &parameters, to: &room)
                }
                body = .bytes(bytes[...])
                contentType = "application/x-www-form-urlencoded"
            case .json:
                body = .bytes(try encoding.object(of: &parameters))
                contentType = "application/json"
            }
        case .bytes(let bytes, let type):
            body = .bytes(bytes)
            contentType = type
        case .model(let value, let encoder):
            body = .bytes(try Self.encode(value, encoder, for: .body))
            contentType = encoder.contentType
        case .query(let value, let encoder):
            moreQuery = Array(try Self.encode(value, encoder, for: .parameters))
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
            self = try RequestContent(content, method: method)
            try add(parameters, encoding)
        }
    }

    /// Writes what there is for the query so far, and parameters after it.
    private mutating func add(
        _ parameters: Parameters, _ encoding: ParameterEncoding
    ) throws(RequestFault) {
        guard encoding.target(of: .get) == .query else {
            throw RequestFault(.parameters, "parameters beside a body need an encoding for the query")
        }
        var first = query
        var parameters = parameters
        let firstEncoding = self.encoding
        moreQuery = try ByteRoom.write { [hasQuery, moreQuery] (room) throws(RequestFault) in
            room.append(moreQuery)
            var mark = moreQuery.isEmpty ? nil : UInt8(ascii: "&")
            if hasQuery {
                let before = room.count
                try firstEncoding.appendPairs(of: &first, after: mark, to: &room)
                if room.count > before { mark = UInt8(ascii: "&") }
            }
            try encoding.appendPairs(of: &parameters, after: mark, to: &room)
        }
        query = Parameters()
        hasQuery = false
    }

    /// Appends the query behind a path that has been written.
    ///
    /// - Parameters:
    ///   - path: as the target wrote it.
    ///   - pathHasQuery: whether it has a query of its own, which stays.
    mutating func appendQuery(
        after path: String, pathHasQuery: Bool, to room: inout ByteRoom
    ) throws(RequestFault) {
        guard hasQuery || !moreQuery.isEmpty else { return }
        var mark: UInt8? = UInt8(ascii: "?")
        if pathHasQuery {
            let last = path.utf8.last
            mark = last == UInt8(ascii: "?") || last == UInt8(ascii: "&") ? nil : UInt8(ascii: "&")
        }
        if hasQuery {
            try encoding.appendPairs(of: &query, after: mark, to: &room)
        } else {
            if let mark { room.append(mark) }
            room.append(moreQuery)
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
