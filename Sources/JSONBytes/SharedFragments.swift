/// Large fragments of a text that are not copied, for a gathered write.
@_spi(Lines)
public struct SharedFragments {
    @usableFromInline let minimumLength: Int
    /// Each fragment with its offset in the text.
    @usableFromInline var list: [(offset: Int, bytes: ArraySlice<UInt8>)] = []

    /// - Parameter minimumLength: the length in bytes from which fragments are shared. Shorter ones are copied into the text.
    @inlinable
    public init(from minimumLength: Int) {
        self.minimumLength = minimumLength
    }

    /// Appends a fragment to the text, by copying or by sharing it.
    @inlinable
    public mutating func write(_ fragment: JSONFragment, to line: inout JSONLine) {
        if fragment.bytes.count < minimumLength {
            line.fragment(fragment)
        } else {
            list.append((line.bytes.count, fragment.bytes))
        }
    }

    /// Returns the pieces of the text with the shared fragments in place.
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
