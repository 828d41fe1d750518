import CZlib

/// Content made shorter by zlib, once, for the many times that it is sent.
public enum Gzip {
    /// The same content as a gzip file (RFC 1952) without a name or a time, as small as zlib makes it: the same bytes give
    /// the same file. Takes its time.
    ///
    /// - Throws: `.memory`.
    public static func compress(_ bytes: [UInt8]) throws(ContentCodingError) -> [UInt8] {
        var stream = z_stream()
        // 16: with the header of gzip.
        guard
            deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw .memory }
        defer { deflateEnd(&stream) }
        // zlib counts in 32 bits; what is longer is no page.
        guard let count = UInt32(exactly: bytes.count),
            let room = UInt32(exactly: deflateBound(&stream, UInt(bytes.count)))
        else { throw .tooLarge(Int(UInt32.max)) }
        var isWhole = false
        let output = [UInt8](unsafeUninitializedCapacity: Int(room)) { output, filled in
            bytes.withUnsafeBufferPointer { input in
                // zlib only reads from it.
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
