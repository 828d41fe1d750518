public import ASCIIText

/// A fast writer of JSON text. Unlike `JSONComposer`, it validates nothing and writes no commas.
///
/// An SPI instead of `package`, because `package` declarations are not inlined across modules, and appending
/// a constant of unknown length takes four times as long.
@_spi(Lines)
public struct JSONLine: ~Copyable {
    @usableFromInline var writer: ByteWriter

    /// Creates an empty line with room for so many bytes.
    public init(capacity: Int) { writer = ByteWriter(capacity: capacity) }

    @inlinable
    init(_ writer: consuming ByteWriter) { self.writer = writer }

    /// Returns what `body` writes, stored straight into an array.
    ///
    /// - Parameter capacity: The expected length in bytes. A longer text is copied once.
    @inlinable
    public static func array(capacity: Int, _ body: (inout JSONLine) -> Void) -> [UInt8] {
        ByteWriter.array(capacity: capacity) { writer in
            var line = JSONLine(writer)
            body(&line)
            writer = line.writer
        }
    }

    /// Keeps the memory.
    @inlinable
    public mutating func removeAll() { writer.removeAll() }

    /// The bytes written so far.
    @inlinable
    public var length: Int { writer.count }

    /// - Precondition: `length` is at most the current length.
    @inlinable
    public mutating func truncate(to length: Int) { writer.truncate(to: length) }

    /// Valid until the next write.
    @inlinable
    public var bytes: UnsafeBufferPointer<UInt8> { writer.bytes }

    /// Appends JSON of a length that the compiler knows, so the copy is a few moves.
    @inlinable
    @inline(__always)
    public mutating func constant(_ json: StaticString) { writer.append(json) }

    /// Writes bytes as they are.
    @inlinable
    public mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) {
        writer.append(UnsafeRawBufferPointer(bytes))
    }

    /// Appends text unchanged: a number, or string content that needs no escapes.
    public mutating func plain(_ text: String) {
        let bytes = text.utf8.span
        bytes.withUnsafeBufferPointer { plain($0) }
    }

    /// Writes a value that is JSON already.
    public mutating func fragment(_ fragment: JSONFragment) {
        fragment.bytes.withUnsafeBufferPointer { plain($0) }
    }

    /// Appends UTF-8 text as a JSON string, with quotes and escapes.
    public mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        let destination = writer.reserve(JSONText.literalLength(text.count))
        writer.advance(by: JSONText.write(literal: text, at: destination))
    }

    /// Writes a string in quotes, escaped.
    public mutating func string(_ text: String) {
        let bytes = text.utf8.span
        bytes.withUnsafeBufferPointer { string(utf8: $0) }
    }

    /// Writes an integer.
    public mutating func integer(_ value: Int) {
        let destination = writer.reserve(JSONText.integerLength)
        writer.advance(by: JSONText.write(value, at: destination))
    }

    /// Appends a number of thousandths, such as a time in milliseconds: `thousandths(12_400)` appends
    /// `12.400`. Appends `0.000` for a negative number.
    public mutating func thousandths(_ number: Int) {
        let destination = writer.reserve(JSONText.fixedLength(places: 3))
        writer.advance(by: JSONText.write(thousandths: UInt(max(0, number)), at: destination))
    }

    /// Appends a part of the line once more.
    ///
    /// - Precondition: `range` lies within `length`.
    public mutating func copy(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= length, "more than was written")
        let destination = writer.reserve(range.count)
        // After `reserve`, which may move the text.
        if let text = writer.bytes.baseAddress {
            destination.update(from: text + range.lowerBound, count: range.count)
        }
        writer.advance(by: range.count)
    }

    /// Appends a number with a fixed number of decimal places, 0 or more: `fixed(124, places: 1)` appends
    /// `12.4`.
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
