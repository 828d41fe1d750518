internal import ASCIIText

/// Writes messages of Protocol Buffers: fields of the wire types that OTLP uses.
///
/// The length of a message comes before it, so three bytes are kept for it and filled in afterwards. A varint
/// may have more bytes than it needs.
struct ProtobufWriter: ~Copyable {
    var out: ByteWriter

    init(capacity: Int) { out = ByteWriter(capacity: capacity) }

    var count: Int { out.count }
    var bytes: UnsafeBufferPointer<UInt8> { out.bytes }

    mutating func removeAll() { out.removeAll() }

    private enum WireType: Int {
        case varint = 0
        case fixed64 = 1
        case lengthDelimited = 2
        case fixed32 = 5
    }

    @inline(__always)
    private mutating func tag(_ field: Int, _ type: WireType) { varint(UInt64(field << 3 | type.rawValue)) }

    @inline(__always)
    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        out.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func field(_ number: Int, varint value: UInt64) {
        tag(number, .varint)
        varint(value)
    }

    mutating func field(_ number: Int, fixed64 value: UInt64) {
        tag(number, .fixed64)
        withUnsafeBytes(of: value.littleEndian) { out.append($0) }
    }

    mutating func field(_ number: Int, fixed32 value: UInt32) {
        tag(number, .fixed32)
        withUnsafeBytes(of: value.littleEndian) { out.append($0) }
    }

    mutating func field(_ number: Int, bytes: UnsafeRawBufferPointer) {
        tag(number, .lengthDelimited)
        varint(UInt64(bytes.count))
        out.append(bytes)
    }

    mutating func field(_ number: Int, text: String) {
        var text = text
        text.withUTF8 { field(number, bytes: UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { out.append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ bytes: ArraySlice<UInt8>) { out.append(bytes) }

    // MARK: Messages

    private static var lengthBytes: Int { 3 }
    /// The largest message, whose length fits into the bytes that are kept for it.
    static var longest: Int { 1 << 21 - 1 }

    /// Begins a message within this one, and returns where it begins.
    mutating func begin(_ number: Int) -> Int {
        tag(number, .lengthDelimited)
        _ = out.reserve(Self.lengthBytes)
        out.advance(by: Self.lengthBytes)
        return out.count
    }

    /// Ends the message that began there.
    mutating func end(_ start: Int) {
        let length = out.count - start
        precondition(length <= Self.longest, "a message of OTLP is too long")
        guard let first = out.bytes.baseAddress else { return }
        let place = UnsafeMutablePointer(mutating: first + start - Self.lengthBytes)
        place[0] = UInt8(truncatingIfNeeded: length & 0x7F) | 0x80
        place[1] = UInt8(truncatingIfNeeded: length >> 7 & 0x7F) | 0x80
        place[2] = UInt8(truncatingIfNeeded: length >> 14)
    }

    mutating func truncate(to length: Int) { out.truncate(to: length) }
}
