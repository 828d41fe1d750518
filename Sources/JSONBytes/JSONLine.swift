public import ASCIIText

/// A fast writer of JSON text. An append checks the capacity and copies; it validates nothing and writes no commas, unlike
/// `JSONComposer`.
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

    /// Removes the text and keeps the memory.
    @inlinable
    public mutating func removeAll() { writer.removeAll() }

    /// The number of bytes written so far.
    @inlinable
    public var length: Int { writer.count }

    /// Removes the text after the first `length` bytes.
    ///
    /// - Precondition: `length` is at most the current length.
    @inlinable
    public mutating func truncate(to length: Int) { writer.truncate(to: length) }

    /// The bytes written so far, valid until the next write.
    @inlinable
    public var bytes: UnsafeBufferPointer<UInt8> { writer.bytes }

    /// Appends JSON from the source code. The compiler knows its length, so the copy is a few moves.
    @inlinable
    @inline(__always)
    public mutating func constant(_ json: StaticString) { writer.append(json) }

    /// Appends bytes unchanged.
    @inlinable
    public mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) {
        writer.append(UnsafeRawBufferPointer(bytes))
    }

    /// Appends text unchanged: a number, or string content that needs no escapes.
    public mutating func plain(_ text: String) {
        let bytes = text.utf8.span
        bytes.withUnsafeBufferPointer { plain($0) }
    }

    public mutating func fragment(_ fragment: JSONFragment) {
        fragment.bytes.withUnsafeBufferPointer { plain($0) }
    }

    /// Appends UTF-8 text as a JSON string, with quotes and escapes.
    public mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        let destination = writer.reserve(JSONText.literalLength(text.count))
        writer.advance(by: JSONText.write(literal: text, at: destination))
    }

    /// Appends text as a JSON string, with quotes and escapes.
    public mutating func string(_ text: String) {
        let bytes = text.utf8.span
        bytes.withUnsafeBufferPointer { string(utf8: $0) }
    }

    public mutating func integer(_ value: Int) {
        let destination = writer.reserve(JSONText.integerLength)
        writer.advance(by: JSONText.write(value, at: destination))
    }

    /// Appends a number with a fixed number of decimal places, 0 or more: `fixed(124, places: 1)` appends `12.4`.
    public mutating func fixed(_ scaled: Int, places: Int) {
        // RFC 8259, 6: a point must be followed by a digit.
        guard places > 0 else {
            precondition(places == 0, "negative number of decimal places")
            return integer(scaled)
        }
        let destination = writer.reserve(JSONText.fixedLength(places: places))
        writer.advance(by: JSONText.write(scaled, places: places, at: destination))
    }
}
