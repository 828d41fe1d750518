/// Fragments that stay where they are, between the bytes of a text, so that nothing large is copied on its way to a
/// gathered write.
@_spi(Lines)
public struct SharedFragments {
    @usableFromInline let least: Int
    /// Where in the text each stands.
    @usableFromInline var list: [(offset: Int, bytes: ArraySlice<UInt8>)] = []

    /// - Parameter least: shorter fragments, in bytes, are copied into the text.
    @inlinable
    public init(from least: Int) {
        self.least = least
    }

    /// Bytes of the fragments that are not in the text.
    var byteCount: Int { list.reduce(0) { $0 + $1.bytes.count } }

    @inlinable
    public mutating func write(_ fragment: JSONFragment, to line: inout JSONLine) {
        if fragment.bytes.count < least {
            line.fragment(fragment)
        } else {
            list.append((line.bytes.count, fragment.bytes))
        }
    }

    /// The text with the fragments between.
    public consuming func pieces(of text: consuming [UInt8]) -> [ArraySlice<UInt8>] {
        guard !list.isEmpty else { return [text[...]] }
        var pieces: [ArraySlice<UInt8>] = []
        pieces.reserveCapacity(list.count * 2 + 1)
        var start = 0
        for (offset, bytes) in list {
            if offset > start { pieces.append(text[start..<offset]) }
            pieces.append(bytes)
            start = offset
        }
        if start < text.count { pieces.append(text[start...]) }
        return pieces
    }
}
