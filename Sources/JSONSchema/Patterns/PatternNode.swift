/// A part of a regular expression of ECMA-262.
indirect enum PatternNode: Sendable {
    case character(UInt32)
    case set(PatternSet)
    /// `^`
    case start
    /// `$`
    case end
    case wordBoundary(isNegated: Bool)
    /// A group, with its number if it captures.
    case group(number: Int?, PatternNode)
    case reference(Int)
    case look(isAhead: Bool, isNegated: Bool, PatternNode)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    case repetition(PatternNode, least: Int, most: Int?, isLazy: Bool)
}

/// A class of characters.
struct PatternSet: Sendable {
    /// What a class names in addition to ranges.
    enum Escape: Sendable {
        case digits(isNegated: Bool)
        case words(isNegated: Bool)
        case spaces(isNegated: Bool)
        /// `\p{...}` as PCRE2 writes it.
        case property(String)
    }

    var isNegated = false
    /// Without surrogates, which no text has.
    var ranges: [ClosedRange<UInt32>] = []
    var escapes: [Escape] = []

    /// `.`: all characters but the ends of lines.
    static let dot = PatternSet(isNegated: true, ranges: [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])

    /// What `\s` means (ECMA-262, WhiteSpace and LineTerminator).
    static let spaces: [ClosedRange<UInt32>] = [
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ]

    /// Adds a range without its surrogates.
    mutating func add(_ low: UInt32, _ high: UInt32) {
        if low < 0xD800 { ranges.append(low...min(high, 0xD7FF)) }
        if high > 0xDFFF { ranges.append(max(low, 0xE000)...high) }
    }

    /// The ranges that `\s` leaves.
    static var nonSpaces: [ClosedRange<UInt32>] {
        var left = PatternSet()
        var next: UInt32 = 0
        for range in spaces {
            if range.lowerBound > next { left.add(next, range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        left.add(next, 0x10_FFFF)
        return left.ranges
    }
}

// MARK: - PCRE2

extension PatternNode {
    /// The expression in the syntax of PCRE2.
    var text: String {
        switch self {
        case .character(let scalar):
            // No text has a surrogate.
            0xD800...0xDFFF ~= scalar ? "(?!)" : PatternSet.text(scalar)
        case .set(let set): set.text
        case .start: "^"
        case .end: "$"
        case .wordBoundary(let isNegated): isNegated ? "\\B" : "\\b"
        case .group(let number, let node): number == nil ? "(?:\(node.text))" : "(\(node.text))"
        case .reference(let number): "\\g{\(number)}"
        case .look(let isAhead, let isNegated, let node):
            "(?\(isAhead ? "" : "<")\(isNegated ? "!" : "=")\(node.text))"
        case .sequence(let nodes): nodes.map(\.text).joined()
        case .alternatives(let nodes): nodes.map(\.text).joined(separator: "|")
        case .repetition(let node, let least, let most, let isLazy):
            // PCRE2 repeats a class faster than a group.
            (node.isClass ? node.text : "(?:\(node.text))") + Self.count(least, most) + (isLazy ? "?" : "")
        }
    }

    /// Whether its text is one class or character.
    private var isClass: Bool {
        switch self {
        case .character, .set: !text.hasPrefix("(")
        default: false
        }
    }

    private static func count(_ least: Int, _ most: Int?) -> String {
        switch (least, most) {
        case (0, nil): "*"
        case (1, nil): "+"
        case (_, nil): "{\(least),}"
        case (_, let most?): least == most ? "{\(least)}" : "{\(least),\(most)}"
        }
    }

    /// The number of characters that it matches, if it is the same for all texts and at most 65 535.
    var fixedLength: Int? { measuredLength.flatMap { $0 <= 65_535 ? $0 : nil } }

    private var measuredLength: Int? {
        switch self {
        case .character, .set: return 1
        case .start, .end, .wordBoundary, .look: return 0
        case .group(_, let node): return node.fixedLength
        case .reference: return nil
        case .sequence(let nodes):
            var sum = 0
            for node in nodes {
                guard let length = node.fixedLength else { return nil }
                sum += length
            }
            return sum
        case .alternatives(let nodes):
            let lengths = Set(nodes.map(\.fixedLength))
            return lengths.count == 1 ? lengths.first ?? nil : nil
        case .repetition(let node, let least, let most, _):
            // Both are at most 65 535.
            guard least == most, let length = node.fixedLength else { return nil }
            return length * least
        }
    }
}

extension PatternSet {
    static func text(_ scalar: UInt32) -> String { "\\x{\(String(scalar, radix: 16))}" }

    var text: String {
        var inner = ""
        for range in ranges { inner += Self.text(range) }
        for escape in escapes {
            switch escape {
            case .digits(let isNegated): inner += isNegated ? "\\D" : "\\d"
            case .words(let isNegated): inner += isNegated ? "\\W" : "\\w"
            case .spaces(let isNegated):
                for range in isNegated ? Self.nonSpaces : Self.spaces { inner += Self.text(range) }
            case .property(let name): inner += name
            }
        }
        // An empty class matches nothing, and its complement anything.
        if inner.isEmpty { return isNegated ? "[\\x{0}-\\x{10ffff}]" : "(?!)" }
        return "[\(isNegated ? "^" : "")\(inner)]"
    }

    private static func text(_ range: ClosedRange<UInt32>) -> String {
        let low = text(range.lowerBound)
        return range.count == 1 ? low : "\(low)-\(text(range.upperBound))"
    }
}
