// With `ByteReader` the only file of this module with unsafe code. What makes it sound: every write goes through
// `append(atMost:)`, whose pointer has as much room behind it as it was asked for and lives as long as the call; no
// writer here writes more than it asked for, or leaves a gap.

/// JSON text under way: an append is a check of what room is left, a check that nobody shares the array, and the copy.
struct TextBuffer: Sendable {
    private(set) var text: [UInt8] = []

    init(capacity: Int) {
        if capacity > 0 { text.reserveCapacity(capacity) }
    }

    mutating func removeAll() { text.removeAll(keepingCapacity: true) }

    /// - Parameter write: puts at most `length` bytes at `place`, in order, and gives how many they were.
    @inline(__always)
    private mutating func append(
        atMost length: Int, _ write: (_ place: UnsafeMutablePointer<UInt8>) -> Int
    ) {
        text.append(addingCapacity: length) { span in
            span.withUnsafeMutableBufferPointer { room, count in
                if let place = room.baseAddress { count = write(place) }
            }
        }
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        let length = bytes.count
        append(atMost: length) { place in
            UnsafeMutableRawPointer(place).copyMemory(from: source, byteCount: length)
            return length
        }
    }

    mutating func append(_ byte: UInt8) {
        append(atMost: 1) { place in
            place.pointee = byte
            return 1
        }
    }

    // MARK: Strings

    /// A JSON string: quotes around `text`, in which `"`, `\` and control characters are escaped.
    mutating func append(literal text: UnsafeBufferPointer<UInt8>) {
        let length = text.count
        guard let source = text.baseAddress, Self.isPlain(source, length) else {
            return append(escaping: text)
        }
        append(atMost: length &+ 2) { place in
            place.pointee = Byte.quote
            UnsafeMutableRawPointer(place + 1).copyMemory(from: source, byteCount: length)
            place[length &+ 1] = Byte.quote
            return length &+ 2
        }
    }

    /// Whether nothing needs an escape, eight bytes at a time; the last step overlaps the one before it.
    @inline(__always)
    private static func isPlain(_ text: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        let bytes = UnsafeRawPointer(text)
        if length >= 8 {
            var index = 0
            while index < length {
                let offset = min(index, length &- 8)
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard ByteWord.literalStops(word) == 0 else { return false }
                index &+= 8
            }
            return true
        }
        if length >= 4 {
            let first = UInt64(bytes.loadUnaligned(as: UInt32.self))
            let last = UInt64(bytes.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self))
            return ByteWord.literalStops(first | last &<< 32) == 0
        }
        for index in 0..<length {
            let byte = text[index]
            if byte < 0x20 || byte == Byte.quote || byte == Byte.backslash { return false }
        }
        return true
    }

    private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
        append(Byte.quote)
        for byte in text {
            append(atMost: 6) { place in Self.write(escaped: byte, at: place) }
        }
        append(Byte.quote)
    }

    private static func write(escaped byte: UInt8, at place: UnsafeMutablePointer<UInt8>) -> Int {
        let letter: UInt8
        switch byte {
        case Byte.quote, Byte.backslash: letter = byte
        case 0x08: letter = UInt8(ascii: "b")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x0A: letter = UInt8(ascii: "n")
        case 0x0C: letter = UInt8(ascii: "f")
        case 0x0D: letter = UInt8(ascii: "r")
        case 0..<0x20:
            let digit = byte & 0x0F
            place[0] = Byte.backslash
            place[1] = UInt8(ascii: "u")
            place[2] = Byte.zero
            place[3] = Byte.zero
            place[4] = Byte.zero + byte >> 4
            place[5] = digit < 10 ? Byte.zero + digit : UInt8(ascii: "a") + digit - 10
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

    mutating func append(_ integer: Int) {
        // A sign and 19 digits.
        append(atMost: 20) { place in
            guard integer < 0 else { return Self.write(integer.magnitude, at: place) }
            place.pointee = Byte.minus
            return 1 &+ Self.write(integer.magnitude, at: place + 1)
        }
    }

    /// Writes decimal digits and gives how many they were.
    @inline(__always)
    private static func write(_ number: UInt, at place: UnsafeMutablePointer<UInt8>) -> Int {
        guard number >= 10 else {
            place.pointee = Byte.zero &+ UInt8(truncatingIfNeeded: number)
            return 1
        }
        let count = digitCount(number)
        var rest = number
        var index = count
        while index > 0 {
            index &-= 1
            place[index] = Byte.zero &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return count
    }

    @inline(__always)
    private static func digitCount(_ number: UInt) -> Int {
        var rest = number
        var count = 1
        while rest >= 1000 {
            rest /= 1000
            count &+= 3
        }
        return rest >= 100 ? count &+ 2 : rest >= 10 ? count &+ 1 : count
    }

    /// `scaled` / 10^`places` with exactly that many decimal places.
    mutating func append(_ scaled: Int, places: Int) {
        precondition(places >= 0, "places are not negative")
        guard places > 0 else { return append(scaled) }
        // An Int has at most 19 digits; a sign, a point and a zero before it may come to them.
        append(atMost: Swift.max(places, 19) &+ 3) { place in
            var rest = scaled.magnitude
            let start = scaled < 0 ? 1 : 0
            if scaled < 0 { place.pointee = Byte.minus }
            // The zeros of a small fraction included; at least one digit before the point.
            let point = start &+ Swift.max(Self.digitCount(rest) &- places, 1)
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
    }
}
