/// Parses a regular expression of ECMA-262 with the flag `u`. What ECMA-262 does not have is an error.
struct ECMAPatternParser {
    /// Why a text is not a pattern.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let message: String
        /// The character, from 1.
        let character: Int
        let pattern: String

        var description: String {
            "\(message), at character \(character) of \"\(pattern)\""
        }
    }

    /// As deep as PCRE2 nests groups.
    private static let deepest = 250

    private let source: String
    private let scalars: [UInt32]
    private var index = 0
    private var depth = 0
    private var groups = 0
    private var names: [String: Int] = [:]
    /// The references by name, which may come before their groups.
    private let groupCount: Int
    private let groupNames: [String: Int]

    /// Whether the pattern will be matched, so that PCRE2 must be able to.
    private let isMatched: Bool

    private init(_ source: String, groupCount: Int, groupNames: [String: Int], isMatched: Bool) {
        self.source = source
        self.isMatched = isMatched
        scalars = source.unicodeScalars.map(\.value)
        self.groupCount = groupCount
        self.groupNames = groupNames
    }

    /// Returns the parsed expression. With `isMatched`, what PCRE2 cannot match is an error, too.
    @discardableResult
    static func parse(_ source: String, isMatched: Bool = true) throws(Failure) -> PatternNode {
        // A first pass counts the groups, which references may name before they come.
        var counter = ECMAPatternParser(source, groupCount: .max, groupNames: [:], isMatched: isMatched)
        counter.countsOnly = true
        let node = try counter.whole()
        guard counter.hasReference else { return node }
        var parser = ECMAPatternParser(
            source, groupCount: counter.groups, groupNames: counter.names, isMatched: isMatched)
        return try parser.whole()
    }

    private var countsOnly = false
    private var hasReference = false

    private func failure(_ message: String, at place: Int? = nil) -> Failure {
        Failure(message: message, character: (place ?? index) + 1, pattern: source)
    }

    private static func code(_ character: Unicode.Scalar) -> UInt32 { character.value }

    private var next: UInt32? { index < scalars.count ? scalars[index] : nil }

    private func isNext(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index + count <= scalars.count else { return false }
        for offset in 0..<count where scalars[index + offset] != UInt32(text.utf8Start[offset]) {
            return false
        }
        return true
    }

    private mutating func take(_ text: StaticString) -> Bool {
        guard isNext(text) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    private mutating func whole() throws(Failure) -> PatternNode {
        let node = try alternatives()
        if index < scalars.count { throw failure("a parenthesis is closed that was not opened") }
        return node
    }

    private mutating func alternatives() throws(Failure) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            throw failure("groups are nested more than \(Self.deepest) deep")
        }
        var alternatives = [try sequence()]
        while take("|") { alternatives.append(try sequence()) }
        return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
    }

    private mutating func sequence() throws(Failure) -> PatternNode {
        var nodes: [PatternNode] = []
        while let next, next != Self.code("|"), next != Self.code(")") { nodes.append(try term()) }
        return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    // MARK: - Terms

    private mutating func term() throws(Failure) -> PatternNode {
        let start = index
        if let next, !Self.isSyntax(next) {
            index += 1
            return try quantified(.character(next))
        }
        if take("^") { return .start }
        if take("$") { return .end }
        if take("\\b") { return .wordBoundary(isNegated: false) }
        if take("\\B") { return .wordBoundary(isNegated: true) }
        if take("(?=") { return try look(isAhead: true, isNegated: false, from: start) }
        if take("(?!") { return try look(isAhead: true, isNegated: true, from: start) }
        if take("(?<=") { return try look(isAhead: false, isNegated: false, from: start) }
        if take("(?<!") { return try look(isAhead: false, isNegated: true, from: start) }
        return try quantified(try atom())
    }

    private static func isSyntax(_ scalar: UInt32) -> Bool {
        guard scalar < 0x80, let character = Unicode.Scalar(scalar) else { return false }
        switch character {
        case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|": return true
        default: return false
        }
    }

    private mutating func look(
        isAhead: Bool, isNegated: Bool, from start: Int
    ) throws(Failure) -> PatternNode {
        let node = try alternatives()
        guard take(")") else { throw failure("a parenthesis is not closed", at: start) }
        if !isAhead, isMatched { try checkLength(of: node, at: start) }
        return .look(isAhead: isAhead, isNegated: isNegated, node)
    }

    /// PCRE2 matches what is behind a place only if its length is fixed, or one of a few.
    private func checkLength(of node: PatternNode, at start: Int) throws(Failure) {
        let choices: [PatternNode] = if case .alternatives(let nodes) = node { nodes } else { [node] }
        guard choices.allSatisfy({ $0.fixedLength != nil }) else {
            throw failure("the length of a lookbehind must be fixed", at: start)
        }
    }

    private mutating func atom() throws(Failure) -> PatternNode {
        guard let next, let character = Unicode.Scalar(next) else {
            throw failure("a character is missing")
        }
        let start = index
        switch character {
        case "*", "+", "?": throw failure("nothing is before the quantifier")
        case "{", "}": throw failure("a \(character) needs a backslash")
        case "]": throw failure("a ] needs a backslash")
        case ".":
            index += 1
            return .set(.dot)
        case "(": return try group(from: start)
        case "[": return .set(try set())
        case "\\": return try escape()
        default:
            index += 1
            return .character(next)
        }
    }

    private mutating func group(from start: Int) throws(Failure) -> PatternNode {
        index += 1
        var number: Int?
        if take("?:") {
        } else if take("?<") {
            let name = try groupName()
            groups += 1
            number = groups
            guard names.updateValue(groups, forKey: name) == nil else {
                throw failure("two groups have the name \(name)", at: start)
            }
        } else if next == Self.code("?") {
            throw failure("ECMA-262 has no such group", at: start)
        } else {
            groups += 1
            number = groups
        }
        let node = try alternatives()
        guard take(")") else { throw failure("a parenthesis is not closed", at: start) }
        return .group(number: number, node)
    }

    private mutating func groupName() throws(Failure) -> String {
        let start = index
        var name = String.UnicodeScalarView()
        while let next, next != Self.code(">") {
            var value = next
            index += 1
            if value == Self.code("\\") {
                guard take("u"), let unicode = try unicodeEscape() else {
                    throw failure("a group has an invalid name", at: start)
                }
                value = unicode
            }
            guard let scalar = Unicode.Scalar(value),
                scalar.properties.isIDContinue || scalar == "$" || scalar == "\u{200C}"
                    || scalar == "\u{200D}",
                !name.isEmpty || scalar.properties.isIDStart || scalar == "$" || scalar == "_"
            else { throw failure("a group has an invalid name", at: start) }
            name.append(scalar)
        }
        guard take(">"), !name.isEmpty else { throw failure("a group has an invalid name", at: start) }
        return String(name)
    }

    private mutating func quantified(_ node: PatternNode) throws(Failure) -> PatternNode {
        var (least, most): (Int, Int?)
        let place = index
        guard let next, Self.isSyntax(next) else { return node }
        if take("*") {
            (least, most) = (0, nil)
        } else if take("+") {
            (least, most) = (1, nil)
        } else if take("?") {
            (least, most) = (0, 1)
        } else if take("{") {
            guard let first = number() else { throw failure("a { needs a backslash", at: place) }
            (least, most) = (first, first)
            if take(",") { most = number() }
            guard take("}") else { throw failure("a { needs a backslash", at: place) }
            if let upper = most, upper < least {
                throw failure("a quantifier has its numbers in the wrong order", at: place)
            }
        } else {
            return node
        }
        // No text is longer, so that more repetitions are as good as any number.
        guard least <= Self.mostRepetitions || !isMatched else {
            throw failure("a quantifier has at most \(Self.mostRepetitions) repetitions", at: place)
        }
        if let upper = most, upper > Self.mostRepetitions { most = nil }
        return .repetition(node, least: least, most: most, isLazy: take("?"))
    }

    private static let mostRepetitions = 65_535

    /// Takes decimal digits. A number beyond all texts is as good as the largest.
    private mutating func number() -> Int? {
        let start = index
        var value = 0
        while let next, Self.code("0")...Self.code("9") ~= next {
            value = min(value * 10 + Int(next - Self.code("0")), 1 << 40)
            index += 1
        }
        return index > start ? value : nil
    }

    // MARK: - Escapes

    private mutating func escape() throws(Failure) -> PatternNode {
        let start = index
        index += 1
        if take("k") {
            hasReference = true
            guard take("<") else { throw failure("\\k needs the name of a group", at: start) }
            let name = try groupName()
            if countsOnly { return .reference(1) }
            guard let number = groupNames[name] else {
                throw failure("no group has the name \(name)", at: start)
            }
            return .reference(number)
        }
        if let next, Self.code("1")...Self.code("9") ~= next {
            hasReference = true
            let number = number() ?? 0
            guard number <= groupCount else { throw failure("the pattern has no group \(number)", at: start) }
            return .reference(number)
        }
        if let classEscape = try classEscape(from: start) {
            return .set(PatternSet(escapes: [classEscape]))
        }
        return .character(try characterEscape(from: start, isInClass: false))
    }

    /// Takes `d`, `D`, `w`, `W`, `s`, `S`, `p{...}` and `P{...}`. Returns nil for other escapes.
    private mutating func classEscape(from start: Int) throws(Failure) -> PatternSet.Escape? {
        if take("d") { return .digits(isNegated: false) }
        if take("D") { return .digits(isNegated: true) }
        if take("w") { return .words(isNegated: false) }
        if take("W") { return .words(isNegated: true) }
        if take("s") { return .spaces(isNegated: false) }
        if take("S") { return .spaces(isNegated: true) }
        let isNegated = next == Self.code("P")
        guard take("p") || take("P") else { return nil }
        guard take("{") else { throw failure("\\p needs a property in braces", at: start) }
        var name = ""
        while let next, next != Self.code("}"), let scalar = Unicode.Scalar(next) {
            name.unicodeScalars.append(scalar)
            index += 1
        }
        guard take("}"), let text = PatternProperty.text(name, isNegated: isNegated) else {
            throw failure("Unicode has no property \(name)", at: start)
        }
        return .property(text)
    }

    private mutating func characterEscape(from start: Int, isInClass: Bool) throws(Failure) -> UInt32 {
        guard let next, let character = Unicode.Scalar(next) else {
            throw failure("nothing is after the backslash", at: start)
        }
        index += 1
        switch character {
        case "t": return 0x09
        case "n": return 0x0A
        case "v": return 0x0B
        case "f": return 0x0C
        case "r": return 0x0D
        case "b" where isInClass: return 0x08
        case "-" where isInClass: return next
        case "0":
            if let digit = self.next, Self.code("0")...Self.code("9") ~= digit {
                throw failure("\\0 must not be before a digit", at: start)
            }
            return 0
        case "c":
            guard let letter = self.next, let scalar = Unicode.Scalar(letter), scalar.isASCII,
                scalar.properties.isAlphabetic
            else { throw failure("\\c needs a letter", at: start) }
            index += 1
            return letter & 0x1F
        case "x":
            guard let value = hexadecimal(2) else {
                throw failure("\\x needs two hexadecimal digits", at: start)
            }
            return value
        case "u":
            guard let value = try unicodeEscape() else {
                throw failure("\\u needs four hexadecimal digits, or some in braces", at: start)
            }
            return value
        case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/": return next
        default: throw failure("ECMA-262 has no escape \\\(character)", at: start)
        }
    }

    private mutating func hexadecimal(_ count: Int) -> UInt32? {
        guard index + count <= scalars.count else { return nil }
        var value: UInt32 = 0
        for scalar in scalars[index..<index + count] {
            guard let scalar = Unicode.Scalar(scalar), let digit = Character(scalar).hexDigitValue,
                scalar.isASCII
            else { return nil }
            value = value << 4 | UInt32(digit)
        }
        index += count
        return value
    }

    /// Takes what follows `\u`: four digits, two escapes of a surrogate pair, or digits in braces.
    private mutating func unicodeEscape() throws(Failure) -> UInt32? {
        if take("{") {
            var value: UInt32 = 0
            var digits = 0
            while let digit = hexadecimal(1) {
                value = min(value << 4 | digit, 0x11_0000)
                digits += 1
            }
            return take("}") && digits > 0 && value <= 0x10_FFFF ? value : nil
        }
        guard let first = hexadecimal(4) else { return nil }
        guard 0xD800...0xDBFF ~= first, isNext("\\u") else { return first }
        let before = index
        index += 2
        if let second = hexadecimal(4), 0xDC00...0xDFFF ~= second {
            return 0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF))
        }
        index = before
        return first
    }

    // MARK: - Classes

    private mutating func set() throws(Failure) -> PatternSet {
        let start = index
        index += 1
        var set = PatternSet()
        set.isNegated = take("^")
        while !take("]") {
            guard next != nil else { throw failure("a [ is not closed", at: start) }
            let place = index
            let low = try member(of: &set)
            guard isNext("-"), index + 1 < scalars.count, scalars[index + 1] != Self.code("]") else {
                if let low { set.add(low, low) }
                continue
            }
            index += 1
            let high = try member(of: &set)
            guard let low, let high else {
                throw failure("a range needs two characters", at: place)
            }
            guard low <= high else { throw failure("a range has its ends in the wrong order", at: place) }
            set.add(low, high)
        }
        return set
    }

    /// Takes one character of a class, or adds an escape for several and returns nil.
    private mutating func member(of set: inout PatternSet) throws(Failure) -> UInt32? {
        let start = index
        guard let next else { throw failure("a [ is not closed") }
        index += 1
        guard next == Self.code("\\") else { return next }
        if let escape = try classEscape(from: start) {
            set.escapes.append(escape)
            return nil
        }
        return try characterEscape(from: start, isInClass: true)
    }
}
