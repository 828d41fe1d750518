import CZlib

/// Undoes gzip and deflate, by zlib.
final class Inflater: DecodingStage {
    let coding: ContentCoding
    // Allocated here, as zlib keeps its address, and freed in `deinit`, with what `inflateInit2_` allocated.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOpen = false
    /// Before the first byte, and where one member of gzip has ended.
    private(set) var mayEnd = true
    private var hasEnded = false
    /// The first bytes of deflate, which tell whether it is wrapped.
    private var lead: [UInt8] = []

    init(_ coding: ContentCoding) throws(ContentCodingError) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16: gzip and nothing else.
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
        if !isOpen {
            try sniff(input, &consumed)
            guard isOpen else { return 0 }
        }
        var produced = 0
        if !lead.isEmpty {
            let bytes = lead
            lead = []
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(ContentCodingError) in
                    var taken = 0
                    let count = try inflate(bytes, &taken, output)
                    // Two bytes are a header, or the whole of the shortest stream: the decoder takes them in.
                    guard taken == bytes.count else { throw .corrupt(coding) }
                    return count
                }
            }
            produced = try result.get()
        }
        while consumed < input.count, produced < output.count {
            let before = (consumed, produced)
            produced += try inflate(
                input, &consumed, UnsafeMutableRawBufferPointer(rebasing: output[produced...]))
            guard (consumed, produced) != before else { break }
        }
        // What is left inside comes without more input.
        if consumed == input.count, produced < output.count, isOpen, !hasEnded {
            produced += try inflate(
                input, &consumed, UnsafeMutableRawBufferPointer(rebasing: output[produced...]))
        }
        return produced
    }

    /// Two bytes tell whether deflate has its wrapping (RFC 1950 2.2): they are a multiple of 31, and name the method.
    private func sniff(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(ContentCodingError) {
        while lead.count < 2, consumed < input.count {
            lead.append(input[consumed])
            consumed += 1
            mayEnd = false
        }
        guard lead.count == 2 else { return }
        let isWrapped = lead[0] & 0x8f == 8 && (Int(lead[0]) << 8 | Int(lead[1])) % 31 == 0
        try open(windowBits: isWrapped ? 15 : -15)
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int, _ output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int {
        let offered = input.count - consumed
        if hasEnded {
            guard offered > 0 else { return 0 }
            // RFC 1952 2.2: members follow each other. Nothing else follows anything.
            guard coding == .gzip, inflateReset(stream) == Z_OK else { throw .corrupt(coding) }
            hasEnded = false
        }
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
        // No progress was possible: more input or more room is needed.
        case Z_OK, Z_BUF_ERROR: break
        case Z_MEM_ERROR: throw .memory
        default: throw .corrupt(coding)
        }
        return produced
    }
}
