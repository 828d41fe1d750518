import ASCIIText
import EndpointPlans
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

/// A parameter's place and name, which find its texts in a request.
struct ParameterName: Sendable {
    let place: ParameterPlace
    let name: String
    /// Nil unless it is the name of a field.
    let field: HTTPFieldName?

    init(_ place: ParameterPlace, _ name: String) {
        self.place = place
        self.name = name
        field = place == .field ? HTTPFieldName(name) : nil
    }

    /// As messages name it.
    var subject: String { place.subject(name) }

    /// Returns the only text in a request, decoded; nil if it is absent.
    ///
    /// - Throws: `GatewayError` for a request that gives it twice or undecodable, `EndpointFault` for a place
    ///   that has no such name.
    func text(in request: GatewayRequest) throws -> String? {
        switch place {
        case .path: return try pathText(in: request)
        case .query: return try request.onlyText(of: name)
        case .field, .cookie, .body:
            let values = try values(in: request)
            guard values.count < 2 else { throw GatewayError.repeated(subject, values.count) }
            return try values.first.map(decoded)
        }
    }

    /// Returns all texts in a request, decoded. Throws as `text(in:)` does, except for repetitions.
    func texts(in request: GatewayRequest) throws -> [String] {
        switch place {
        case .path: [try pathText(in: request)]
        case .query: try request.texts(of: name)
        case .field, .cookie, .body: try values(in: request).map(decoded)
        }
    }

    func pathText(in request: GatewayRequest) throws(EndpointFault) -> String {
        guard let text = request.pathText(of: name) else {
            throw EndpointFault(
                "the path has no parameter {\(name)}"
                    + Suggestion.textOrNames(for: name, among: request.endpoint.parameterNames))
        }
        return text
    }

    private func values(in request: GatewayRequest) throws(EndpointFault) -> [ArraySlice<UInt8>] {
        if place == .cookie {
            return request.cookieBytes.filter { $0.name.elementsEqual(name.utf8) }.map(\.value)
        }
        guard let field else { throw EndpointFault("\(name) is not the name of a field") }
        return request.fields.valueBytes(of: field)
    }

    /// Fields may have any bytes (RFC 9110 5.5). A text with others in their place would be wrong without
    /// notice.
    private func decoded(_ bytes: ArraySlice<UInt8>) throws(GatewayError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .invalid(subject, mustBe: "UTF-8")
        }
        return text
    }
}

/// A parameter, or a value in the body, that is missing or breaks its rule.
struct ParameterFault: Error {
    let name: ParameterName
    let rule: String
    let message: String
    private let logged: ParameterName
    private let word: Word?

    /// The word of a schema that refuses the value, and where the value is.
    struct Word {
        let pointer: String
        let keyword: String
    }

    /// - Parameters:
    ///   - logged: the name for a log, if `name` has names that the client chose.
    ///   - word: the word of the schema; nil if no schema says so.
    init(
        _ name: ParameterName, rule: String, _ error: GatewayError, logged: ParameterName? = nil,
        word: Word? = nil
    ) {
        self.word = word
        self.name = name
        self.rule = rule
        self.logged = logged ?? name
        message = error.message
    }

    /// The place and name for a log, at most 128 bytes of the name.
    var logName: String {
        logged.name.isEmpty
            ? logged.place.rawValue
            : "\(logged.place.rawValue).\(String(decoding: logged.name.utf8.prefix(128), as: UTF8.self))"
    }

    /// For the `details` of the answer.
    var details: JSONLiteral {
        guard let word else {
            return [
                "in": .init(name.place.rawValue), "name": .init(name.name), "rule": .init(rule),
                "message": .init(message),
            ]
        }
        return [
            "in": .init(name.place.rawValue), "name": .init(name.name), "rule": .init(rule),
            "message": .init(message), "at": .init(word.pointer), "keyword": .init(word.keyword),
        ]
    }
}

// The faults of a value in a request, whether a parameter, a field of a form or a part of the body. A rule
// follows "must be".
extension GatewayError {
    @usableFromInline
    static func missing(_ subject: String, mustBe rule: String) -> GatewayError {
        .invalidRequest("\(subject) is missing; it must be \(rule)")
    }

    @usableFromInline
    static func invalid(_ subject: String, mustBe rule: String) -> GatewayError {
        .invalidRequest("\(subject) must be \(rule)")
    }

    static func repeated(_ subject: String, _ count: Int) -> GatewayError {
        .invalidRequest("\(subject) is given \(count) times; it must be given once")
    }
}
