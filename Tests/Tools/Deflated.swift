import CZlib

/// Content compressed with zlib, as servers send it.
package enum Deflated {
    /// gzip (RFC 1952).
    package static func gzip(_ bytes: [UInt8], level: Int32 = 9) -> [UInt8] {
        deflated(bytes, level, windowBits: 15 + 16)
    }
    /// deflate in the zlib format (RFC 1950).
    package static func wrapped(_ bytes: [UInt8], level: Int32 = 9) -> [UInt8] {
        deflated(bytes, level, windowBits: 15)
    }
    /// deflate without a wrapper (RFC 1951).
    package static func bare(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, 9, windowBits: -15) }

    private static func deflated(_ bytes: [UInt8], _ level: Int32, windowBits: Int32) -> [UInt8] {
        var stream = z_stream()
        let code = deflateInit2_(
            &stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK)
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 100)
        var input = bytes
        let count = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
                return output.count - Int(stream.avail_out)
            }
        }
        return Array(output[..<count])
    }
}
