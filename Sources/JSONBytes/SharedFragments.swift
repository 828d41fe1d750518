/// Large fragments that are written without a copy, as separate pieces.
@_spi(Lines)
public struct SharedFragments {
    @usableFromInline let minimumLength: Int
    /// Each fragment with its offset in the text.
    @usableFromInline var list: [(offset: Int, bytes: ArraySlice<UInt8>)] = []

    /// - Parameter minimumLength: Fragments with fewer bytes are copied into the text.
    @inlinable
    public init(from minimumLength: Int) {
        self.minimumLength = minimumLength
    }

    /// Writes a fragment to the line, or keeps it for `pieces(of:)` if it is large.
    @inlinable
    public mutating func write(_ fragment: JSONFragment, to line: inout JSONLine) {
        if fragment.bytes.count < minimumLength {
            line.fragment(fragment)
        } else {
            list.append((line.bytes.count, fragment.bytes))
        }
    }

    var byteCount: Int { list.reduce(0) { $0 + $1.bytes.count } }

    /// Returns the text with the large fragments in their places.
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
