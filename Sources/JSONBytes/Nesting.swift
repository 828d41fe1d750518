import ASCIIText

/// The open brackets around a value, up to 63. One bit each tells objects from arrays.
struct Nesting {
    static let capacity = 63

    /// Bit 0 is the innermost bracket. Objects are 1. A 1 above the outermost bracket marks the end.
    private var bits: UInt64 = 1
    private let full: UInt64

    /// - Parameter limit: The most brackets that may be open.
    @inline(__always)
    init(limit: Int) {
        full = limit < 1 ? 0 : limit < Self.capacity ? 1 &<< UInt64(limit) &- 1 : .max &>> 1
    }

    @inline(__always)
    var isFull: Bool { bits > full }

    @inline(__always)
    var isObject: Bool { bits & 1 == 1 }

    /// The byte that closes the innermost bracket: `}` (0x7D) or `]` (0x5D).
    @inline(__always)
    var closingBracket: UInt8 { Byte.closeBracket | UInt8(truncatingIfNeeded: bits & 1) &<< 5 }

    @inline(__always)
    mutating func push(isObject: Bool) {
        bits = bits &<< 1 | (isObject ? 1 : 0)
    }

    /// Closes the innermost bracket. Returns false if none is left open.
    @inline(__always)
    mutating func pop() -> Bool {
        bits &>>= 1
        return bits != 1
    }
}
