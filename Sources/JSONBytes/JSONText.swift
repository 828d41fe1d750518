import ASCIIText

// Sound: each function documents the most bytes that it writes and writes them in order without gaps. The
// caller ensures that the destination has room.

/// Writes JSON strings and numbers to memory, for `JSONLine`.
enum JSONText {
    // MARK: Strings

    /// The maximum length of a literal of `count` bytes: the quotes, and every byte escaped.
    static func literalLength(_ count: Int) -> Int { 6 &* count &+ 2 }

    /// Writes `text` as a JSON string. Needs room for `literalLength` bytes and returns how many it wrote.
    static func write(
        literal text: UnsafeBufferPointer<UInt8>, at destination: UnsafeMutablePointer<UInt8>
    ) -> Int {
        let length = text.count
        destination.pointee = Byte.quote
        if let source = text.baseAddress, copy(plain: source, length, to: destination + 1) {
            destination[length &+ 1] = Byte.quote
            return length &+ 2
        }
        var count = 1
        for byte in text { count &+= write(escaped: byte, at: destination + count) }
        destination[count] = Byte.quote
        return count &+ 1
    }

    /// Copies text eight bytes at a time; the last step overlaps the one before. Returns false if the text
    /// needs an escape; the caller then overwrites the copied bytes.
    @inline(__always)
    private static func copy(
        plain text: UnsafePointer<UInt8>, _ length: Int, to destination: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        let bytes = UnsafeRawPointer(text)
        let copy = UnsafeMutableRawPointer(destination)
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
            destination[index] = byte
        }
        return true
    }

    static func write(escaped byte: UInt8, at destination: UnsafeMutablePointer<UInt8>) -> Int {
        let letter: UInt8
        switch byte {
        case Byte.quote, Byte.backslash: letter = byte
        case 0x08: letter = UInt8(ascii: "b")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x0A: letter = UInt8(ascii: "n")
        case 0x0C: letter = UInt8(ascii: "f")
        case 0x0D: letter = UInt8(ascii: "r")
        case 0..<0x20:
            destination[0] = Byte.backslash
            destination[1] = UInt8(ascii: "u")
            destination[2] = Byte.zero
            destination[3] = Byte.zero
            destination[4] = Byte.zero + byte >> 4
            destination[5] = ASCII.lowercaseHexDigit(byte & 0x0F)
            return 6
        default:
            destination[0] = byte
            return 1
        }
        destination[0] = Byte.backslash
        destination[1] = letter
        return 2
    }

    // MARK: Numbers

    /// A sign and 19 digits.
    static var integerLength: Int { 20 }

    /// Needs room for `integerLength` bytes and returns how many it wrote.
    static func write(_ integer: Int, at destination: UnsafeMutablePointer<UInt8>) -> Int {
        guard integer < 0 else { return write(integer.magnitude, at: destination) }
        destination.pointee = Byte.minus
        return 1 &+ write(integer.magnitude, at: destination + 1)
    }

    @inline(__always)
    private static func write(_ number: UInt, at destination: UnsafeMutablePointer<UInt8>) -> Int {
        guard number >= 10 else {
            destination.pointee = Byte.zero &+ UInt8(truncatingIfNeeded: number)
            return 1
        }
        let count = ASCII.digitCount(number)
        ASCII.write(number, digits: count, at: destination)
        return count
    }

    /// At most 19 digits, and possibly a sign, a point and a zero before it.
    static func fixedLength(places: Int) -> Int { Swift.max(places, 19) &+ 3 }

    /// Writes `scaled` / 10^`places` with 1 or more decimal places. Needs room for `fixedLength` bytes and
    /// returns how many it wrote.
    static func write(_ scaled: Int, places: Int, at destination: UnsafeMutablePointer<UInt8>) -> Int {
        if places == 3, scaled >= 0 { return write(thousandths: UInt(scaled), at: destination) }
        var rest = scaled.magnitude
        let start = scaled < 0 ? 1 : 0
        if scaled < 0 { destination.pointee = Byte.minus }
        // Counts the leading zeros of a small fraction: at least one digit comes before the point.
        let point = start &+ Swift.max(ASCII.digitCount(rest) &- places, 1)
        let length = point &+ 1 &+ places
        var index = length
        while index > start {
            index &-= 1
            if index == point {
                destination[index] = Byte.point
            } else {
                destination[index] = Byte.zero &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
        return length
    }

    /// A faster path for three decimal places: every line of the access log has several.
    @inline(__always)
    static func write(thousandths number: UInt, at destination: UnsafeMutablePointer<UInt8>) -> Int {
        let whole = number / 1000
        let count: Int
        if whole < 10 {
            destination.pointee = Byte.zero &+ UInt8(truncatingIfNeeded: whole)
            count = 1
        } else if whole < 1000 {
            count = whole >= 100 ? 3 : 2
            // Without the leading zero. The point overwrites what follows the digits.
            store(threeDigits(whole) &>> UInt32(8 &* (3 &- count)), at: destination)
        } else {
            count = write(whole, at: destination)
        }
        store(UInt32(Byte.point) | threeDigits(number &- 1000 &* whole) &<< 8, at: destination + count)
        return count &+ 4
    }

    /// Returns the digits of a number below 1000, the first in the lowest byte, and 0 in the highest.
    @inline(__always)
    private static func threeDigits(_ number: UInt) -> UInt32 {
        let number = UInt32(truncatingIfNeeded: number)
        let (hundreds, tens) = (number / 100, number / 10)
        let digits = hundreds | (tens &- 10 &* hundreds) &<< 8 | (number &- 10 &* tens) &<< 16
        return digits | UInt32(Byte.zero) &* 0x0001_0101
    }

    @inline(__always)
    private static func store(_ text: UInt32, at destination: UnsafeMutablePointer<UInt8>) {
        UnsafeMutableRawPointer(destination).storeBytes(of: text.littleEndian, as: UInt32.self)
    }
}
