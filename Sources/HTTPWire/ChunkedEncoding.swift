/// Writes a body in chunks (RFC 9112 7.1).
public enum ChunkedEncoding {
    /// Appends the line before a chunk's data. CRLF follows the data.
    ///
    /// - Precondition: `count` is positive, because an empty chunk ends the body.
    public static func appendSize(_ count: Int, to output: inout [UInt8]) {
        precondition(count > 0, "a chunk of \(count) bytes would end the body")
        output.append(hexadecimal: count)
        output.append("\r\n")
    }

    /// Appends the last chunk, without trailers.
    public static func appendEnd(to output: inout [UInt8]) {
        output.append("0\r\n\r\n")
    }
}
