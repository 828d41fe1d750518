import CZlib

/// Undoes gzip and deflate, by zlib.
final class Inflater: DecodingStage {
    let coding: ContentCoding
    // Allocated here, as zlib keeps its address, and freed in `deinit`, with what `inflateInit2_` allocated.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOpen = false
    /// Before the first byte, and where a stream has ended.
    private(set) var mayEnd = true
    private var hasEnded = false
    /// Bytes that tell what follows, until zlib takes them: deflate's first two, and the first two behind a member of gzip.
    private var lead: [UInt8] = []
    /// Bytes behind the last member of gzip; nil until one of them is no member's.
    private var ignored: Int?

    /// More bytes behind the last member of gzip are refused.
    static var mostIgnored: Int { 1 << 20 }

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
        var produced = 0
        while try begin(input, &consumed) {
            let room = UnsafeMutableRawBufferPointer(rebasing: output[produced...])
            guard lead.isEmpty else {
                produced += try inflateLead(room)
                continue
            }
            let before = (consumed, produced)
            produced += try inflate(input, &consumed, room)
            // Without more input comes what is left inside.
            guard (consumed, produced) != before, produced < output.count else { break }
        }
        return produced
    }

    /// Whether a stream is open that takes the input. Where it is not, all input was taken.
    private func begin(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(ContentCodingError) -> Bool {
        if !isOpen { try sniff(input, &consumed) }
        if hasEnded { try follow(input, &consumed) }
        return isOpen && !hasEnded
    }

    /// What follows the end of a stream. RFC 1952 2.2: members of gzip follow each other. Behind the last one gzip(1) and
    /// browsers ignore whatever is there, padding as a rule.
    private func follow(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(ContentCodingError) {
        guard consumed < input.count else { return }
        guard coding == .gzip else { throw .corrupt(coding) }
        while ignored == nil, consumed < input.count {
            guard input[consumed] == Self.magic[lead.count] else {
                ignored = lead.count
                lead = []
                mayEnd = true
                break
            }
            lead.append(input[consumed])
            consumed += 1
            mayEnd = false
            guard lead.count == Self.magic.count else { continue }
            guard inflateReset(stream) == Z_OK else { throw .corrupt(coding) }
            hasEnded = false
            return
        }
        guard let before = ignored else { return }
        let count = before + input.count - consumed
        guard count <= Self.mostIgnored else { throw .corrupt(coding) }
        ignored = count
        consumed = input.count
    }

    /// How each member begins (RFC 1952 2.3.1).
    private static let magic: [UInt8] = [0x1f, 0x8b]

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

    private func inflateLead(_ output: UnsafeMutableRawBufferPointer) throws(ContentCodingError) -> Int {
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
        // No progress was possible: more input or more room is needed.
        case Z_OK, Z_BUF_ERROR: break
        case Z_MEM_ERROR: throw .memory
        default: throw .corrupt(coding)
        }
        return produced
    }
}
