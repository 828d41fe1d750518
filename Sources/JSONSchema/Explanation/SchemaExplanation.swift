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

    /// A verdict, and the positions of the members or elements that the schema has evaluated.
    struct Outcome {
        var holds = true
        var evaluated: Set<Int> = []
    }

    /// Further faults are not told.
    static let mostFaults = 20

    let set: SchemaSet
    let tree: InstanceTree
    /// What is left of the work.
    var work: Int
    private(set) var faults: [SchemaFault] = []
    private var known: [Key: Outcome] = [:]
    private let memory = PatternMemory()
    private var budget: PatternBudget

    init(_ set: SchemaSet, _ reader: ByteReader) {
        self.set = set
        tree = InstanceTree(reader)
        work = set.bounds.work(for: reader.count)
        budget = PatternBudget(set.bounds.patternTime)
    }

    /// For a name, which is a value of its own.
    init(_ set: SchemaSet, _ reader: ByteReader, work: Int) {
        self.init(set, reader)
        self.work = work
    }

    /// Explains the whole value.
    mutating func explain() -> [SchemaFault] {
        if !outcome(set.root, 0).holds { explain(set.root, 0) }
        return faults
    }

    // MARK: - Verdicts

    mutating func outcome(_ schema: FactsID, _ value: Int) -> Outcome {
        let key = Key(schema: schema, value: value)
        if let known = known[key] { return known }
        let outcome = examine(schema, value, tells: false)
        known[key] = outcome
        return outcome
    }

    /// Adds the faults of a value that does not follow a schema.
    mutating func explain(_ schema: FactsID, _ value: Int) {
        guard faults.count < Self.mostFaults else { return }
        _ = examine(schema, value, tells: true)
    }

    mutating func tell(
        _ word: SchemaWord, _ facts: SchemaFacts, _ value: Int, _ rule: @autoclosure () -> String
    ) {
        guard faults.count < Self.mostFaults else { return }
        let fault = SchemaFault(
            instance: tree.pointer(to: value), keyword: word.rawValue, rule: rule(),
            document: set.documents[facts.location.document], place: facts.place(of: word))
        if !faults.contains(fault) { faults.append(fault) }
    }

    /// Looks at all words of a schema. With `tells` it adds a fault for each word that refuses the value.
    private mutating func examine(_ id: FactsID, _ value: Int, tells: Bool) -> Outcome {
        let facts = set.facts[id]
        var outcome = Outcome()
        work -= 1
        guard work >= 0 else { return outcome }
        if facts.refusesAll {
            // The word that leads here says more than `false`, if there is one.
            if tells { tell(.not, facts, value, "absent") }
            return Outcome(holds: false)
        }
        checkValue(facts, value, tells, &outcome)
        switch tree.values[value].type {
        case .string: checkText(facts, tree.text(of: value), at: value, tells, &outcome)
        case .integer, .fraction: checkNumber(facts, value, tells, &outcome)
        case .array: checkArray(facts, value, tells, &outcome)
        case .object: checkObject(facts, value, tells, &outcome)
        default: break
        }
        checkReferences(facts, value, tells, &outcome)
        checkAlternatives(facts, value, tells, &outcome)
        checkUnevaluated(facts, value, tells, &outcome)
        return outcome
    }

    private mutating func checkValue(
        _ facts: SchemaFacts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        if !facts.types.contains(tree.values[value].type) {
            outcome.holds = false
            if tells { tell(.type, facts, value, facts.types.phrase) }
        }
        guard facts.const != nil || facts.values != nil else { return }
        let digest = digest(of: value)
        if let const = facts.const, const != digest {
            outcome.holds = false
            if tells { tell(.const, facts, value, "the value that the schema names") }
        }
        if let values = facts.values, !values.contains(digest) {
            outcome.holds = false
            if tells { tell(.enum, facts, value, "one of the values that the schema names") }
        }
    }

    mutating func digest(of value: Int) -> ValueDigest {
        var digester = DigestReader(
            cursor: ValidCursor(tree.reader, at: tree.values[value].start), work: max(work, 0), members: [],
            decoded: [])
        let digest = digester.digest()
        work = digester.work
        return digest
    }

    mutating func matches(_ pattern: Int, _ text: [UInt8]) -> Bool {
        work -= 1 + text.count >> 6
        return text.withUnsafeBytes { set.patterns[pattern].match($0, memory, &budget) } == .matches
    }

    // MARK: - Scalars

    mutating func checkText(
        _ facts: SchemaFacts, _ text: [UInt8], at value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        let count = text.withUnsafeBytes { SchemaRun.characters($0) }
        if let least = facts.minLength, count < least {
            outcome.holds = false
            if tells { tell(.minLength, facts, value, "at least \(least) characters long") }
        }
        if let most = facts.maxLength, count > most {
            outcome.holds = false
            if tells { tell(.maxLength, facts, value, "at most \(most) characters long") }
        }
        if let pattern = facts.pattern, !matches(pattern, text) {
            outcome.holds = false
            let text = set.patterns[pattern].text
            if tells { tell(.pattern, facts, value, "a text with the pattern \(text)") }
        }
        if let format = facts.format, !text.withUnsafeBytes({ format.accepts($0) }) {
            outcome.holds = false
            if tells { tell(.format, facts, value, "in the format \(format.rawValue)") }
        }
    }

    private mutating func checkNumber(
        _ facts: SchemaFacts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        var index = tree.values[value].start
        let number = Decimal(tree.reader, at: &index)
        let reader = tree.reader
        func order(_ bound: DecimalBound) -> Int { number.compare(with: bound, in: reader) }
        if let bound = facts.minimum, order(bound) < 0 {
            outcome.holds = false
            if tells { tell(.minimum, facts, value, "at least \(bound.description)") }
        }
        if let bound = facts.exclusiveMinimum, order(bound) <= 0 {
            outcome.holds = false
            if tells { tell(.exclusiveMinimum, facts, value, "above \(bound.description)") }
        }
        if let bound = facts.maximum, order(bound) > 0 {
            outcome.holds = false
            if tells { tell(.maximum, facts, value, "at most \(bound.description)") }
        }
        if let bound = facts.exclusiveMaximum, order(bound) >= 0 {
            outcome.holds = false
            if tells { tell(.exclusiveMaximum, facts, value, "below \(bound.description)") }
        }
        if let divisor = facts.multipleOf, !number.isMultiple(of: divisor, in: reader) {
            outcome.holds = false
            if tells { tell(.multipleOf, facts, value, "a multiple of \(divisor.shortDescription)") }
        }
        if let format = facts.format, format.isNumeric, !number.has(format) {
            outcome.holds = false
            if tells { tell(.format, facts, value, "in the format \(format.rawValue)") }
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
