extension ASCII {
    /// Returns the number of decimal digits: 1 for 0, 3 for 100.
    @inlinable
    @inline(__always)
    public static func digitCount(_ number: UInt) -> Int {
        var rest = number
        var count = 1
        while rest >= 1000 {
            rest /= 1000
            count &+= 3
        }
        return rest >= 100 ? count &+ 2 : rest >= 10 ? count &+ 1 : count
    }

    /// Writes the last `count` decimal digits of a number, with zeros in front if it has fewer.
    ///
    /// - Precondition: there is room for `count` bytes at `place`.
    @inlinable
    @inline(__always)
    public static func write(_ number: UInt, digits count: Int, at place: UnsafeMutablePointer<UInt8>) {
        var rest = number
        var index = count
        while index > 0 {
            index &-= 1
            place[index] = Byte.zero &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
