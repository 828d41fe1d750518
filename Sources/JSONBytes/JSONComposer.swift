/// Writes one JSON document from keys, values and fragments; nothing is decoded.
///
///     var composer = JSONComposer()
///     composer.beginObject()
///     composer.key("code"); composer.string("OK")
///     composer.key("data"); composer.fragment(data)
///     composer.endObject()
///     let body = composer.finish()
///
/// Commas and colons are its own. Small fragments are copied; one of `sharedFragmentLength` bytes or more is
/// not: it becomes a piece of the result by itself.
public struct JSONComposer: Sendable {
    /// Fragments from this length on are shared, not copied. Default 4096 bytes.
    public var sharedFragmentLength: Int

    private var text: [UInt8] = []
    /// Fragments that stand between the bytes of `text`, and where.
    private var shared: [(offset: Int, bytes: ArraySlice<UInt8>)] = []
    private var needsComma = false
    private var openBrackets = 0

    public init(reservingCapacity capacity: Int = 0, sharedFragmentLength: Int = 4096) {
        self.sharedFragmentLength = sharedFragmentLength
        if capacity > 0 { text.reserveCapacity(capacity) }
    }

    /// Bytes written so far, shared fragments included.
    public var count: Int { shared.reduce(text.count) { $0 + $1.bytes.count } }

    public mutating func beginObject() { open(Byte.openBrace) }
    public mutating func endObject() { close(Byte.closeBrace) }
    public mutating func beginArray() { open(Byte.openBracket) }
    public mutating func endArray() { close(Byte.closeBracket) }

    /// The name of an object's next member; a value must follow.
    public mutating func key(_ name: String) {
        separate()
        EscapedText.appendLiteral(name, to: &text)
        text.append(Byte.colon)
        needsComma = false
    }

    public mutating func fragment(_ fragment: JSONFragment) {
        separate()
        if fragment.bytes.count < sharedFragmentLength {
            text.append(contentsOf: fragment.bytes)
        } else {
            shared.append((text.count, fragment.bytes))
        }
        needsComma = true
    }

    public mutating func string(_ value: String) {
        separate()
        EscapedText.appendLiteral(value, to: &text)
        needsComma = true
    }

    /// - Precondition: `utf8` is UTF-8; it goes out as it is, but for what JSON wants escaped.
    public mutating func string(utf8: ArraySlice<UInt8>) {
        separate()
        EscapedText.appendLiteral(utf8, to: &text)
        needsComma = true
    }

    public mutating func int(_ value: Int) {
        separate()
        Decimal.append(value, places: 0, to: &text)
        needsComma = true
    }

    /// A number with a fixed count of decimal places: `fixed(124, places: 1)` is `12.4`.
    public mutating func fixed(_ scaled: Int, places: Int) {
        separate()
        Decimal.append(scaled, places: places, to: &text)
        needsComma = true
    }

    /// The shortest number that reads back as `value`; `null` where JSON has none (infinities, NaN), as
    /// JavaScript writes it.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        text.append(contentsOf: value.description.utf8)
        needsComma = true
    }

    public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
    public mutating func null() { literal("null") }

    /// The document in pieces, ready for a gathered write.
    /// - Precondition: every array and object was ended.
    public consuming func finish() -> [ArraySlice<UInt8>] {
        precondition(openBrackets == 0, "an array or object was not ended")
        guard !shared.isEmpty else { return [text[...]] }
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

    /// The document as one fragment; copies what was shared.
    public consuming func fragment() -> JSONFragment {
        let pieces = finish()
        return JSONFragment(valid: pieces.count == 1 ? pieces[0] : Array(pieces.joined())[...])
    }

    @inline(__always)
    private mutating func separate() {
        if needsComma { text.append(Byte.comma) }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        text.append(bracket)
        needsComma = false
        openBrackets += 1
    }

    private mutating func close(_ bracket: UInt8) {
        text.append(bracket)
        needsComma = true
        openBrackets -= 1
    }

    private mutating func literal(_ word: String) {
        separate()
        text.append(contentsOf: word.utf8)
        needsComma = true
    }
}
