import EndpointPlans
import JSONBytes
import Locking

/// Checks a body by its schema and collects what is wrong.
struct BodyCheck {
    /// Further mistakes are not told.
    static let faultLimit = 20

    let schema: BodySchema
    private(set) var faults: [ParameterFault] = []
    /// The patterns whose matches exceeded their limits.
    private(set) var unmatched: [Pattern] = []
    /// The processor time that the patterns of a body may take, because it may have many texts. Each match
    /// has limits of its own.
    static let patternTime = Duration.milliseconds(20)
    /// The same on a loop. A check that needs more is repeated elsewhere.
    static let patternTimeOnLoop = Duration.milliseconds(4)
    private let patternTime: Duration
    private var timeOfPatterns = Duration.zero
    /// Whether a pattern was not matched because the time was over.
    private(set) var isOutOfTime = false
    /// Where the client chose a name: the log does not tell it, nor what is in that member. Nil elsewhere.
    private var placeOfName: String?

    init(_ schema: BodySchema, patternTime: Duration = Self.patternTime) {
        self.schema = schema
        self.patternTime = patternTime
    }

    mutating func check(_ body: JSONFragment) { check(body, schema.root, at: "") }

    private mutating func check(_ value: JSONFragment, _ rule: BodyRule, at place: String) {
        guard faults.count < Self.faultLimit else { return }
        if let allowed = rule.allowed, !allowed.contains(value) { return complain(place, allowed.phrase) }
        switch rule.content {
        case .any: break
        case .scalar(let rule): check(scalar: value, rule, at: place)
        case .object(let rule): check(object: value, rule, at: place)
        case .array(let rule): check(array: value, rule, at: place)
        case .named(let name): check(value, schema.rule(named: name), at: place)
        }
    }

    private mutating func check(scalar value: JSONFragment, _ rule: ValueRule, at place: String) {
        let text: String? =
            switch rule.type {
            case .string, .date, .dateTime, .uuid: value.stringValue
            case .integer: value.intValue.map { "\($0)" }
            case .number: value.doubleValue.map { _ in value.description }
            case .boolean: value.boolValue.map { "\($0)" }
            case .object, .array: nil
            }
        switch text.map({ read($0, rule) }) {
        case .value?: break
        case .invalid?, nil: complain(place, rule.phrase)
        case .unmatched(let pattern)?:
            // One line in the log for a body.
            if unmatched.isEmpty { unmatched.append(pattern) }
            complain(place, rule.phrase) { subject, _ in
                .invalidRequest("\(subject) \(pattern.refusal)")
            }
        }
    }

    private mutating func read(_ text: String, _ rule: ValueRule) -> ValueRule.Reading {
        guard let pattern = rule.pattern else { return rule.read(text) }
        guard timeOfPatterns < patternTime else {
            isOutOfTime = true
            return .unmatched(pattern)
        }
        // Processor time, so that the verdict does not depend on other programs.
        let began = ThreadClock.now
        defer { timeOfPatterns += ThreadClock.now - began }
        return rule.read(text)
    }

    private mutating func check(object value: JSONFragment, _ rule: BodyRule.ObjectRule, at place: String) {
        guard value.kind == .object else { return complain(place, "an object") }
        let members = value.members
        for name in rule.required where !members.contains(where: { $0.name == name }) {
            let known = rule.properties.first { $0.name == name }?.rule
            let phrase = known.map(phrase) ?? "given"
            complain(Self.member(name, of: place), phrase, GatewayError.missing)
        }
        // All of a repeated name, because an upstream may read any of them.
        for (name, member) in members {
            if let property = rule.properties.first(where: { $0.name == name }) {
                check(member, property.rule, at: Self.member(name, of: place))
            } else if !rule.allowsOthers || !rule.others.isEmpty {
                let outer = placeOfName
                placeOfName = outer ?? place
                defer { placeOfName = outer }
                if !rule.allowsOthers {
                    complain(Self.member(name, of: place), "absent")
                } else if let others = rule.others.first {
                    check(member, others, at: Self.member(name, of: place))
                }
            }
        }
    }

    private mutating func check(array value: JSONFragment, _ rule: BodyRule.ArrayRule, at place: String) {
        guard value.kind == .array else { return complain(place, "an array") }
        let elements = value.elements
        if elements.count < rule.minItems ?? 0 || elements.count > rule.maxItems ?? .max {
            complain(place, Self.phrase(rule))
        }
        guard let items = rule.items.first else { return }
        for (index, element) in elements.enumerated() { check(element, items, at: "\(place)[\(index)]") }
    }

    /// - Parameter fault: what is wrong, if not that the value breaks the rule.
    private mutating func complain(
        _ place: String, _ rule: String,
        _ fault: (_ subject: String, _ rule: String) -> GatewayError = GatewayError.invalid
    ) {
        guard faults.count < Self.faultLimit else { return }
        let name = ParameterName(.body, place)
        let logged = placeOfName.map { ParameterName(.body, Self.member("*", of: $0)) }
        faults.append(ParameterFault(name, rule: rule, fault(name.subject, rule), logged: logged))
    }

    // MARK: - Words

    private func phrase(_ rule: BodyRule) -> String {
        switch rule.content {
        case .any: "given"
        case .scalar(let rule): rule.phrase
        case .object: "an object"
        case .array(let rule): Self.phrase(rule)
        case .named(let name): phrase(schema.rule(named: name))
        }
    }

    private static func phrase(_ rule: BodyRule.ArrayRule) -> String {
        guard !rule.hidesCounts else { return "an array of an allowed length" }
        return switch (rule.minItems, rule.maxItems) {
        case (let least?, let most?): "an array of \(least) to \(most) elements"
        case (let least?, nil): "an array of at least \(least) elements"
        case (nil, let most?): "an array of at most \(most) elements"
        case (nil, nil): "an array"
        }
    }

    /// `points[2].weight`. A long name, which a client may choose, is cut.
    private static func member(_ name: String, of place: String) -> String {
        let name = name.unicodeScalars.count > 64 ? "\(String(name.unicodeScalars.prefix(64)))..." : name
        return place.isEmpty ? name : "\(place).\(name)"
    }
}
