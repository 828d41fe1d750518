extension UnsafeMutableRawBufferPointer {
    /// Copies bytes of a message body to the start of this buffer. The buffers must not overlap.
    ///
    /// Copies 2 KiB at a time: glibc uses `rep movsb` for more, which is several times slower on AMD's Zen 3
    /// and 4 if source and destination are aligned differently (glibc bug 30994).
    public func copyBulk(from source: UnsafeRawBufferPointer) {
        precondition(source.count <= count, "the source is larger than the destination")
        guard let to = baseAddress, let from = source.baseAddress else { return }
        var done = 0
        while done < source.count {
            let piece = Swift.min(2048, source.count - done)
            (to + done).copyMemory(from: from + done, byteCount: piece)
            done += piece
        }
    }
}
