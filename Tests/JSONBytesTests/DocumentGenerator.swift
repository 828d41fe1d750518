/// Generates valid and damaged documents. The same seed gives the same documents.
struct DocumentGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Returns a valid document.
    mutating func document() -> [UInt8] { Array((space() + value(depth: 0) + space()).utf8) }

    /// Returns a document with one to three changes: a byte is replaced, removed, repeated, inserted or
    /// swapped, or the end is cut off.
    mutating func damagedDocument() -> [UInt8] {
        var bytes = document()
        for _ in 0...below(3) where !bytes.isEmpty {
            let place = below(bytes.count)
            switch below(7) {
            case 0: bytes[place] = UInt8.random(in: 1...255, using: &self)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(bytes[place], at: place)
            case 3: bytes.insert(pick(Array(#"{}[]",:\0123456789-+.eEtrufalsn/ "#.utf8)), at: place)
            case 4: bytes[place] = pick(Array(#"{}[]",:\0123456789-+.eEtrufalsn/ "#.utf8))
            case 5: bytes.swapAt(place, below(bytes.count))
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }

    private mutating func value(depth: Int) -> String {
        switch below(depth > 4 ? 5 : 8) {
        case 0: pick(["true", "false", "null"])
        case 1, 2: number()
        case 3, 4: string()
        case 5, 6: list("{", "}") { $0.string() + $0.space() + ":" + $0.space() + $0.value(depth: depth + 1) }
        default: list("[", "]") { $0.value(depth: depth + 1) }
        }
    }

    private mutating func list(_ open: String, _ close: String, _ element: (inout Self) -> String) -> String {
        var elements: [String] = []
        for _ in 0..<below(5) { elements.append(space() + element(&self) + space()) }
        return open + (elements.isEmpty ? space() : elements.joined(separator: ",")) + close
    }

    private mutating func number() -> String {
        let sign = pick(["", "", "-"])
        let whole = pick(["0", "\(below(9) + 1)", "\(below(100_000) + 1)", "\(below(1 << 53) + 1)"])
        let fraction = pick(["", "", ".0", ".\(below(1000))", ".00\(below(10))"])
        return sign + whole + fraction
            + pick(["", "", "", "e\(below(20))", "E-\(below(20))", "e+0\(below(9))"])
    }

    private mutating func string() -> String {
        var text = "\""
        for _ in 0..<below(12) {
            text += pick([
                "a", "bc", " ", "date", "12345678", "체중", "오늘의 ", "é", "😀", "\\n", "\\\"", "\\\\", "\\/",
                "\\t",
                "\\u0041", "\\uac00", "\\ud83d\\ude00", "/", "{", "]", ":", ",", "\u{7F}",
            ])
        }
        return text + "\""
    }

    private mutating func space() -> String { pick(["", "", "", " ", "\n", "\r\n", "\t", "          "]) }
}
