import FoundationEssentials
import HTTPModel
import JSONBytes

/// The values of one request that templates refer to.
struct RequestValues: Sendable {
    /// In the order of the plan's parameters; nil for an absent one.
    var parameters: [ParameterText?] = []
    var body: JSONFragment?
}

/// A match of a request's value exceeded its limits. Reported to the log; the client gets 400.
struct PatternFault: Error, CustomStringConvertible {
    /// As messages name it.
    let pattern: String
    let subject: String

    var description: String { "\(subject): a match of \(pattern) exceeded its limits" }
}

/// Reads the declared parameters and the body of a request, and collects all that is wrong.
struct RequestReader {
    let request: GatewayRequest
    /// The wall clock, for `today`.
    let wallTime: () -> Date
    private(set) var values = RequestValues()
    private(set) var faults: [ParameterFault] = []
    private(set) var unmatched: [PatternFault] = []

    init(_ request: GatewayRequest, wallTime: @escaping () -> Date) {
        self.request = request
        self.wallTime = wallTime
    }

    mutating func read(_ rules: [Frozen<BoundParameter>]) throws {
        values.parameters.reserveCapacity(rules.count)
        for rule in rules { values.parameters.append(try read(rule.value)) }
    }

    private mutating func read(_ parameter: BoundParameter) throws -> ParameterText? {
        let text: String?
        do throws(GatewayError) {
            text = try parameter.text(in: request)
        } catch {
            guard error.code.status == 400 else { throw error }
            complain(parameter, error.message, isWhole: true)
            return nil
        }
        guard let text else { return absent(parameter) }
        switch parameter.declared.rule.read(text) {
        case .value(let value): return value
        case .invalid:
            let isTooLarge = parameter.declared.rule.isBeyondIntegers(text)
            complain(parameter, (isTooLarge ? "is too large; it " : "") + "must be \(parameter.phrase)")
        case .unmatched(let pattern):
            complain(parameter, pattern.refusal)
            unmatched.append(
                PatternFault(
                    pattern: pattern.name, subject: parameter.place.subject(parameter.declared.name)))
        }
        return nil
    }

    private mutating func absent(_ parameter: BoundParameter) -> ParameterText? {
        switch parameter.declared.defaultValue {
        case .text?: return parameter.defaultText
        case .today?: return today().map { ParameterText(text: $0.description, isString: true) }
        case nil:
            if parameter.declared.isRequired {
                complain(parameter, "is missing; it must be \(parameter.phrase)")
            }
            return nil
        }
    }

    private func today() -> CalendarDate? {
        CalendarDate(daysSince1970: Int((wallTime().timeIntervalSince1970 / 86_400).rounded(.down)))
    }

    /// - Parameter segments: places in the body whose values are written into paths.
    mutating func read(_ schema: BodySchema, segments: [BoundReference]) throws {
        let body: JSONFragment
        do {
            body = try request.json()
        } catch let error as GatewayError where error.code.status == 400 {
            return faults.append(
                ParameterFault(place: .body, name: "", rule: "JSON", message: error.message))
        }
        var check = BodyCheck(schema)
        check.check(body)
        faults += check.faults
        unmatched += check.unmatched.map { PatternFault(pattern: $0.name, subject: "The body") }
        guard check.faults.isEmpty else { return }
        values.body = body
        for reference in segments { checkSegment(reference, in: body) }
    }

    private mutating func checkSegment(_ reference: BoundReference, in body: JSONFragment) {
        let text = reference.path.value(in: body).flatMap(\.scalarText)
        if let text, ValueRule.isSegment(text) { return }
        let name = String(reference.text.dropFirst("body.".count))
        let rule = "text without slashes and control characters, or a number"
        faults.append(
            ParameterFault(
                place: .body, name: name, rule: rule,
                message: "\(ParameterPlace.body.subject(name)) must be \(rule)"))
    }

    private mutating func complain(_ parameter: BoundParameter, _ text: String, isWhole: Bool = false) {
        let name = parameter.declared.name
        faults.append(
            ParameterFault(
                place: parameter.place, name: name, rule: parameter.phrase,
                message: isWhole ? text : "\(parameter.place.subject(name)) \(text)"))
    }
}

extension JSONFragment {
    /// A string's text, or that of a number or Boolean; nil for other values.
    var scalarText: String? {
        switch kind {
        case .string: stringValue
        case .number, .bool: description
        case .null, .array, .object: nil
        }
    }
}
