import HTTPModel

/// Writes path, query and body of a call as bytes.
enum RequestBuilder {
    /// The call that these parts of a target make.
    static func build(
        method: HTTPMethod, path: RequestPath, headers: HTTPFields,
        task: consuming RequestTask, context: CallContext?, envelope: ResponseEnvelope, allowsEmptyBody: Bool,
        settings: CallSettings, options: CallOptions?
    ) throws(RequestFault) -> TransportCall {
        if let fault = path.fault { throw RequestFault(.url, fault) }
        var query = Parameters()
        var rules: PairRules?
        // Nil for most calls, which have at most a query.
        var content: RequestContent?
        switch task.takeContent() {
        case .plain:
            break
        case .parameters(let parameters, let encoding):
            if encoding.target(of: method) == .query {
                query = parameters
                rules = encoding.rules
            } else {
                content = try RequestContent(parameters, encoding, method: method)
            }
        case .other(let task):
            content = try RequestContent(task, method: method)
        }
        let target = try ByteRoom.write { (room) throws(RequestFault) in
            let mark = try append(path.text, of: settings.upstream, to: &room)
            if let rules {
                try rules.appendPairs(of: &query, after: mark, to: &room)
            } else if let content, !content.query.isEmpty {
                if let mark { room.append(mark) }
                room.append(content.query)
            }
        }
        guard target.count <= TargetRules.maximumLength else {
            throw RequestFault(.url, "the URL is longer than \(TargetRules.maximumLength) bytes")
        }
        var fields: HTTPFields?
        if content?.contentType != nil || !headers.isEmpty {
            fields = try add(headers, content?.contentType, to: settings.fields)
        }
        return TransportCall(
            method: method, target: target[...], body: content?.body ?? .none,
            own: CallFields.needed(fields, headers, in: context, shared: settings),
            context: context, envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: options)
    }

    /// Appends the upstream's prefix and the path, normalized.
    ///
    /// - Returns: what goes between the path, with the query that it may have, and the first parameter.
    private static func append(
        _ path: String, of upstream: Upstream, to room: inout ByteRoom
    ) throws(RequestFault) -> UInt8? {
        // Parameters are encoded here and need no look; what a target wrote itself does.
        let finding = path.withBytes { path in
            let finding = TargetRules.look(at: path)
            guard finding == .path || finding == .pathAndQuery else { return finding }
            room.append(upstream.prefix)
            if path.first != UInt8(ascii: "/"), !path.isEmpty || upstream.prefix.isEmpty {
                room.append(UInt8(ascii: "/"))
            }
            room.append(path)
            return finding
        }
        switch finding {
        case .path: return UInt8(ascii: "?")
        case .pathAndQuery: return path.queryMark
        case .notNormalized:
            let normalized = String(decoding: HTTPURL.normalizedTarget(path.utf8), as: UTF8.self)
            return try append(normalized, of: upstream, to: &room)
        case .fault(let fault): throw RequestFault(.url, fault)
        }
    }

    /// A target's own fields replace the provider's of the same name.
    static func add(
        _ headers: HTTPFields, _ contentType: String?, to shared: HTTPFields
    ) throws(RequestFault) -> HTTPFields {
        var fields = shared
        var added: [HTTPFieldName] = []
        for (text, value) in headers {
            guard let name = HTTPFieldName(text) else {
                throw RequestFault(.headers, "a header has no valid name")
            }
            guard !TransportField.isOwned(name) else {
                throw RequestFault(.headers, "the header \(name) is the transport's own")
            }
            guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }) else {
                throw RequestFault(.headers, "the header \(name) has a control byte in its value")
            }
            if !added.contains(name) {
                fields.remove(name)
                added.append(name)
            }
            fields.append(name, value)
        }
        if let contentType, !headers.contains(.contentType) { fields.append(.contentType, contentType) }
        return fields
    }
}

/// Fields that belong to one connection or to the framing of a message.
enum TransportField {
    static func isOwned(_ name: HTTPFieldName) -> Bool {
        framing.contains(name) || HopByHopFields.contains(name)
    }

    private static let framing: [HTTPFieldName] = [.host, .contentLength, .expect]
}
