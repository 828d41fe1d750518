import JSONBytes

/// Writes a body: constants, texts and fragments appended to one block, which was sized beforehand.
///
/// A body up to 16 KiB is one block. In a longer one each fragment of 1 KiB or more stays where it is and
/// becomes a piece of its own, so that nothing large is copied.
struct BodyWriter {
    private var block: [UInt8] = []
    /// Fragments that stand between the bytes of `block`, and where.
    private var shared: [(offset: Int, bytes: ArraySlice<UInt8>)] = []
    private let sharesFragments: Bool

    static let copiedBody = 16 * 1024
    static let copiedFragment = 1024

    /// - Parameters:
    ///   - capacity: bytes of everything but the fragments.
    ///   - fragments: bytes of the fragments.
    init(capacity: Int, fragments: Int) {
        sharesFragments = capacity + fragments > Self.copiedBody
        block.reserveCapacity(sharesFragments ? capacity + 4 * Self.copiedFragment : capacity + fragments)
    }

    mutating func constant(_ text: StaticString) {
        text.withUTF8Buffer { block.append(contentsOf: $0) }
    }

    mutating func fragment(_ fragment: JSONFragment) {
        let bytes = fragment.bytes
        guard sharesFragments, bytes.count >= Self.copiedFragment else {
            block.append(contentsOf: bytes)
            return
        }
        shared.append((block.count, bytes))
    }

    /// The inside of a JSON string that needs no escapes, such as a request id.
    mutating func plain(_ text: String) {
        var text = text
        text.withUTF8 { block.append(contentsOf: $0) }
    }

    /// A JSON string, escaped.
    mutating func string(_ text: String) {
        var text = text
        let isPlain = text.withUTF8 { bytes in
            for byte in bytes where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                return false
            }
            block.append(UInt8(ascii: "\""))
            block.append(contentsOf: bytes)
            block.append(UInt8(ascii: "\""))
            return true
        }
        if !isPlain { block.append(contentsOf: JSONFragment(text).bytes) }
    }

    mutating func integer(_ number: Int) {
        if number < 0 { block.append(UInt8(ascii: "-")) }
        digits(number.magnitude)
    }

    /// Milliseconds with one decimal place, rounded: `12.4`.
    mutating func milliseconds(nanoseconds: Int64) {
        let tenths = UInt(max(nanoseconds, 0) + 50_000) / 100_000
        digits(tenths / 10)
        block.append(UInt8(ascii: "."))
        block.append(UInt8(ascii: "0") + UInt8(tenths % 10))
    }

    private mutating func digits(_ number: UInt) {
        if number >= 10 { digits(number / 10) }
        block.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// Bytes written so far.
    var count: Int { shared.reduce(block.count) { $0 + $1.bytes.count } }

    consuming func finish() -> [ArraySlice<UInt8>] {
        if shared.isEmpty { return [block[...]] }
        var pieces: [ArraySlice<UInt8>] = []
        pieces.reserveCapacity(2 * shared.count + 1)
        var start = 0
        for (offset, bytes) in shared {
            if offset > start { pieces.append(block[start..<offset]) }
            pieces.append(bytes)
            start = offset
        }
        if start < block.count { pieces.append(block[start...]) }
        return pieces
    }
}
