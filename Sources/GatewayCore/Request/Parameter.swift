import HTTPModel
import JSONBytes

/// The part of a request that has a parameter.
enum ParameterPlace: String, Sendable {
    case path, query, field, cookie, body

    func subject(_ name: String) -> String {
        switch self {
        case .path: "Path parameter \"\(name)\""
        case .query: "Query parameter \"\(name)\""
        case .field: "Field \"\(name)\""
        case .body: name.isEmpty ? "The body" : "In the body, \(name)"
        case .cookie: "Cookie \"\(name)\""
        }
    }
}

/// A parameter of a request: where it is, what it is called and what it must be. `GatewayRequest.parameters` reads several.
public struct Parameter<Value: Sendable>: Sendable {
    let place: ParameterPlace
    let name: String
    /// What it must be, phrased to follow "must be".
    private(set) var rule: String
    /// Returns nil if the texts break the rule.
    private(set) var read: @Sendable ([String]) -> Value?
    /// What an absent parameter means; nil if it must be given.
    private var absent: Value?
    /// Whether it may be given more than once.
    private let isList: Bool

    init(
        _ place: ParameterPlace, _ name: String, rule: String, absent: Value? = nil, isList: Bool = false,
        _ read: @escaping @Sendable ([String]) -> Value?
    ) {
        self.place = place
        self.name = name
        self.rule = rule
        self.absent = absent
        self.isList = isList
        self.read = read
    }

    /// Returns the parameter with a value for requests without it.
    public func `default`(_ value: Value) -> Parameter {
        var parameter = self
        parameter.absent = value
        return parameter
    }

    /// Returns the parameter with one more condition.
    func restricted(_ rule: String, _ isValid: @escaping @Sendable (Value) -> Bool) -> Parameter {
        var parameter = self
        parameter.rule = rule
        parameter.read = { [read] texts in read(texts).flatMap { isValid($0) ? $0 : nil } }
        return parameter
    }

    /// - Throws: `ParameterFault`, and `EndpointFault` for a path parameter that the endpoint does not declare.
    func value(in request: GatewayRequest) throws -> Value {
        let texts: [String]
        do {
            texts = try request.texts(of: place, name)
        } catch let error as GatewayError {
            throw ParameterFault(place: place, name: name, rule: rule, message: error.message)
        }
        if texts.isEmpty {
            guard let absent else { throw fault("is missing; it must be \(rule)") }
            return absent
        }
        if texts.count > 1, !isList {
            throw fault("is given \(texts.count) times; it must be given once")
        }
        guard let value = read(texts) else { throw fault("must be \(rule)") }
        return value
    }

    private func fault(_ text: String) -> ParameterFault {
        ParameterFault(place: place, name: name, rule: rule, message: "\(place.subject(name)) \(text)")
    }
}

/// A parameter that is missing or breaks its rule.
struct ParameterFault: Error {
    let place: ParameterPlace
    let name: String
    let rule: String
    let message: String

    /// The place and name for a log. A client may choose names in its body, so only 128 bytes are kept.
    var logName: String {
        name.isEmpty
            ? place.rawValue
            : "\(place.rawValue).\(String(decoding: name.utf8.prefix(128), as: UTF8.self))"
    }

    /// For the `details` of the answer.
    var details: JSONLiteral {
        ["in": .init(place.rawValue), "name": .init(name), "rule": .init(rule), "message": .init(message)]
    }
}

extension GatewayRequest {
    /// Reads a parameter:
    ///
    ///     let page = try request.parameter(.query("page", as: Int.self).in(1...100).default(1))
    ///
    /// - Throws: 400 `INVALID_REQUEST`, as `parameters` does.
    public func parameter<Value>(_ parameter: Parameter<Value>) throws -> Value {
        do {
            return try parameter.value(in: self)
        } catch let fault as ParameterFault {
            throw Self.error([fault])
        }
    }

    /// Reads several parameters, and reports all that are missing or invalid at once:
    ///
    ///     let (shop, page, sort, tags) = try request.parameters(
    ///         .path("shop", as: String.self),
    ///         .query("page", as: Int.self).in(1...100).default(1),
    ///         .query("sort", as: Sort.self).default(.newest),
    ///         .query("tag", listOf: String.self, count: 0...5))
    ///
    /// - Throws: 400 `INVALID_REQUEST`. Its message has a sentence for each fault, and its `details` an object with `in` (`path`,
    ///   `query`, `field` or `cookie`), `name`, `rule` and `message`.
    public func parameters<each Value>(
        _ parameters: repeat Parameter<each Value>
    ) throws -> (repeat each Value) {
        let reader = ParameterReader(self)
        let values = try (repeat reader.read(each parameters))
        return try (repeat reader.found(each values))
    }

    static func error(_ faults: [ParameterFault]) -> GatewayError {
        var error = GatewayError.invalidRequest(faults.map(\.message).joined(separator: "; "))
        error.details = JSONLiteral(faults.map(\.details)).fragment
        error.refusedValues = faults.prefix(8).map(\.logName)
        return error
    }

    /// Returns the texts of a parameter, decoded.
    fileprivate func texts(of place: ParameterPlace, _ name: String) throws -> [String] {
        switch place {
        case .path: return [try path(name, as: String.self)]
        case .query: return try texts(of: name)
        case .field:
            guard let field = HTTPFieldName(name) else {
                throw EndpointFault("\(name) is not the name of a field")
            }
            return try fields.valueBytes(of: field).map { try text($0, of: place, name) }
        case .cookie:
            return try cookieBytes.filter { $0.name.elementsEqual(name.utf8) }
                .map { try text($0.value, of: place, name) }
        case .body: throw EndpointFault("a body has no parameters")
        }
    }

    /// Fields may have any bytes (RFC 9110 5.5). A text with others in their place would be wrong without notice.
    private func text(
        _ bytes: ArraySlice<UInt8>, of place: ParameterPlace, _ name: String
    ) throws(ParameterFault) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ParameterFault(
                place: place, name: name, rule: "UTF-8", message: "\(place.subject(name)) must be UTF-8")
        }
        return text
    }
}

/// Reads parameters and collects their faults.
private final class ParameterReader {
    private let request: GatewayRequest
    private var faults: [ParameterFault] = []

    init(_ request: GatewayRequest) {
        self.request = request
    }

    /// Returns nil for a fault.
    func read<Value>(_ parameter: Parameter<Value>) throws -> Value? {
        do {
            return try parameter.value(in: request)
        } catch let fault as ParameterFault {
            faults.append(fault)
            return nil
        }
    }

    /// Returns a value that was read. Throws all faults if there are any.
    func found<Value>(_ value: Value?) throws -> Value {
        guard faults.isEmpty, let value else { throw GatewayRequest.error(faults) }
        return value
    }
}
