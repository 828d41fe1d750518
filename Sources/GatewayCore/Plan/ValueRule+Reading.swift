import ASCIIText
import EndpointPlans
import FoundationEssentials
import JSONBytes
import JSONSchema

extension DataType {
    /// What a text must be, phrased to follow "must be".
    fileprivate var rule: String {
        switch self {
        case .string: String.rule
        case .integer: Int.rule
        case .number: Double.rule
        case .boolean: Bool.rule
        case .date: CalendarDate.rule
        case .dateTime: "a time such as 2026-11-20T08:00:00Z"
        case .uuid: UUID.rule
        case .array: "a list"
        }
    }

    /// The word of a schema that says so.
    fileprivate var keyword: String {
        switch self {
        case .string, .integer, .number, .boolean, .array: "type"
        case .date, .dateTime, .uuid: "format"
        }
    }
}

/// A value of a parameter that has been read: text, or the text of a number, a Boolean or a list.
struct ParameterText: Sendable, Equatable {
    /// As it is written to an upstream: integers and numbers without a plus sign and leading zeros.
    let text: String
    /// Whether it is a string in JSON. If not, the text is JSON already.
    let isString: Bool
    /// Whether it is a list.
    var isList = false

    var json: JSONFragment {
        isString ? JSONFragment(string: text) : (try? JSONFragment(parsing: text)) ?? .null
    }
}

extension ValueRule {
    /// What is wrong with a value, and which word of its schema says so.
    struct Refusal {
        var rule: String
        var keyword: String
        /// In the value, as a JSON Pointer.
        var pointer = ""
    }

    enum Reading {
        case value(ParameterText)
        case invalid(Refusal)
        /// The check exceeded its bound: the value is refused, and the log names the schema.
        case exceeded(SchemaFault)
    }

    func read(_ text: String) -> Reading {
        guard let value = Self.typed(text, type) else { return invalidType }
        if isSegment, !Self.isSegment(value.text) { return invalidType }
        if isFieldValue, !Renderer.canSend(value.text) { return invalidType }
        return checked(value)
    }

    /// Reads all texts of an array.
    func read(_ texts: [String]) -> Reading {
        var elements: [JSONFragment] = []
        for text in texts {
            guard let element = Self.typed(text, items) else {
                return .invalid(
                    Refusal(rule: "a list, each of which is \(items.rule)", keyword: items.keyword))
            }
            elements.append(element.json)
        }
        return checked(ParameterText(list: elements))
    }

    /// Checks a default that a file or code has.
    func read(_ json: JSONFragment) -> Reading {
        guard type == .array else { return read(json.textOrJSON) }
        guard json.kind == .array else { return invalidType }
        return read(json.elements.map(\.textOrJSON))
    }

    private var invalidType: Reading { .invalid(Refusal(rule: phrase, keyword: type.keyword)) }

    private func checked(_ value: ParameterText) -> Reading {
        guard let schema else { return .value(value) }
        switch schema.check(value.json) {
        case .accepted: return .value(value)
        case .exceeded(let fault): return .exceeded(fault)
        case .refused(let faults):
            let fault = faults.first
            return .invalid(
                Refusal(
                    rule: fault?.rule ?? phrase, keyword: fault?.keyword ?? type.keyword,
                    pointer: fault?.instance ?? ""))
        }
    }

    private static func typed(_ text: String, _ type: DataType) -> ParameterText? {
        switch type {
        case .string: ParameterText(text: text, isString: true)
        case .date: CalendarDate(text).map { _ in ParameterText(text: text, isString: true) }
        case .dateTime: InternetTime(text).map { _ in ParameterText(text: text, isString: true) }
        case .uuid: UUID(uuidString: text).map { _ in ParameterText(text: text, isString: true) }
        case .integer: integer(text)
        case .boolean: Bool(requestText: text).map { _ in ParameterText(text: text, isString: false) }
        case .number: number(text)
        case .array: nil
        }
    }

    /// Reads an integer of any size, in its plain form.
    private static func integer(_ text: String) -> ParameterText? {
        if let value = Int(requestText: text) { return ParameterText(text: "\(value)", isString: false) }
        let isNegative = text.utf8.first == Byte.minus
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard (1...longestNumber).contains(digits.count), digits.allSatisfy(ASCII.isDigit) else { return nil }
        let significant = digits.drop { $0 == Byte.zero }
        return ParameterText(text: (isNegative ? "-" : "") + String(Substring(significant)), isString: false)
    }

    /// The most digits of an integer, as in bodies.
    private static let longestNumber = 255

    /// Keeps the digits if they are a number in JSON, too: `1.50`, but not `+1` and `.5`.
    private static func number(_ text: String) -> ParameterText? {
        guard let value = Double(requestText: text) else { return nil }
        let isJSON = (try? JSONFragment(parsing: text)) != nil
        return ParameterText(text: isJSON ? text : value.description, isString: false)
    }

    static func isSegment(_ text: String) -> Bool {
        (try? EncodedText.checkSegment(text)) != nil
    }

    /// How a text must be written, phrased to follow "must be": `an integer`.
    var phrase: String {
        type == .string && isSegment ? "\(type.rule), without slashes and control characters" : type.rule
    }

    /// The word that says so.
    var keyword: String { type.keyword }
}

extension ParameterText {
    fileprivate init(list: [JSONFragment]) {
        var composer = JSONComposer(sharedFragmentLength: .max)
        composer.beginArray()
        for element in list { composer.fragment(element) }
        composer.endArray()
        self.init(text: composer.fragment().description, isString: false, isList: true)
    }
}

extension JSONFragment {
    /// The text of a string; of any other value, its JSON.
    var textOrJSON: String { stringValue ?? description }
}
