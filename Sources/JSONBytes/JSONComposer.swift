/// Writes a JSON document from keys, values and fragments, without decoding the fragments.
///
///     var composer = JSONComposer()
///     composer.beginObject()
///     composer.key("code"); composer.string("OK")
///     composer.key("data"); composer.fragment(data)
///     composer.endObject()
///     let body = composer.finish()
///
/// The composer writes the commas and colons. It copies fragments shorter than `sharedFragmentLength` bytes,
/// and returns longer ones as separate pieces.
public struct JSONComposer: ~Copyable {
    private var line: JSONLine
    private var shared: SharedFragments
    private var needsComma = false
    private var openBrackets = 0

    /// - Parameters:
    ///   - capacity: The expected length of the copied text, in bytes.
    ///   - sharedFragmentLength: Fragments this long are shared instead of copied. Default 4096 bytes.
    public init(reservingCapacity capacity: Int = 0, sharedFragmentLength: Int = 4096) {
        line = JSONLine(capacity: max(capacity, 64))
        shared = SharedFragments(from: sharedFragmentLength)
    }

    /// Begins an object.
    public mutating func beginObject() { open("{") }
    /// Ends an object.
    public mutating func endObject() { close("}") }
    /// Begins an array.
    public mutating func beginArray() { open("[") }
    /// Ends an array.
    public mutating func endArray() { close("]") }

    /// Writes the name of the next member.
    public mutating func key(_ name: String) {
        separate()
        line.string(name)
        line.constant(":")
        needsComma = false
    }

    /// Writes a value that is JSON already.
    public mutating func fragment(_ fragment: JSONFragment) {
        separate()
        shared.write(fragment, to: &line)
        needsComma = true
    }

    /// Writes a string.
    public mutating func string(_ value: String) { self.value { $0.string(value) } }
    /// Writes an integer.
    public mutating func int(_ value: Int) { self.value { $0.integer(value) } }

    /// Writes a number with a fixed number of decimal places: `fixed(124, places: 1)` writes `12.4`.
    public mutating func fixed(_ scaled: Int, places: Int) { value { $0.fixed(scaled, places: places) } }

    /// Writes the shortest number that reads back as `value`, and `null` for infinities and NaN, like
    /// JavaScript.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        self.value { $0.plain(value.description) }
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) { self.value { $0.constant(value ? "true" : "false") } }
    /// Writes `null`.
    public mutating func null() { value { $0.constant("null") } }

    /// The length of the document so far, with its shared fragments, in bytes.
    package var byteCount: Int { line.bytes.count + shared.byteCount }

    /// Returns the document in pieces, for a gathered write.
    ///
    /// - Precondition: Every array and object is closed.
    public consuming func finish() -> [ArraySlice<UInt8>] {
        precondition(openBrackets == 0, "an array or object has not been ended")
        return shared.pieces(of: [UInt8](line.bytes))
    }

    /// Returns the document as one fragment. Copies shared fragments.
    public consuming func fragment() -> JSONFragment {
        let pieces = finish()
        if pieces.count == 1 { return JSONFragment(valid: pieces[0]) }
        var bytes: [UInt8] = []
        // Without spare room, which would be memory as well.
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { bytes += piece }
        return JSONFragment(valid: bytes[...])
    }

    @inline(__always)
    private mutating func value(_ write: (inout JSONLine) -> Void) {
        separate()
        write(&line)
        needsComma = true
    }

    @inline(__always)
    private mutating func separate() {
        if needsComma { line.constant(",") }
    }

    private mutating func open(_ bracket: StaticString) {
        separate()
        line.constant(bracket)
        needsComma = false
        openBrackets += 1
    }

    private mutating func close(_ bracket: StaticString) {
        line.constant(bracket)
        needsComma = true
        openBrackets -= 1
    }
}
