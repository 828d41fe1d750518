import EndpointPlans
import FoundationEssentials
import HTTPModel
import JSONBytes
import JSONSchema

/// The values of one request that templates refer to.
struct RequestValues: Sendable {
    /// In the order of the plan's parameters; nil for an absent one.
    var parameters: [ParameterText?] = []
    var body: JSONFragment?
    /// The claims of the caller; nil for an unknown one.
    var claims: JSONFragment?
    /// The charge of a large body.
    var memory: (any RequestMemory)?
    /// What references find in a large body, by slot; nil if it is found when it is needed.
    var found: [Int: JSONFragment?]?
    /// The bytes of the lists among them, which are copies.
    var listBytes = 0
}

/// What was read of a request, and what is wrong with it.
struct RequestReading: Sendable {
    enum Pace {
        /// On a thread for such work. Values in the body are looked up in advance.
        case apart
        /// Wherever the caller is.
        case atOnce
    }

    var values = RequestValues()
    var faults: [ParameterFault] = []
    var exceeded: [CheckFault] = []
}

/// A check of a request's value exceeded its bound. Reported to the log; the client gets 400.
struct CheckFault: Error, CustomStringConvertible {
    let subject: String
    /// The word at which the check ended: `cost` or `pattern`.
    let keyword: String
    /// The schema: its document, line and column.
    let schema: String

    init(_ subject: String, _ fault: SchemaFault) {
        self.subject = subject
        keyword = fault.keyword
        let name = fault.document.isEmpty ? "" : "\(fault.document):"
        schema = "\(name)\(fault.place.line):\(fault.place.column)"
    }

    var description: String {
        "\(subject): the check by the schema at \(schema) exceeded its bound (\(keyword))"
    }
}

/// Reads the declared parameters and the body of a request, and collects all that is wrong.
struct RequestReader {
    let request: GatewayRequest
    /// The wall clock, for `today`.
    let wallTime: () -> Date
    private(set) var reading = RequestReading()

    init(_ request: GatewayRequest, wallTime: @escaping () -> Date) {
        self.request = request
        self.wallTime = wallTime
    }

    mutating func read(_ rules: [Frozen<BoundParameter>]) throws {
        reading.values.parameters.reserveCapacity(rules.count)
        for rule in rules { reading.values.parameters.append(try read(rule.value)) }
    }

    private mutating func read(_ parameter: BoundParameter) throws -> ParameterText? {
        let rule = parameter.declared.rule
        do {
            if rule.type == .array {
                let texts = try parameter.name.texts(in: request)
                return texts.isEmpty ? try absent(parameter) : value(of: parameter, rule.read(texts))
            }
            guard let text = try parameter.name.text(in: request) else { return try absent(parameter) }
            return value(of: parameter, rule.read(text))
        } catch let error as GatewayError {
            reading.faults.append(
                ParameterFault(
                    parameter.name, rule: parameter.phrase, error,
                    word: .init(pointer: "", keyword: "required")))
            return nil
        }
    }

    /// Returns the value; nil after a fault.
    private mutating func value(
        of parameter: BoundParameter, _ result: ValueRule.Reading
    ) -> ParameterText? {
        let subject = parameter.name.subject
        switch result {
        case .value(let value): return value
        case .invalid(let refusal):
            refuse(
                parameter, refusal.rule, .init(pointer: refusal.pointer, keyword: refusal.keyword))
        case .exceeded(let fault):
            reading.exceeded.append(CheckFault(subject, fault))
            refuse(parameter, fault.rule, .init(pointer: "", keyword: fault.keyword))
        }
        return nil
    }

    private mutating func refuse(
        _ parameter: BoundParameter, _ rule: String, _ word: ParameterFault.Word
    ) {
        reading.faults.append(
            ParameterFault(
                parameter.name, rule: rule, .invalid(parameter.name.subject, mustBe: rule), word: word))
    }

    private func absent(_ parameter: BoundParameter) throws(GatewayError) -> ParameterText? {
        switch parameter.declared.defaultValue {
        case .value?: return parameter.defaultText
        case .today?: return today().map { ParameterText(text: $0.description, isString: true) }
        case nil:
            guard parameter.declared.isRequired else { return nil }
            throw .missing(parameter.name.subject, mustBe: parameter.phrase)
        }
    }

    private func today() -> CalendarDate? {
        CalendarDate(daysSince1970: Int((wallTime().timeIntervalSince1970 / 86_400).rounded(.down)))
    }

    /// - Parameters:
    ///   - schema: the body's.
    ///   - segments: places in the body whose values are written into paths.
    mutating func read(_ schema: Schema, segments: [BoundReference]) throws {
        let body: JSONFragment
        do {
            body = try request.json()
        } catch let error as GatewayError where error.code.status == 400 {
            reading.faults.append(ParameterFault(ParameterName(.body, ""), rule: "JSON", error))
            return
        }
        switch schema.check.check(body) {
        case .accepted: break
        case .refused(let faults):
            reading.faults += faults.map { BodyFaults.fault($0, by: schema) }
            return
        case .exceeded(let fault):
            reading.exceeded.append(CheckFault("The body", fault))
            reading.faults.append(BodyFaults.fault(fault, by: schema))
            return
        }
        reading.values.body = body
        reading.values.memory = request.memory
        for reference in segments { checkSegment(reference, in: body) }
    }

    /// Looks up what references will read in the body.
    mutating func find(_ places: [Int: ValuePath]) {
        guard let body = reading.values.body else { return }
        var found: [Int: JSONFragment?] = [:]
        for (slot, path) in places {
            let value = path.value(in: body)
            found[slot] = .some(value)
            if path.isList, let value { reading.values.listBytes += value.bytes.count }
        }
        reading.values.found = found
    }

    private mutating func checkSegment(_ reference: BoundReference, in body: JSONFragment) {
        let text = reference.path.value(in: body).flatMap(\.scalarText)
        if let text, ValueRule.isSegment(text) { return }
        let name = ParameterName(.body, String(reference.text.dropFirst("body.".count)))
        let rule = "text without slashes and control characters, or a number"
        reading.faults.append(ParameterFault(name, rule: rule, .invalid(name.subject, mustBe: rule)))
    }
}

extension JSONFragment {
    /// The text of a string, number or Boolean; nil for other values.
    var scalarText: String? {
        switch kind {
        case .string: stringValue
        case .number, .bool: description
        case .null, .array, .object: nil
        }
    }
}
