import CBrotli

/// Encodes br with Google's library.
final class BrotliEncoder: EncodingStage {
    private let level: Int
    // Created for each content, because the library cannot use a state again. Freed at its end and in
    // `deinit`.
    private var state: OpaquePointer?

    /// The window, 2^16 bytes. 2^18 takes 384 KiB more per stream; content of 64 KiB gets no smaller.
    private static var windowBits: UInt32 { 16 }

    init(level: Int) throws(ContentCodingError) {
        self.level = level
    }

    deinit { close() }

    private func open() throws(ContentCodingError) -> OpaquePointer {
        if let state { return state }
        guard let state = BrotliEncoderCreateInstance(nil, nil, nil) else { throw .memory }
        _ = BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, UInt32(level))
        _ = BrotliEncoderSetParameter(state, BROTLI_PARAM_LGWIN, Self.windowBits)
        self.state = state
        return state
    }

    private func close() {
        if let state { BrotliEncoderDestroyInstance(state) }
        state = nil
    }

    func encode(
        _ input: UnsafeRawBufferPointer, to output: inout [UInt8], _ flush: ContentEncoder.Flush
    ) throws(ContentCodingError) {
        let state = try open()
        var left = input.count
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var isPending = true
        while isPending {
            // Without room the output stays in the library's buffer, from which it is copied once, into room
            // of its size.
            var room = 0
            guard
                BrotliEncoderCompressStream(state, Self.operation(of: flush), &left, &next, &room, nil, nil)
                    == BROTLI_TRUE
            else { throw .memory }
            // 0: as many as there are.
            var count = 0
            let bytes = BrotliEncoderTakeOutput(state, &count)
            output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            isPending = left > 0 || BrotliEncoderHasMoreOutput(state) == BROTLI_TRUE
            if flush == .finish, BrotliEncoderIsFinished(state) == BROTLI_FALSE { isPending = true }
        }
        if flush == .finish { close() }
    }

    private static func operation(of flush: ContentEncoder.Flush) -> BrotliEncoderOperation {
        switch flush {
        case .none: BROTLI_OPERATION_PROCESS
        case .flush: BROTLI_OPERATION_FLUSH
        case .finish: BROTLI_OPERATION_FINISH
        }
    }

    func reset() { close() }
}
