import CZlib

/// Encodes gzip with zlib. The header has neither name nor time, so equal content gives equal bytes.
final class Deflater: EncodingStage {
    // On the heap, because zlib keeps its address. `deinit` frees it and what `deflateInit2_` allocated.
    private let stream: UnsafeMutablePointer<z_stream>

    /// The largest window, 2^15 bytes. 16 selects gzip's header.
    private static var windowBits: Int32 { 15 + 16 }
    /// zlib's default, 8, takes 64 KiB more and makes answers less than 1 % smaller, in the same time.
    private static var memoryLevel: Int32 { 7 }
    /// The room for output of unknown size.
    private static var step: Int { 16 << 10 }

    init(level: Int) throws(ContentCodingError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = deflateInit2_(
            stream, Int32(level), Z_DEFLATED, Self.windowBits, Self.memoryLevel, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            stream.deallocate()
            throw .memory
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    func encode(
        _ input: UnsafeRawBufferPointer, to output: inout [UInt8], _ flush: ContentEncoder.Flush
    ) throws(ContentCodingError) {
        // zlib counts in 32 bits.
        precondition(input.count <= Int(UInt32.max), "a piece of 4 GiB")
        // The whole content at once: zlib knows the most that can come out.
        let isWhole = flush == .finish && stream.pointee.total_in == 0
        var room = isWhole ? Int(deflateBound(stream, UInt(input.count))) : Self.step
        // zlib only reads from `next_in`, although it is declared mutable.
        stream.pointee.next_in = input.baseAddress.map {
            UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self))
        }
        stream.pointee.avail_in = UInt32(input.count)
        while true {
            let code = run(Self.mode(of: flush), room: min(room, Int(UInt32.max)), &output)
            // Z_BUF_ERROR: there was nothing left to do.
            guard code == Z_OK || code == Z_BUF_ERROR || code == Z_STREAM_END else { throw .memory }
            // With room left, zlib has taken all input and given all output.
            if stream.pointee.avail_out > 0 || code == Z_STREAM_END { break }
            room = Self.step
        }
        // The input is valid during the call only.
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
    }

    private func run(_ mode: Int32, room: Int, _ output: inout [UInt8]) -> Int32 {
        var code = Z_OK
        output.append(addingCapacity: room) { span in
            span.withUnsafeMutableBufferPointer { target, count in
                stream.pointee.next_out = target.baseAddress
                stream.pointee.avail_out = UInt32(room)
                code = deflate(stream, mode)
                count = room - Int(stream.pointee.avail_out)
            }
        }
        return code
    }

    private static func mode(of flush: ContentEncoder.Flush) -> Int32 {
        switch flush {
        case .none: Z_NO_FLUSH
        case .flush: Z_SYNC_FLUSH
        case .finish: Z_FINISH
        }
    }

    func reset() throws(ContentCodingError) {
        guard deflateReset(stream) == Z_OK else { throw .memory }
    }
}
