import JSONBytes

/// A parameter of a request: where it is, what it is called and what it must be. `GatewayRequest.parameters`
/// reads several.
public struct Parameter<Value: Sendable>: Sendable {
    private let name: ParameterName
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
        self.name = ParameterName(place, name)
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

    /// - Throws: `ParameterFault`, and `EndpointFault` for a path parameter that the endpoint does not
    ///   declare.
    func value(in request: GatewayRequest) throws -> Value {
        do {
            let texts = isList ? try name.texts(in: request) : try name.text(in: request).map { [$0] } ?? []
            guard !texts.isEmpty else {
                guard let absent else { throw GatewayError.missing(name.subject, mustBe: rule) }
                return absent
            }
            guard let value = read(texts) else { throw GatewayError.invalid(name.subject, mustBe: rule) }
            return value
        } catch let error as GatewayError {
            throw ParameterFault(name, rule: rule, error)
        }
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
    /// - Throws: 400 `INVALID_REQUEST`. Its message has a sentence for each fault, and its `details` an
    ///   object with `in` (`path`, `query`, `field` or `cookie`), `name`, `rule` and `message`.
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
