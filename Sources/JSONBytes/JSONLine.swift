/// JSON text whose shape its user knows, as plain stores into memory: an append is a check of what room is left and the
/// copy. It checks nothing else: `JSONComposer` knows about commas.
///
/// Public to our own modules only, by the name of `Lines`: what is `package` is not inlined across modules, and a
/// constant whose length is not known at its place is four times as dear.
///
/// What makes the raw memory sound: every write first makes room in `place(for:)` for as many bytes as it then writes, and
/// nobody else has the memory: it is the line's own, or lent to it for the time of `array`.
@_spi(Lines)
public struct JSONLine: ~Copyable {
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    /// Bytes written so far.
    @usableFromInline var count = 0
    /// The memory is somebody else's.
    @usableFromInline var isLent: Bool

    /// A line in memory of its own, to be used again and again.
    public init(capacity: Int) {
        start = .allocate(capacity: max(capacity, 1))
        self.capacity = max(capacity, 1)
        isLent = false
    }

    @usableFromInline
    init(lent start: UnsafeMutablePointer<UInt8>, capacity: Int) {
        self.start = start
        self.capacity = capacity
        isLent = true
    }

    deinit {
        if !isLent { start.deallocate() }
    }

    /// What `body` writes, straight into an array.
    ///
    /// - Parameter capacity: about as many bytes as it writes: where they are more, the text is copied once.
    @inlinable
    public static func array(capacity: Int, _ body: (inout JSONLine) -> Void) -> [UInt8] {
        var longer: [UInt8]?
        var text: [UInt8] = []
        text.append(addingCapacity: max(capacity, 1)) { span in
            span.withUnsafeMutableBufferPointer { room, count in
                guard let start = room.baseAddress else { return }
                var line = JSONLine(lent: start, capacity: room.count)
                body(&line)
                if line.isLent { count = line.count } else { longer = [UInt8](line.bytes) }
            }
        }
        return longer ?? text
    }

    /// Forgets what was written and keeps the room for it.
    @inlinable
    public mutating func removeAll() { count = 0 }

    /// Bytes written so far.
    @inlinable
    public var length: Int { count }

    /// Forgets what was written from a place on.
    ///
    /// - Precondition: `length` is at most what it is.
    @inlinable
    public mutating func truncate(to length: Int) {
        precondition(length >= 0 && length <= count, "more than was written")
        count = length
    }

    /// What was written, for as long as nothing more is.
    @inlinable
    public var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    /// Where the next bytes go, at least `length` of them.
    @inlinable
    @inline(__always)
    mutating func place(for length: Int) -> UnsafeMutablePointer<UInt8> {
        if length > capacity &- count { grow(by: length) }
        return start + count
    }

    @usableFromInline
    @inline(never)
    mutating func grow(by length: Int) {
        capacity = 2 * (count + length)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.initialize(from: start, count: count)
        if !isLent { start.deallocate() }
        start = larger
        isLent = false
    }

    /// JSON as it is; its length is known where this is called, so the copy is a few moves.
    @inlinable
    @inline(__always)
    public mutating func constant(_ json: StaticString) {
        let length = json.utf8CodeUnitCount
        UnsafeMutableRawPointer(place(for: length)).copyMemory(from: json.utf8Start, byteCount: length)
        count &+= length
    }

    /// Bytes as they are.
    @inlinable
    public mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        UnsafeMutableRawPointer(place(for: bytes.count)).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }

    /// Text as it is: a number, or the inside of a string that needs no escapes.
    public mutating func plain(_ text: String) {
        let bytes = text.utf8.span
        bytes.withUnsafeBufferPointer { plain($0) }
    }

    public mutating func fragment(_ fragment: JSONFragment) {
        fragment.bytes.withUnsafeBufferPointer { plain($0) }
    }

    /// A JSON string of text that is UTF-8: in quotes, escaped where it must be.
    public mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        count &+= JSONText.write(literal: text, at: place(for: JSONText.literalLength(text.count)))
    }

    public mutating func string(_ text: String) {
        let bytes = text.utf8.span
        bytes.withUnsafeBufferPointer { string(utf8: $0) }
    }

    public mutating func integer(_ value: Int) {
        count &+= JSONText.write(value, at: place(for: JSONText.integerLength))
    }

    /// A number with a fixed count of decimal places, 0 or more: `fixed(124, places: 1)` is `12.4`.
    public mutating func fixed(_ scaled: Int, places: Int) {
        // A point has a digit behind it (RFC 8259 6).
        guard places > 0 else {
            precondition(places == 0, "less than no decimal places")
            return integer(scaled)
        }
        let place = place(for: JSONText.fixedLength(places: places))
        count &+= JSONText.write(scaled, places: places, at: place)
    }
}
