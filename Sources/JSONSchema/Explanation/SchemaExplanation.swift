import ASCIIText
@_spi(Reading) import JSONBytes

/// Finds out what is wrong with a value that a run has refused, word by word, as the specification reads.
///
/// It looks at the schemas and not at the plan, so that it also judges the run: both have the same verdict.
struct SchemaExplanation {
    struct Key: Hashable {
        let schema: FactsID
        let value: Int
    }

    /// A verdict, and the positions of the members or elements that the schema has evaluated, if any schema
    /// asks for them.
    struct Outcome {
        var holds = true
        var evaluated: Set<Int> = []
    }

    /// What a schema says. A copy would count many references.
    typealias Facts = UnsafePointer<SchemaFacts>

    /// Further faults are not told.
    static let mostFaults = 20
    /// The most work of an explanation, which is slower than a run: about 20 ms.
    static let mostWork = 200_000

    let set: SchemaSet
    private let allFacts: UnsafeBufferPointer<SchemaFacts>
    var tree: InstanceTree
    /// What is left of the work.
    var work: Int
    /// Where the run has stopped. What comes before it follows the schemas that hold in any case.
    let stop: Int
    private(set) var faults: [SchemaFault] = []
    private var known: [Key: Outcome] = [:]
    private var memory: PatternMemory?
    var budget: PatternBudget
    /// The schemas of members by their names, for schemas that name many.
    var namedSchemas: [FactsID: [[UInt8]: FactsID]] = [:]

    /// Calls `body` with an explanation of the value that a reader has.
    static func with<Result>(
        _ set: SchemaSet, _ reader: ByteReader, work: Int, stop: Int = 0,
        _ body: (inout SchemaExplanation) -> Result
    ) -> Result {
        set.facts.withUnsafeBufferPointer { facts in
            let budget = PatternBudget(set.bounds.patternTime)
            var explanation = SchemaExplanation(set, facts, reader, work: work, budget, stop: stop)
            return body(&explanation)
        }
    }

    private init(
        _ set: SchemaSet, _ facts: UnsafeBufferPointer<SchemaFacts>, _ reader: ByteReader, work: Int,
        _ budget: PatternBudget, stop: Int
    ) {
        self.set = set
        allFacts = facts
        tree = InstanceTree(reader)
        self.work = work
        self.budget = budget
        self.stop = stop
    }

    /// An explanation of a name, which is a value of its own, within the bounds of the value around it.
    func forName(_ reader: ByteReader) -> SchemaExplanation {
        SchemaExplanation(set, allFacts, reader, work: work, budget, stop: 0)
    }

    /// Whether nothing can be added: all faults are there, or a bound has stopped the explanation.
    var isDone: Bool { faults.count >= Self.mostFaults || work < 0 }

    /// What a schema says. The index is in bounds.
    func facts(_ id: FactsID) -> Facts {
        guard let start = allFacts.baseAddress else { preconditionFailure("a set has no schema") }
        return start + id
    }

    /// Explains the whole value.
    mutating func explain() -> [SchemaFault] {
        // Without asking first whether the value follows the schema: that would look at all of it.
        explain(set.root, 0)
        return faults
    }

    // MARK: - Verdicts

    mutating func outcome(_ schema: FactsID, _ value: Int) -> Outcome {
        // Only what many others may ask for is worth remembering.
        let isScalar = tree.values[value].type.isDisjoint(with: [.object, .array])
        if isScalar, facts(schema).pointee.isAlone { return examine(schema, value, tells: false) }
        let key = Key(schema: schema, value: value)
        if let known = known[key] { return known }
        let outcome = examine(schema, value, tells: false)
        known[key] = outcome
        return outcome
    }

    /// Adds the faults of a value that does not follow a schema.
    mutating func explain(_ schema: FactsID, _ value: Int) {
        guard !isDone else { return }
        _ = examine(schema, value, tells: true)
    }

    mutating func tell(
        _ word: SchemaWord, _ facts: Facts, _ value: Int, missing: String? = nil,
        _ rule: @autoclosure () -> String
    ) {
        guard !isDone else { return }
        // A fault costs more than a look at a value, and faults that are told already are made, too.
        work -= 20
        let isHidden = facts.pointee.hidden.contains(word)
        let fault = SchemaFault(
            instance: tree.pointer(to: value), keyword: word.rawValue,
            rule: isHidden ? word.hiddenRule : rule(),
            document: set.documents[facts.pointee.location.document], place: facts.pointee.place(of: word),
            steps: tree.steps(to: value), missing: isHidden ? nil : missing)
        if !faults.contains(fault) { faults.append(fault) }
    }

    /// Looks at all words of a schema. With `tells` it adds a fault for each word that refuses the value.
    private mutating func examine(_ id: FactsID, _ value: Int, tells: Bool) -> Outcome {
        let facts = facts(id)
        var outcome = Outcome()
        work -= 1
        guard work >= 0 else { return outcome }
        if facts.pointee.refusesAll {
            // The word that leads here says more than `false`, if there is one.
            if tells { tell(.not, facts, value, "absent") }
            return Outcome(holds: false)
        }
        checkValue(facts, value, tells, &outcome)
        switch tree.values[value].type {
        case .string: checkText(facts, tree.text(of: value), at: value, tells, &outcome)
        case .integer, .fraction: checkNumber(facts, value, tells, &outcome)
        case .array: checkArray(facts, value, tells, &outcome)
        case .object: checkObject(id, value, tells, &outcome)
        default: break
        }
        checkReferences(facts, value, tells, &outcome)
        checkAlternatives(facts, value, tells, &outcome)
        checkUnevaluated(facts, value, tells, &outcome)
        return outcome
    }

    private mutating func checkValue(
        _ facts: Facts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        if !facts.pointee.types.contains(tree.values[value].type) {
            outcome.holds = false
            if tells { tell(.type, facts, value, facts.pointee.types.phrase) }
        }
        guard facts.pointee.const != nil || facts.pointee.values != nil else { return }
        let digest = digest(of: value)
        if let const = facts.pointee.const, const != digest {
            outcome.holds = false
            if tells {
                tell(.const, facts, value, facts.pointee.shownValues ?? "the value that the schema names")
            }
        }
        if let values = facts.pointee.values, !values.contains(digest) {
            outcome.holds = false
            if tells {
                tell(
                    .enum, facts, value,
                    "one of \(facts.pointee.shownValues ?? "the values that the schema names")")
            }
        }
    }

    mutating func digest(of value: Int) -> ValueDigest {
        var digester = DigestReader(
            cursor: ValidCursor(tree.reader, at: Int(tree.values[value].start)), work: max(work, 0),
            members: [],
            decoded: [])
        let digest = digester.digest()
        work = digester.work
        return digest
    }

    /// Whether a pattern is found in a text. If that takes too long, the explanation ends.
    mutating func matches(_ pattern: Int, _ text: [UInt8]) -> Bool {
        work -= 1 + text.count >> 6
        let outcome = text.withUnsafeBytes { set.patterns[pattern].match($0, &memory, &budget) }
        if outcome == .exceedsLimits { work = -1 }
        return outcome == .matches
    }

    // MARK: - Scalars

    mutating func checkText(
        _ facts: Facts, _ text: [UInt8], at value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        let count = text.withUnsafeBytes { SchemaRun.characters($0) }
        if let least = facts.pointee.minLength, count < least {
            outcome.holds = false
            if tells { tell(.minLength, facts, value, "at least \(least) characters long") }
        }
        if let most = facts.pointee.maxLength, count > most {
            outcome.holds = false
            if tells { tell(.maxLength, facts, value, "at most \(most) characters long") }
        }
        if let pattern = facts.pointee.pattern, !matches(pattern, text) {
            outcome.holds = false
            let text = set.patterns[pattern].text
            if tells { tell(.pattern, facts, value, "a text with the pattern \(text)") }
        }
        if let format = facts.pointee.format {
            work -= text.count >> (format == .regex ? 0 : 4)
            guard work >= 0, !text.withUnsafeBytes({ format.accepts($0) }) else { return }
            outcome.holds = false
            if tells { tell(.format, facts, value, "in the format \(format.rawValue)") }
        }
    }

    private mutating func checkNumber(
        _ facts: Facts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        var index = Int(tree.values[value].start)
        let number = Decimal(tree.reader, at: &index)
        let reader = tree.reader
        func order(_ bound: DecimalBound) -> Int { number.compare(with: bound, in: reader) }
        if let bound = facts.pointee.minimum, order(bound) < 0 {
            outcome.holds = false
            if tells { tell(.minimum, facts, value, "at least \(bound.description)") }
        }
        if let bound = facts.pointee.exclusiveMinimum, order(bound) <= 0 {
            outcome.holds = false
            if tells { tell(.exclusiveMinimum, facts, value, "above \(bound.description)") }
        }
        if let bound = facts.pointee.maximum, order(bound) > 0 {
            outcome.holds = false
            if tells { tell(.maximum, facts, value, "at most \(bound.description)") }
        }
        if let bound = facts.pointee.exclusiveMaximum, order(bound) >= 0 {
            outcome.holds = false
            if tells { tell(.exclusiveMaximum, facts, value, "below \(bound.description)") }
        }
        if let divisor = facts.pointee.multipleOf, !number.isMultiple(of: divisor, in: reader) {
            outcome.holds = false
            if tells { tell(.multipleOf, facts, value, "a multiple of \(divisor.shortDescription)") }
        }
        if let format = facts.pointee.format, format.isNumeric, !number.has(format) {
            outcome.holds = false
            if tells { tell(.format, facts, value, "in the format \(format.rawValue)") }
        }
    }
}

extension SchemaWord {
    /// What a value must be, without the schema's own value.
    fileprivate var hiddenRule: String {
        switch self {
        case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum: "in the allowed range"
        case .minLength, .maxLength: "of an allowed length"
        case .minItems, .maxItems: "an array of an allowed length"
        case .const, .enum: "one of the allowed values"
        case .pattern: "a text with the pattern of the schema"
        default: "as the schema says"
        }
    }
}

extension TypeSet {
    /// What a value must be: `a string or null`.
    var phrase: String {
        var names: [String] = []
        if contains(.string) { names.append("a string") }
        if contains(.number) {
            names.append("a number")
        } else if contains(.integer) {
            names.append("an integer")
        }
        if contains(.bool) { names.append("true or false") }
        if contains(.object) { names.append("an object") }
        if contains(.array) { names.append("an array") }
        if contains(.null) { names.append("null") }
        return Words.list(names)
    }
}

extension DecimalBound: CustomStringConvertible {
    /// The number without an exponent, if it is short.
    var description: String { value.text(digits) }
}

extension Decimal {
    /// The number as text, if it has at most 19 digits.
    var shortDescription: String { text("\(coefficient)".utf8.map { $0 - Byte.zero }) }

    fileprivate func text(_ digits: [UInt8]) -> String {
        guard !isZero else { return "0" }
        let sign = isNegative ? "-" : ""
        let text = digits.map { "\($0)" }.joined()
        if exponent > 18 || exponent < -18 - count { return "\(sign)\(text)e\(exponent)" }
        if exponent >= 0 { return sign + text + String(repeating: "0", count: exponent) }
        let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + text
        return "\(sign)\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
    }
}
