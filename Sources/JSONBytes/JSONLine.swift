public import ASCIIText

/// JSON text that its caller shapes, written as plain stores into memory. It checks nothing; `JSONComposer` knows about
/// commas.
///
/// It is public to our own modules only, under the SPI name `Lines`: a `package` declaration is not inlined across modules,
/// and a constant whose length is unknown to the compiler takes four times as long to append.
@_spi(Lines)
public struct JSONLine: ~Copyable {
    @usableFromInline var writer: ByteWriter

    /// A line in memory of its own, which `removeAll` keeps.
    public init(capacity: Int) { writer = ByteWriter(capacity: capacity) }

    @inlinable
    init(_ writer: consuming ByteWriter) { self.writer = writer }

    /// Returns what `body` writes, stored straight into an array.
    ///
    /// - Parameter capacity: about as many bytes as it writes: if they are more, the text is copied once.
    @inlinable
    public static func array(capacity: Int, _ body: (inout JSONLine) -> Void) -> [UInt8] {
        ByteWriter.array(capacity: capacity) { writer in
            var line = JSONLine(writer)
            body(&line)
            writer = line.writer
        }
    }

    /// Forgets the text and keeps the memory.
    @inlinable
    public mutating func removeAll() { writer.removeAll() }

    /// The number of bytes written so far.
    @inlinable
    public var length: Int { writer.count }

    /// Forgets the text behind the first `length` bytes.
    ///
    /// - Precondition: `length` is at most the line's own.
    @inlinable
    public mutating func truncate(to length: Int) { writer.truncate(to: length) }

    /// The bytes written so far, valid until the next write.
    @inlinable
    public var bytes: UnsafeBufferPointer<UInt8> { writer.bytes }

    /// Appends JSON as it is. Its length is known to the caller's compiler, so the copy is a few moves.
    @inlinable
    @inline(__always)
    public mutating func constant(_ json: StaticString) { writer.append(json) }

    /// Appends bytes as they are.
    @inlinable
    public mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) {
        writer.append(UnsafeRawBufferPointer(bytes))
    }

    /// Appends text as it is: a number, or the inside of a string that needs no escapes.
    public mutating func plain(_ text: String) {
        let bytes = text.utf8.span
        bytes.withUnsafeBufferPointer { plain($0) }
    }

    public mutating func fragment(_ fragment: JSONFragment) {
        fragment.bytes.withUnsafeBufferPointer { plain($0) }
    }

    /// A JSON string of text that is UTF-8: in quotes, escaped where it must be.
    public mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        let place = writer.reserve(JSONText.literalLength(text.count))
        writer.advance(by: JSONText.write(literal: text, at: place))
    }

    public mutating func string(_ text: String) {
        let bytes = text.utf8.span
        bytes.withUnsafeBufferPointer { string(utf8: $0) }
    }

    public mutating func integer(_ value: Int) {
        let place = writer.reserve(JSONText.integerLength)
        writer.advance(by: JSONText.write(value, at: place))
    }

    /// A number with a fixed count of decimal places, 0 or more: `fixed(124, places: 1)` is `12.4`.
    public mutating func fixed(_ scaled: Int, places: Int) {
        // A point has a digit behind it (RFC 8259 6).
        guard places > 0 else {
            precondition(places == 0, "less than no decimal places")
            return integer(scaled)
        }
        let place = writer.reserve(JSONText.fixedLength(places: places))
        writer.advance(by: JSONText.write(scaled, places: places, at: place))
    }
}
