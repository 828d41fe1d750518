// With `JSONText`, `JSONLine` and `ByteReader` the only file of this module with unsafe code. What makes it sound: every write goes
// through `append(atMost:)`, whose pointer has as much room behind it as it was asked for and lives as long as the call;
// no writer here writes more than it asked for, or leaves a gap.

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
        guard let source = text.baseAddress, JSONText.isPlain(source, length) else {
            return append(escaping: text)
        }
        append(atMost: length &+ 2) { place in JSONText.write(plain: source, length, at: place) }
    }

    private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
        append(Byte.quote)
        for byte in text {
            append(atMost: 6) { place in JSONText.write(escaped: byte, at: place) }
        }
        append(Byte.quote)
    }

    // MARK: Numbers

    mutating func append(_ integer: Int) {
        append(atMost: JSONText.integerLength) { place in JSONText.write(integer, at: place) }
    }

    /// `scaled` / 10^`places` with exactly that many decimal places.
    mutating func append(_ scaled: Int, places: Int) {
        precondition(places >= 0, "places are not negative")
        guard places > 0 else { return append(scaled) }
        append(atMost: JSONText.fixedLength(places: places)) { place in
            JSONText.write(scaled, places: places, at: place)
        }
    }
}
