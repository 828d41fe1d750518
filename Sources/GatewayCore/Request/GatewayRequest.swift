public import HTTPModel

/// What a handler gets: the request as it came, and its parameters by name and type.
///
/// What a parameter lacks is a `GatewayError.invalidRequest` that names it; a handler lets it pass.
public final class GatewayRequest: Sendable {
    public var head: HTTPRequestHead { request.head }
    /// The whole body, at most the endpoint's limit.
    public var body: ArraySlice<UInt8> { request.body }
    /// The answer's `X-Request-Id`.
    public let requestID: String

    /// In one piece, as it was handed over.
    private let request: ReceivedRequest
    private let routed: GatewayResponder.Routed
    var endpoint: Endpoint { routed.endpoint }
    var fields: HTTPFields { request.head.fields }

    init(_ request: consuming ReceivedRequest, requestID: String, _ routed: GatewayResponder.Routed) {
        self.request = consume request
        self.requestID = requestID
        self.routed = routed
    }

    public var method: HTTPMethod { request.head.method }

    /// The first field of that name.
    public func header(_ name: HTTPFieldName) -> String? { fields[name] }
}

extension GatewayRequest {
    /// The segment that `{name}` of the endpoint's path stands for, percent-decoded.
    ///
    /// A name that the path does not have is a fault of the endpoint: `500 INTERNAL`.
    public func path<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws -> Value {
        guard let index = endpoint.parameterNames.firstIndex(of: name) else {
            throw EndpointFault("the path has no parameter {\(name)}")
        }
        return try Self.read(String(decoding: routed.parameters[index], as: UTF8.self), as: type) {
            "path parameter \"\(name)\""
        }
    }

    /// The query parameter of that name, which must be there, once.
    @inlinable
    public func query<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(GatewayError) -> Value {
        guard let value = try query(ifPresent: name, as: type) else {
            throw .invalidRequest("query parameter \"\(name)\" is missing; it must be \(type.rule)")
        }
        return value
    }

    /// The query parameter of that name, or `defaultValue` where it is absent.
    @inlinable
    public func query<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self, default defaultValue: Value
    ) throws(GatewayError) -> Value {
        try query(ifPresent: name, as: type) ?? defaultValue
    }

    /// The query parameter of that name, or `nil` where it is absent. Given twice it is an error.
    @inlinable
    public func query<Value: RequestValue>(
        ifPresent name: String, as type: Value.Type = Value.self
    ) throws(GatewayError) -> Value? {
        guard let text = try onlyText(of: name) else { return nil }
        return try Self.read(text, as: type) { "query parameter \"\(name)\"" }
    }

    /// All query parameters of that name, in order; none is an empty array.
    public func queryAll<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(GatewayError) -> [Value] {
        var result: [Value] = []
        for text in try texts(of: name) {
            result.append(try Self.read(text, as: type) { "query parameter \"\(name)\"" })
        }
        return result
    }

    /// The text of the one query parameter of that name; `nil` where there is none.
    @usableFromInline
    func onlyText(of name: String) throws(GatewayError) -> String? {
        guard let query = request.head.target.queryBytes else { return nil }
        if let text = PlainQuery.onlyValue(of: name, in: query) { return text }
        let values = try texts(of: name)
        guard values.count < 2 else {
            throw .invalidRequest("query parameter \"\(name)\" is given \(values.count) times; one is due")
        }
        return values.first
    }

    private func texts(of name: String) throws(GatewayError) -> [String] {
        do {
            return try QueryItems(request.head.target.queryBytes).values(of: name)
        } catch {
            throw .invalidRequest("query parameter \"\(name)\" cannot be read: \(error)")
        }
    }

    @inlinable
    static func read<Value: RequestValue>(
        _ text: String, as type: Value.Type, _ subject: () -> String
    ) throws(GatewayError) -> Value {
        guard let value = Value(requestText: text) else {
            throw .invalidRequest("\(subject()) must be \(type.rule)")
        }
        return value
    }
}

/// A mistake in an endpoint's code that shows as it runs: an incident, and `500 INTERNAL` for the client.
struct EndpointFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
