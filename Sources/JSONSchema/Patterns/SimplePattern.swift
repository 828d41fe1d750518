import ASCIIText

/// A pattern that is matched in one pass without PCRE2: `^[a-z]{2,8}$`, `^\d{4}-\d{2}$`, `^x-`, `abc`.
///
/// Each of its characters decides where it belongs, so that nothing is tried twice.
struct SimplePattern: Sendable {
    /// A class of characters, and how many of them come in a row.
    struct Item: Sendable {
        /// The ASCII characters, one bit each.
        var low: UInt64 = 0
        var high: UInt64 = 0
        var others = Others.none
        var least = 1
        var most = 1

        @inline(__always)
        func contains(_ byte: UInt8) -> Bool {
            ((byte < 64 ? low : high) &>> UInt64(byte & 63)) & 1 == 1
        }

        func isDisjoint(with other: Item) -> Bool {
            low & other.low == 0 && high & other.high == 0 && (others == .none || other.others == .none)
        }
    }

    /// The characters beyond ASCII that a class has.
    enum Others: Sendable {
        case none, all
        /// All but U+2028 and U+2029: of `.`.
        case allButLineEnds
    }

    private let isAnchored: Bool
    private let isClosed: Bool
    private let items: [Item]

    /// A search for more characters than these is left to PCRE2.
    private static let longestSearch = 16

    /// Returns nil for patterns that need more than one pass.
    init?(_ node: PatternNode) {
        var nodes: [PatternNode] = if case .sequence(let nodes) = node { nodes } else { [node] }
        var (isAnchored, isClosed) = (false, false)
        if case .start? = nodes.first {
            isAnchored = true
            nodes.removeFirst()
        }
        if case .end? = nodes.last {
            isClosed = true
            nodes.removeLast()
        }
        var items: [Item] = []
        for node in nodes {
            guard let item = Item(node) else { return nil }
            items.append(item)
        }
        self.isAnchored = isAnchored
        self.isClosed = isClosed
        self.items = items
        if isAnchored {
            guard isDecided else { return nil }
        } else {
            let isFixed = items.allSatisfy { $0.least == 1 && $0.most == 1 }
            guard isFixed, items.count <= Self.longestSearch else { return nil }
        }
    }

    /// Whether no character can belong to an item and to one that may follow.
    private var isDecided: Bool {
        for (index, item) in items.enumerated() where item.least != item.most {
            for next in items[(index + 1)...] {
                guard item.isDisjoint(with: next) else { return false }
                if next.least > 0 { break }
            }
        }
        return true
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        if isAnchored { return matches(text, from: 0) }
        var start = 0
        while true {
            if matches(text, from: start) { return true }
            guard start < text.count else { return false }
            start += Self.length(of: text[start])
        }
    }

    /// The bytes of a character by its first.
    @inline(__always)
    private static func length(of lead: UInt8) -> Int {
        lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    }

    private func matches(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
        var index = start
        for item in items {
            var count = 0
            while count < item.most, index < text.count {
                let byte = text[index]
                if byte < 0x80 {
                    guard item.contains(byte) else { break }
                    index &+= 1
                } else {
                    if item.others == .none { break }
                    if item.others == .allButLineEnds, byte == 0xE2, index &+ 2 < text.count,
                        text[index &+ 1] == 0x80, text[index &+ 2] & 0xFE == 0xA8
                    {
                        break
                    }
                    index &+= Self.length(of: byte)
                }
                count &+= 1
            }
            guard count >= item.least else { return false }
        }
        return !isClosed || index == text.count
    }
}

extension SimplePattern.Item {
    /// Returns nil unless the node is one class with a count. Some characters beyond ASCII need PCRE2.
    init?(_ node: PatternNode) {
        switch node {
        case .character(let scalar):
            guard scalar < 0x80 else { return nil }
            add(scalar...scalar)
        case .set(let set): guard add(set) else { return nil }
        case .repetition(let node, let least, let most, _):
            guard let item = SimplePattern.Item(node), item.least == 1, item.most == 1 else { return nil }
            self = item
            self.least = least
            self.most = most ?? .max
        default: return nil
        }
    }

    private mutating func add(_ range: ClosedRange<UInt32>) {
        for scalar in range {
            if scalar < 64 { low |= 1 << UInt64(scalar) } else { high |= 1 << UInt64(scalar - 64) }
        }
    }

    private mutating func add(_ set: PatternSet) -> Bool {
        let isDot = set.isNegated && set.escapes.isEmpty && set.ranges == PatternSet.dot.ranges
        for range in set.ranges where !(isDot && range.lowerBound >= 0x80) {
            guard range.upperBound < 0x80 else { return false }
            add(range)
        }
        for escape in set.escapes {
            switch escape {
            case .digits(isNegated: false): add(0x30...0x39)
            case .words(isNegated: false):
                for range in [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A] as [ClosedRange<UInt32>] {
                    add(range)
                }
            default: return false
            }
        }
        if set.isNegated {
            low = ~low
            high = ~high
            others = isDot ? .allButLineEnds : .all
        }
        return true
    }
}
