/// Which of the open brackets are objects' and which arrays': a bit for each, no recursion, and no
/// allocation for the first 64.
struct Nesting {
    enum Kind { case array, object }

    private(set) var depth = 0
    /// The innermost bracket is bit 0.
    private var bits: UInt64 = 0
    /// Full words of brackets further out than the last 64.
    private var outer: [UInt64] = []

    @inline(__always)
    var isObject: Bool { bits & 1 == 1 }

    /// What ends the innermost open bracket: `}` (0x7D) or `]` (0x5D).
    @inline(__always)
    var closingBracket: UInt8 { Byte.closeBracket | UInt8(truncatingIfNeeded: bits & 1) &<< 5 }

    @inline(__always)
    mutating func push(_ kind: Kind) {
        if depth & 63 == 0, depth > 0 { outer.append(bits) }
        bits = bits &<< 1 | (kind == .object ? 1 : 0)
        depth &+= 1
    }

    @inline(__always)
    mutating func pop() {
        depth &-= 1
        bits &>>= 1
        if depth & 63 == 0, depth > 0, let word = outer.popLast() { bits = word }
    }
}
