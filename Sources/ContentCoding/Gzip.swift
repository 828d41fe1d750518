import CZlib

/// Compresses content that is sent many times.
public enum Gzip {
    /// Compresses bytes to gzip (RFC 1952), as far as zlib can; slow. The header has neither name nor time,
    /// so equal input gives equal output.
    ///
    /// - Throws: `.memory`, or `.tooLarge` from 4 GiB on.
    public static func compress(_ bytes: [UInt8]) throws(ContentCodingError) -> [UInt8] {
        var stream = z_stream()
        // 15 is the largest window; 16 selects gzip's header.
        guard
            deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw .memory }
        defer { deflateEnd(&stream) }
        // zlib counts in 32 bits.
        guard let count = UInt32(exactly: bytes.count),
            let room = UInt32(exactly: deflateBound(&stream, UInt(bytes.count)))
        else { throw .tooLarge(Int(UInt32.max)) }
        var isWhole = false
        let output = [UInt8](unsafeUninitializedCapacity: Int(room)) { output, filled in
            bytes.withUnsafeBufferPointer { input in
                // zlib only reads from `next_in`, although it is declared mutable.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = count
                stream.next_out = output.baseAddress
                stream.avail_out = room
                isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
                filled = Int(room - stream.avail_out)
            }
        }
        guard isWhole else { throw .memory }
        return output
    }
}
