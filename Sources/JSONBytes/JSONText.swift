import ASCIIText

// What makes this sound: each writer says how much room it needs at most, and writes no more than that, in order and
// without a gap. That there is as much at `place` is the caller's to see to.

/// JSON's strings and numbers, written to memory: for `JSONLine`.
enum JSONText {
    // MARK: Strings

    /// The most bytes that a string of so many takes: its quotes, and each of its bytes escaped.
    static func literalLength(_ count: Int) -> Int { 6 &* count &+ 2 }

    /// A JSON string: quotes around `text`, in which `"`, `\` and control characters are escaped. Needs room for
    /// `literalLength` bytes, and gives how many it wrote.
    static func write(
        literal text: UnsafeBufferPointer<UInt8>, at place: UnsafeMutablePointer<UInt8>
    ) -> Int {
        let length = text.count
        place.pointee = Byte.quote
        if let source = text.baseAddress, copy(plain: source, length, to: place + 1) {
            place[length &+ 1] = Byte.quote
            return length &+ 2
        }
        var count = 1
        for byte in text { count &+= write(escaped: byte, at: place + count) }
        place[count] = Byte.quote
        return count &+ 1
    }

    /// Copies text in which nothing needs an escape, eight bytes at a time; the last step overlaps the one before it. False
    /// where something does: what was copied is to be written over.
    @inline(__always)
    private static func copy(
        plain text: UnsafePointer<UInt8>, _ length: Int, to place: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        let bytes = UnsafeRawPointer(text)
        let copy = UnsafeMutableRawPointer(place)
        if length >= 8 {
            var index = 0
            while index < length {
                let offset = min(index, length &- 8)
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard ByteWord.literalStops(word) == 0 else { return false }
                copy.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
                index &+= 8
            }
            return true
        }
        if length >= 4 {
            let first = bytes.loadUnaligned(as: UInt32.self)
            let last = bytes.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
            copy.storeBytes(of: first, as: UInt32.self)
            copy.storeBytes(of: last, toByteOffset: length &- 4, as: UInt32.self)
            return ByteWord.literalStops(UInt64(first) | UInt64(last) &<< 32) == 0
        }
        for index in 0..<length {
            let byte = text[index]
            if byte < 0x20 || byte == Byte.quote || byte == Byte.backslash { return false }
            place[index] = byte
        }
        return true
    }

    static func write(escaped byte: UInt8, at place: UnsafeMutablePointer<UInt8>) -> Int {
        let letter: UInt8
        switch byte {
        case Byte.quote, Byte.backslash: letter = byte
        case 0x08: letter = UInt8(ascii: "b")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x0A: letter = UInt8(ascii: "n")
        case 0x0C: letter = UInt8(ascii: "f")
        case 0x0D: letter = UInt8(ascii: "r")
        case 0..<0x20:
            place[0] = Byte.backslash
            place[1] = UInt8(ascii: "u")
            place[2] = Byte.zero
            place[3] = Byte.zero
            place[4] = Byte.zero + byte >> 4
            place[5] = ASCII.lowercaseHexDigit(byte & 0x0F)
            return 6
        default:
            place[0] = byte
            return 1
        }
        place[0] = Byte.backslash
        place[1] = letter
        return 2
    }

    // MARK: Numbers

    /// A sign and 19 digits.
    static var integerLength: Int { 20 }

    /// Needs room for `integerLength` bytes, and gives how many it wrote.
    static func write(_ integer: Int, at place: UnsafeMutablePointer<UInt8>) -> Int {
        guard integer < 0 else { return write(integer.magnitude, at: place) }
        place.pointee = Byte.minus
        return 1 &+ write(integer.magnitude, at: place + 1)
    }

    /// Writes decimal digits and gives how many they were.
    @inline(__always)
    private static func write(_ number: UInt, at place: UnsafeMutablePointer<UInt8>) -> Int {
        guard number >= 10 else {
            place.pointee = Byte.zero &+ UInt8(truncatingIfNeeded: number)
            return 1
        }
        let count = ASCII.digitCount(number)
        ASCII.write(number, digits: count, at: place)
        return count
    }

    /// An Int has at most 19 digits; a sign, a point and a zero before it may come to them.
    static func fixedLength(places: Int) -> Int { Swift.max(places, 19) &+ 3 }

    /// `scaled` / 10^`places` with exactly that many decimal places, 1 or more. Needs room for `fixedLength` bytes, and
    /// gives how many it wrote.
    static func write(_ scaled: Int, places: Int, at place: UnsafeMutablePointer<UInt8>) -> Int {
        if places == 3, scaled >= 0 { return write(thousandths: UInt(scaled), at: place) }
        var rest = scaled.magnitude
        let start = scaled < 0 ? 1 : 0
        if scaled < 0 { place.pointee = Byte.minus }
        // The zeros of a small fraction included; at least one digit before the point.
        let point = start &+ Swift.max(ASCII.digitCount(rest) &- places, 1)
        let length = point &+ 1 &+ places
        var index = length
        while index > start {
            index &-= 1
            if index == point {
                place[index] = Byte.point
            } else {
                place[index] = Byte.zero &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
        return length
    }

    /// A number with three decimal places, in fewer steps: every line of the access log has several.
    @inline(__always)
    private static func write(thousandths number: UInt, at place: UnsafeMutablePointer<UInt8>) -> Int {
        let count = write(number / 1000, at: place)
        place[count] = Byte.point
        ASCII.write(number % 1000, digits: 3, at: place + count + 1)
        return count &+ 4
    }
}
