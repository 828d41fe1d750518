import CBrotli

/// Decodes br with Google's library, which allocates its window as needed, up to 16 MiB (RFC 7932, 9.1).
final class BrotliDecoder: DecodingStage {
    let coding = ContentCoding.brotli
    // Created in `init`, freed in `deinit`.
    private let state: OpaquePointer
    private(set) var mayEnd = true
    private var hasEnded = false

    init() throws(ContentCodingError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .memory }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func decode(
        _ input: UnsafeRawBufferPointer, consumed: inout Int, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int {
        let offered = input.count - consumed
        if hasEnded {
            guard offered == 0 else { throw .corrupt(coding) }
            return 0
        }
        if offered > 0 { mayEnd = false }
        // Nothing comes out before the first byte.
        guard !mayEnd else { return 0 }
        var left = offered
        var next = input.baseAddress.map { ($0 + consumed).assumingMemoryBound(to: UInt8.self) }
        var room = output.count
        var target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = BrotliDecoderDecompressStream(state, &left, &next, &room, &target, nil)
        consumed += offered - left
        switch result {
        case BROTLI_DECODER_RESULT_SUCCESS:
            hasEnded = true
            mayEnd = true
            guard left == 0 else { throw .corrupt(coding) }
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
        default: throw .corrupt(coding)
        }
        return output.count - room
    }
}
