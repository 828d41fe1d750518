import ASCIIText
import HTTPModel

/// Builds a call from the parts of a target: path, query, body and fields.
enum RequestBuilder {
    static func build(
        method: HTTPMethod, path: RequestPath, headers: HTTPFields,
        task: consuming RequestTask, context: CallContext?, envelope: ResponseEnvelope, allowsEmptyBody: Bool,
        settings: CallSettings, options: CallOptions?
    ) throws(RequestFault) -> TransportCall {
        if let fault = path.fault { throw RequestFault(.url, fault) }
        var query = Parameters()
        var rules: PairRules?
        // Nil for most calls: they have at most a query.
        var content: RequestContent?
        switch task.takeContent() {
        case .plain:
            break
        case .parameters(let parameters, let encoding):
            if encoding.output(for: method) == .query {
                query = parameters
                rules = encoding.rules
            } else {
                content = try RequestContent(parameters, encoding, method: method)
            }
        case .other(let task):
            content = try RequestContent(task, method: method)
        }
        let target = try ByteWriter.collect { (writer) throws(RequestFault) in
            let mark = try append(path.text, of: settings.upstream, to: &writer)
            if let rules {
                try rules.appendPairs(of: &query, after: mark, to: &writer)
            } else if let content, !content.query.isEmpty {
                if let mark { writer.append(mark) }
                writer.append(content.query)
            }
        }
        try TargetRules.checkLength(target)
        try MethodRules.check(method, content?.body ?? .none)
        var fields: HTTPFields?
        if content?.contentType != nil || !headers.isEmpty {
            fields = try add(headers, content?.contentType, to: settings.fields)
        }
        return TransportCall(
            method: method, target: target[...], body: content?.body ?? .none,
            own: CallFields.makeIfNeeded(fields, headers, in: context, shared: settings),
            context: context, envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: options)
    }

    /// Appends the upstream's prefix and the normalized path.
    ///
    /// - Returns: the separator between the path, possibly with a query, and the first parameter.
    private static func append(
        _ path: String, of upstream: Upstream, to writer: inout ByteWriter
    ) throws(RequestFault) -> UInt8? {
        // Only the path needs a check: encoded parameters are safe.
        let kind = path.withBytes { path in
            let kind = TargetRules.classify(path)
            guard kind == .path || kind == .pathAndQuery else { return kind }
            writer.append(upstream.prefix)
            // A path that is only a query follows the prefix directly.
            let needsSlash =
                upstream.prefix.isEmpty || !path.isEmpty && path.first != UInt8(ascii: "?")
            if path.first != UInt8(ascii: "/"), needsSlash { writer.append(UInt8(ascii: "/")) }
            writer.append(path)
            return kind
        }
        switch kind {
        case .path: return UInt8(ascii: "?")
        case .pathAndQuery: return path.queryMark
        case .notNormalized:
            let normalized = String(decoding: HTTPURL.normalizedTarget(path.utf8), as: UTF8.self)
            return try append(normalized, of: upstream, to: &writer)
        case .fault(let fault): throw RequestFault(.url, fault)
        }
    }

    /// Adds a target's own fields and replaces the provider's with the same names.
    static func add(
        _ headers: HTTPFields, _ contentType: String?, to shared: HTTPFields
    ) throws(RequestFault) -> HTTPFields {
        if let fault = fault(in: headers) { throw fault }
        var fields = shared
        fields.remove(allIn: headers)
        fields.append(contentsOf: headers)
        // A part of a compressed body cannot be decoded.
        if headers.contains(.range), !headers.contains(.acceptEncoding), fields.contains(.acceptEncoding) {
            fields.remove(.acceptEncoding)
            fields.append(.acceptEncoding, "identity")
        }
        if let contentType, !headers.contains(.contentType) { fields.append(.contentType, contentType) }
        return fields
    }

    /// Returns why a field cannot be sent, or nil.
    private static func fault(in headers: HTTPFields) -> RequestFault? {
        var fault: RequestFault?
        headers.withEachField { name, value in
            guard fault == nil else { return }
            guard (1...HTTPFieldName.maximumLength).contains(name.count), name.allSatisfy(ASCII.isTokenByte)
            else {
                fault = RequestFault(.headers, "a header name is invalid")
                return
            }
            let isOwn = TransportFields.areInRequest(name)
            guard isOwn || !value.allSatisfy(ASCII.isFieldByte) else { return }
            let text = String(decoding: name, as: UTF8.self)
            fault = RequestFault(
                .headers,
                isOwn
                    ? "the header \(text) is set by the transport"
                    : "the value of header \(text) has a control byte")
        }
        return fault
    }
}
