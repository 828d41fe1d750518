import EndpointPlans
import FoundationEssentials
import HTTPModel
import JSONBytes

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
        /// On a loop, which is not held up for long.
        case onLoop
        /// On a thread for such work. Values in the body are looked up in advance.
        case apart
        /// Wherever the caller is.
        case atOnce
    }

    var values = RequestValues()
    var faults: [ParameterFault] = []
    var unmatched: [PatternFault] = []
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
        do {
            guard let text = try parameter.name.text(in: request) else { return try absent(parameter) }
            return try value(of: parameter, text)
        } catch let error as GatewayError {
            reading.faults.append(ParameterFault(parameter.name, rule: parameter.phrase, error))
            return nil
        }
    }

    private mutating func value(
        of parameter: BoundParameter, _ text: String
    ) throws(GatewayError) -> ParameterText {
        switch parameter.declared.rule.read(text) {
        case .value(let value): return value
        case .invalid:
            let isTooLarge = parameter.declared.rule.isBeyondIntegers(text)
            let subject = parameter.name.subject
            throw .invalid(isTooLarge ? "\(subject) is too large; it" : subject, mustBe: parameter.phrase)
        case .unmatched(let pattern):
            let subject = parameter.name.subject
            reading.unmatched.append(PatternFault(pattern: pattern.name, subject: subject))
            throw .invalidRequest("\(subject) \(pattern.refusal)")
        }
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
    ///   - pace: where this runs.
    /// - Returns: false if the patterns take longer than allowed on a loop.
    mutating func read(
        _ schema: BodySchema, segments: [BoundReference], _ pace: RequestReading.Pace
    ) throws -> Bool {
        let body: JSONFragment
        do {
            body = try request.json()
        } catch let error as GatewayError where error.code.status == 400 {
            reading.faults.append(ParameterFault(ParameterName(.body, ""), rule: "JSON", error))
            return true
        }
        var check = BodyCheck(
            schema, patternTime: pace == .onLoop ? BodyCheck.patternTimeOnLoop : BodyCheck.patternTime)
        check.check(body)
        if pace == .onLoop, check.isOutOfTime { return false }
        reading.faults += check.faults
        reading.unmatched += check.unmatched.map { PatternFault(pattern: $0.name, subject: "The body") }
        guard check.faults.isEmpty else { return true }
        reading.values.body = body
        reading.values.memory = request.memory
        for reference in segments { checkSegment(reference, in: body) }
        return true
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
