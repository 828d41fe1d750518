import ASCIIText

/// Which of up to 63 open brackets are objects' and which arrays': a bit for each.
struct Nesting {
    static let capacity = 63

    /// The innermost bracket is bit 0, objects are 1; a 1 stands above the outermost.
    private var bits: UInt64 = 1
    private let full: UInt64

    /// - Parameter limit: As many brackets as may be open.
    @inline(__always)
    init(limit: Int) {
        full = limit < 1 ? 0 : limit < Self.capacity ? 1 &<< UInt64(limit) &- 1 : .max &>> 1
    }

    /// Whether no other bracket can be opened.
    @inline(__always)
    var isFull: Bool { bits > full }

    @inline(__always)
    var isObject: Bool { bits & 1 == 1 }

    /// What ends the innermost open bracket: `}` (0x7D) or `]` (0x5D).
    @inline(__always)
    var closingBracket: UInt8 { Byte.closeBracket | UInt8(truncatingIfNeeded: bits & 1) &<< 5 }

    @inline(__always)
    mutating func push(isObject: Bool) {
        bits = bits &<< 1 | (isObject ? 1 : 0)
    }

    /// Closes the innermost bracket; false where none is left open.
    @inline(__always)
    mutating func pop() -> Bool {
        bits &>>= 1
        return bits != 1
    }
}
