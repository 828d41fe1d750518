/// Appends the pieces of a JSON document whose shape its user knows: constants with the brackets, commas and names in
/// them, and values between. Checks nothing; `JSONComposer` knows about commas.
///
///     var writer = JSONWriter(capacity: 64)
///     writer.constant(#"{"status":"#)
///     writer.integer(200)
///     writer.constant("}")
///
/// Fragments are copied, or, from `sharedFragmentLength` bytes on, become pieces of the result by themselves.
public struct JSONWriter: Sendable {
    /// Fragments from this length on are shared, not copied.
    public let sharedFragmentLength: Int

    // No append is inlined into other modules: within this one each is a straight piece of code, while what a build with
    // cross-module optimization takes over there falls apart into calls of closures.
    private var buffer: TextBuffer
    /// Fragments that stand between the bytes of `buffer`, and where.
    private var shared: [(offset: Int, bytes: ArraySlice<UInt8>)] = []

    /// - Parameter capacity: bytes to make room for; more come by themselves.
    public init(capacity: Int = 0, sharedFragmentLength: Int = 4096) {
        self.sharedFragmentLength = sharedFragmentLength
        buffer = TextBuffer(capacity: capacity)
    }

    /// Bytes written so far, shared fragments included.
    public var count: Int { shared.reduce(buffer.text.count) { $0 + $1.bytes.count } }

    /// Forgets what was written and keeps the room for it.
    public mutating func removeAll() {
        buffer.removeAll()
        if !shared.isEmpty { shared.removeAll(keepingCapacity: true) }
    }

    /// Bytes of JSON, as they are.
    @inline(never)
    public mutating func constant(_ json: StaticString) {
        buffer.append(UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    @inline(never)
    public mutating func byte(_ byte: UInt8) {
        buffer.append(byte)
    }

    @inline(never)
    public mutating func fragment(_ fragment: JSONFragment) {
        guard fragment.bytes.count >= sharedFragmentLength else {
            fragment.bytes.withUnsafeBufferPointer { buffer.append($0) }
            return
        }
        shared.append((buffer.text.count, fragment.bytes))
    }

    /// A JSON string: in quotes, escaped where it must be.
    @inline(never)
    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { buffer.append(literal: $0) }
    }

    /// A JSON string of text that is UTF-8 already.
    /// - Precondition: `utf8` is UTF-8; it goes out as it is, but for what JSON wants escaped.
    @inline(never)
    public mutating func string(utf8: ArraySlice<UInt8>) {
        utf8.withUnsafeBufferPointer { buffer.append(literal: $0) }
    }

    /// Text as it is: a number, or the inside of a string that needs no escapes.
    @inline(never)
    public mutating func plain(_ text: String) {
        var text = text
        text.withUTF8 { buffer.append($0) }
    }

    @inline(never)
    public mutating func integer(_ value: Int) {
        buffer.append(value)
    }

    /// A number with a fixed count of decimal places: `fixed(124, places: 1)` is `12.4`.
    @inline(never)
    public mutating func fixed(_ scaled: Int, places: Int) {
        buffer.append(scaled, places: places)
    }

    /// The bytes written, where no fragment was shared.
    public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        precondition(shared.isEmpty, "fragments were shared: use finish()")
        return try buffer.text.withUnsafeBufferPointer(body)
    }

    /// What was written, in pieces that are ready for a gathered write.
    public consuming func finish() -> [ArraySlice<UInt8>] {
        let text = buffer.text[...]
        guard !shared.isEmpty else { return [text] }
        var pieces: [ArraySlice<UInt8>] = []
        pieces.reserveCapacity(shared.count * 2 + 1)
        var start = 0
        for (offset, bytes) in shared {
            if offset > start { pieces.append(text[start..<offset]) }
            pieces.append(bytes)
            start = offset
        }
        if start < text.count { pieces.append(text[start...]) }
        return pieces
    }
}
