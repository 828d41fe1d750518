import FoundationEssentials
import HTTPModel

/// The parts of a target as they go on the wire.
struct BuiltRequest: Sendable {
    var target: ArraySlice<UInt8>
    /// The provider's fields and the target's own in one.
    var fields: HTTPFields
    /// The target's own.
    var headers: HTTPFields
    var body: ArraySlice<UInt8>?

    /// Whether `fields` are the provider's as they are.
    var isPlain: Bool

    /// The call's fields and its context's, and whether the first are still the provider's as they are. A target's
    /// own field goes before a forwarded one, that before the provider's.
    func fields(in context: CallContext?, for upstream: Upstream) -> (HTTPFields, HTTPFields, Bool) {
        guard let context else { return (fields, CallContext.fieldsWithoutContext, isPlain) }
        let contextFields = context.fields(for: upstream)
        guard context.forwards || !headers.isEmpty else { return (fields, contextFields, isPlain) }
        return merged(contextFields)
    }

    private func merged(_ context: HTTPFields) -> (HTTPFields, HTTPFields, Bool) {
        var fields = fields
        var context = context
        if context.contains(.accept), !headers.contains(.accept) { fields.remove(.accept) }
        for (text, _) in headers {
            if let name = HTTPFieldName(text) { context.remove(name) }
        }
        return (fields, context, false)
    }
}

/// Writes path, query and body of a call as bytes.
enum RequestBuilder {
    /// - Parameters:
    ///   - shared: the provider's own fields; used as they are where the call adds none.
    static func build(
        upstream: Upstream, path: RequestPath, headers: HTTPFields, task: RequestTask,
        shared: HTTPFields
    ) throws(RequestFault) -> BuiltRequest {
        if let fault = path.fault { throw RequestFault(fault) }
        var target = target(upstream: upstream, path: path)
        // Parameters are encoded here and need no look; what a target wrote itself does.
        let prefix = upstream.prefix.count
        if let fault = target.withUnsafeBytes({ TargetRules.fault(in: $0, prefix: prefix) }) {
            throw RequestFault(fault)
        }
        var body: ArraySlice<UInt8>?
        var contentType: String?
        switch task.content {
        case .plain:
            break
        case .json(let value, let encoder):
            body = try json(value, encoder)
            contentType = "application/json"
        case .bytes(let bytes, let type):
            body = bytes
            contentType = type
        case .parameters(let parameters, let encoding):
            switch encoding.place {
            case .query:
                try appendQuery(parameters, encoding, to: &target)
            case .form:
                var bytes: [UInt8] = []
                try encoding.appendPairs(of: parameters, to: &bytes)
                body = bytes[...]
                contentType = "application/x-www-form-urlencoded"
            case .json:
                body = try encoding.object(of: parameters)
                contentType = "application/json"
            }
        }
        guard target.count <= TargetRules.maximumLength else {
            throw RequestFault("the URL is longer than \(TargetRules.maximumLength) bytes")
        }
        var fields = shared
        if !headers.isEmpty { try add(headers, to: &fields) }
        if let contentType, !headers.contains(.contentType) { fields.append(.contentType, contentType) }
        return BuiltRequest(
            target: target[...], fields: fields, headers: headers, body: body,
            isPlain: headers.isEmpty && contentType == nil)
    }

    private static func target(upstream: Upstream, path: RequestPath) -> [UInt8] {
        var target: [UInt8] = []
        let text = path.text.utf8
        target.reserveCapacity(upstream.prefix.count + text.count + 64)
        target.append(contentsOf: upstream.prefix)
        if text.first != UInt8(ascii: "/"), !text.isEmpty || target.isEmpty {
            target.append(UInt8(ascii: "/"))
        }
        target.append(contentsOf: text)
        return target
    }

    private static func appendQuery(
        _ parameters: Parameters, _ encoding: ParameterEncoding, to target: inout [UInt8]
    ) throws(RequestFault) {
        guard !target.contains(UInt8(ascii: "?")) else {
            throw RequestFault("the path has a query, and there are parameters beside it")
        }
        let mark = target.count
        target.append(UInt8(ascii: "?"))
        try encoding.appendPairs(of: parameters, to: &target)
        if target.count == mark + 1 { target.removeLast() }
    }

    private static func json(
        _ value: any Encodable & Sendable, _ encoder: JSONEncoder?
    ) throws(RequestFault) -> ArraySlice<UInt8> {
        do {
            return ArraySlice(try (encoder ?? RequestBuilder.encoder).encode(value))
        } catch {
            throw RequestFault("the body cannot be encoded as JSON", underlying: error)
        }
    }

    private static let encoder = JSONEncoder()

    /// A target's own fields replace the provider's of the same name.
    private static func add(_ headers: HTTPFields, to fields: inout HTTPFields) throws(RequestFault) {
        var added: [HTTPFieldName] = []
        for (text, value) in headers {
            guard let name = HTTPFieldName(text) else { throw RequestFault("a header has no valid name") }
            guard !TransportField.isOwned(name) else {
                throw RequestFault("the header \(name) is the transport's own")
            }
            guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }) else {
                throw RequestFault("the header \(name) has a control byte in its value")
            }
            if !added.contains(name) {
                fields.remove(name)
                added.append(name)
            }
            fields.append(name, value)
        }
    }
}

/// Fields that belong to one connection or to the framing of a message.
enum TransportField {
    static func isOwned(_ name: HTTPFieldName) -> Bool {
        owned.contains(name)
    }

    private static let owned: [HTTPFieldName] = [
        .host, .contentLength, .transferEncoding, .connection, .keepAlive, .proxyConnection, .te, .trailer,
        .upgrade, .http2Settings, .expect,
    ]
}
