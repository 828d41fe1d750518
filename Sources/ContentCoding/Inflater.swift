import CZlib

/// Decodes gzip and deflate with zlib.
final class Inflater: DecodingStage {
    let coding: ContentCoding
    // On the heap, because zlib keeps its address. `deinit` frees it and what `inflateInit2_` allocated.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOpen = false
    /// True before the first byte and at the end of a stream.
    private(set) var mayEnd = true
    private var hasEnded = false
    /// Up to two bytes, taken to find out what follows, that zlib has not seen yet: the first two of deflate,
    /// or those after a gzip member.
    private var lookahead: [UInt8] = []
    /// Bytes after the last gzip member; nil until one of them cannot belong to another member.
    private var trailingLength: Int?

    /// The most bytes that are ignored after the last gzip member.
    private let tail: Int

    init(_ coding: ContentCoding, tail: Int) throws(ContentCodingError) {
        self.coding = coding
        self.tail = tail
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 is the largest window; 16 accepts gzip only.
        if coding == .gzip { try open(windowBits: 15 + 16) }
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deallocate()
    }

    private func open(windowBits: Int32) throws(ContentCodingError) {
        guard inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw .memory }
        isOpen = true
    }

    func decode(
        _ input: UnsafeRawBufferPointer, consumed: inout Int, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int {
        var produced = 0
        while try begin(input, &consumed) {
            let room = UnsafeMutableRawBufferPointer(rebasing: output[produced...])
            guard lookahead.isEmpty else {
                produced += try inflateLookahead(room)
                continue
            }
            let before = (consumed, produced)
            produced += try inflate(input, &consumed, room)
            // Even without more input, zlib may still have output.
            guard (consumed, produced) != before, produced < output.count else { break }
        }
        return produced
    }

    /// Opens a stream for the input if needed. Returns false if none is open, in which case all input was
    /// taken.
    private func begin(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(ContentCodingError) -> Bool {
        if !isOpen { try detectWrapping(input, &consumed) }
        if hasEnded { try continueAfterEnd(input, &consumed) }
        return isOpen && !hasEnded
    }

    /// Handles input after the end of a stream. A gzip file may have several members (RFC 1952, 2.2). Like
    /// gzip(1) and browsers, this ignores any bytes after the last one, which usually are padding.
    private func continueAfterEnd(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(ContentCodingError) {
        guard consumed < input.count else { return }
        guard coding == .gzip else { throw .corrupt(coding) }
        while trailingLength == nil, consumed < input.count {
            guard input[consumed] == Self.magic[lookahead.count] else {
                trailingLength = lookahead.count
                lookahead = []
                mayEnd = true
                break
            }
            lookahead.append(input[consumed])
            consumed += 1
            mayEnd = false
            guard lookahead.count == Self.magic.count else { continue }
            guard inflateReset(stream) == Z_OK else { throw .corrupt(coding) }
            hasEnded = false
            return
        }
        guard let before = trailingLength else { return }
        let count = before + input.count - consumed
        guard count <= tail else { throw .corrupt(coding) }
        trailingLength = count
        consumed = input.count
    }

    /// The first bytes of each member (RFC 1952, 2.3.1).
    private static let magic: [UInt8] = [0x1f, 0x8b]

    /// Finds out from the first two bytes whether deflate is wrapped (RFC 1950, 2.2): if so, they are a
    /// multiple of 31 as a number, and the first one names the method.
    private func detectWrapping(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(ContentCodingError) {
        while lookahead.count < 2, consumed < input.count {
            lookahead.append(input[consumed])
            consumed += 1
            mayEnd = false
        }
        guard lookahead.count == 2 else { return }
        let isWrapped = lookahead[0] & 0x8f == 8 && (Int(lookahead[0]) << 8 | Int(lookahead[1])) % 31 == 0
        try open(windowBits: isWrapped ? 15 : -15)
    }

    private func inflateLookahead(_ output: UnsafeMutableRawBufferPointer) throws(ContentCodingError) -> Int {
        let bytes = lookahead
        lookahead = []
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ContentCodingError) in
                var taken = 0
                let count = try inflate(bytes, &taken, output)
                // zlib takes both: they are a header, or the whole of the shortest stream.
                guard taken == bytes.count else { throw .corrupt(coding) }
                return count
            }
        }
        return try result.get()
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int, _ output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int {
        let offered = input.count - consumed
        if offered > 0 { mayEnd = false }
        let limit = Int(UInt32.max)
        stream.pointee.next_in = input.baseAddress.map {
            UnsafeMutablePointer(mutating: ($0 + consumed).assumingMemoryBound(to: UInt8.self))
        }
        stream.pointee.avail_in = UInt32(min(offered, limit))
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(min(output.count, limit))
        let code = CZlib.inflate(stream, Z_NO_FLUSH)
        consumed += min(offered, limit) - Int(stream.pointee.avail_in)
        let produced = min(output.count, limit) - Int(stream.pointee.avail_out)
        switch code {
        case Z_STREAM_END:
            hasEnded = true
            mayEnd = true
        // Z_BUF_ERROR: zlib needs more input or more room.
        case Z_OK, Z_BUF_ERROR: break
        case Z_MEM_ERROR: throw .memory
        default: throw .corrupt(coding)
        }
        return produced
    }
}
