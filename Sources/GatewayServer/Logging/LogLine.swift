import JSONBytes

/// A line of JSON under way, in memory of its own that is used again for the next one: an append is a check of what room
/// is left and the copy.
///
/// The only file of this module that writes raw memory. What makes it sound: every write first makes room in `place(for:)`
/// for as many bytes as it then writes, and nobody else has the memory.
struct LogLine: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var count = 0

    init(capacity: Int) {
        start = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        start.deallocate()
    }

    /// Forgets what was written and keeps the room for it.
    mutating func removeAll() { count = 0 }

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    /// Where the next bytes go, at least `length` of them.
    @inline(__always)
    private mutating func place(for length: Int) -> UnsafeMutablePointer<UInt8> {
        if length > capacity &- count { grow(by: length) }
        return start + count
    }

    @inline(never)
    private mutating func grow(by length: Int) {
        capacity = 2 * (count + length)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.moveInitialize(from: start, count: count)
        start.deallocate()
        start = larger
    }

    @inline(__always)
    private mutating func append(_ source: UnsafePointer<UInt8>, _ length: Int) {
        UnsafeMutableRawPointer(place(for: length)).copyMemory(from: source, byteCount: length)
        count &+= length
    }

    /// JSON as it is; its length is known where this is called, so the copy is a few moves.
    @inline(__always)
    mutating func constant(_ json: StaticString) {
        append(json.utf8Start, json.utf8CodeUnitCount)
    }

    /// Text as it is: the inside of a string that needs no escapes.
    mutating func plain(_ text: UnsafeBufferPointer<UInt8>) {
        if let source = text.baseAddress { append(source, text.count) }
    }

    mutating func plain(_ text: String) {
        var text = text
        text.withUTF8 { plain($0) }
    }

    /// A JSON string of text that is UTF-8.
    mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        count &+= JSONText.write(literal: text, at: place(for: JSONText.literalLength(text.count)))
    }

    mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string(utf8: $0) }
    }

    mutating func integer(_ value: Int) {
        count &+= JSONText.write(value, at: place(for: JSONText.integerLength))
    }

    /// Milliseconds with three decimal places.
    mutating func milliseconds(nanoseconds: Int64) {
        let place = place(for: JSONText.fixedLength(places: 3))
        count &+= JSONText.write(Int(nanoseconds / 1000), places: 3, at: place)
    }
}
