extension UnsafeMutableRawBufferPointer {
    /// Copies bytes of a message's body to the start of this room. The rooms do not overlap.
    ///
    /// In pieces of 2 KiB: longer ones glibc copies by `rep movsb`, which on AMD's Zen 3 and 4 is several times slower where source
    /// and target are not aligned alike (glibc bug 30994).
    public func copyBulk(from source: UnsafeRawBufferPointer) {
        precondition(source.count <= count, "more bytes than there is room for")
        guard let to = baseAddress, let from = source.baseAddress else { return }
        var done = 0
        while done < source.count {
            let piece = Swift.min(2048, source.count - done)
            (to + done).copyMemory(from: from + done, byteCount: piece)
            done += piece
        }
    }
}
