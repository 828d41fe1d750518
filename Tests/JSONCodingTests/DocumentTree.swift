import JSONBytes

/// A document that a seeded generator can change and write with random white space.
indirect enum DocumentTree {
    case scalar(String)
    case array([DocumentTree])
    case object([(name: String, value: DocumentTree)])

    init(_ fragment: JSONFragment) {
        switch fragment.kind {
        case .array: self = .array(fragment.elements.map(DocumentTree.init))
        case .object:
            self = .object(
                fragment.members.map { (JSONFragment(string: $0.name).description, DocumentTree($0.value)) })
        default: self = .scalar(fragment.description)
        }
    }

    /// The number of values in the tree.
    var count: Int {
        switch self {
        case .scalar: 1
        case .array(let elements): elements.reduce(1) { $0 + $1.count }
        case .object(let members): members.reduce(1) { $0 + $1.value.count }
        }
    }

    /// Changes the value at `place` in depth-first order from the root.
    mutating func change(at place: Int, _ generator: inout some RandomNumberGenerator) {
        guard place > 0 else {
            self = changed(&generator)
            return
        }
        var rest = place - 1
        switch self {
        case .scalar: break
        case .array(var elements):
            for index in elements.indices {
                if rest < elements[index].count {
                    elements[index].change(at: rest, &generator)
                    break
                }
                rest -= elements[index].count
            }
            self = .array(elements)
        case .object(var members):
            for index in members.indices {
                if rest < members[index].value.count {
                    members[index].value.change(at: rest, &generator)
                    break
                }
                rest -= members[index].value.count
            }
            self = .object(members)
        }
    }

    private static let others = [
        "null", "true", "false", "0", "-1", "1.5", "300", "1e3", "12345678901234567890", "1e400", "-0.0",
        "\"\"",
        "\"x\"", "\"\\ud83d\\ude00\"", "[]", "{}", "[1,[2]]", #"{"a":{"b":[1]}}"#, "\"nan\"",
        "9007199254740993.0",
        "0.1e1", "99999999999999999999999999999999999999", "1e-7", "123456789012345678901234567890.5",
    ]

    private func changed(_ generator: inout some RandomNumberGenerator) -> DocumentTree {
        switch (self, Int.random(in: 0..<6, using: &generator)) {
        case (.object(var members), 0...4) where !members.isEmpty:
            let place = Int.random(in: members.indices, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: members.remove(at: place)
            case 1: members.shuffle(using: &generator)
            case 2: members.append((members[place].name, .scalar(other(&generator))))
            case 3: members.insert((members[place].name, .scalar(other(&generator))), at: 0)
            case 4: members.insert(("\"unknown\"", .scalar(other(&generator))), at: place)
            default:
                members[place].name = String(members[place].name.dropLast()) + "x\""
            }
            return .object(members)
        case (.array(var elements), 0...4) where !elements.isEmpty:
            let place = Int.random(in: elements.indices, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: elements.remove(at: place)
            case 1: elements.append(elements[place])
            default: elements.insert(.scalar(other(&generator)), at: place)
            }
            return .array(elements)
        default: return .scalar(other(&generator))
        }
    }

    private func other(_ generator: inout some RandomNumberGenerator) -> String {
        Self.others.randomElement(using: &generator) ?? "null"
    }

    /// The document as text, with random white space.
    func text(_ generator: inout some RandomNumberGenerator) -> String {
        let space = ["", "", "", " ", "\n  ", "\t\r "].randomElement(using: &generator) ?? ""
        switch self {
        case .scalar(let text): return space + text
        case .array(let elements):
            return space + "[" + elements.map { $0.text(&generator) + space }.joined(separator: ",") + space
                + "]"
        case .object(let members):
            return space + "{"
                + members.map { space + $0.name + space + ":" + $0.value.text(&generator) + space }
                .joined(separator: ",") + space + "}"
        }
    }
}

/// A reproducible random number generator (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
