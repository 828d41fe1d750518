/// Validates JSON without decoding it.
///
/// Accepts RFC 8259's grammar in UTF-8, within `JSONLimits`. Skips one leading byte order mark (section 8.1).
/// Accepts repeated names; lookups find the last one. Accepts a lone surrogate escape (`\ud800`), as the
/// grammar does: a fragment keeps it, and decoding turns it into U+FFFD.
@_spi(Reading)
public enum JSONScanner {
    /// Validates a document in one pass and captures the named top-level members. Allocates nothing: the
    /// fragments share the storage of `bytes`.
    ///
    /// - Throws: `JSONError` if the bytes are not JSON or exceed a limit.
    public static func scan(
        _ bytes: ArraySlice<UInt8>, capturing names: JSONMemberNames, limits: JSONLimits = .standard
    ) throws(JSONError) -> JSONMembers {
        var ranges = JSONMembers.Ranges(repeating: 0..<0)
        let value = try ByteReader.read(bytes) { (reader) throws(JSONError) in
            try DocumentScanner(reader: reader, limits: limits).scan(capturing: names, into: &ranges)
        }
        let start = bytes.startIndex
        let document = JSONFragment(valid: bytes[start &+ value.lowerBound..<start &+ value.upperBound])
        return JSONMembers(document: document, ranges: ranges, from: start)
    }

    /// Validates a document in one pass. Allocates nothing.
    ///
    /// - Throws: `JSONError` if the bytes are not JSON or exceed a limit.
    public static func validate(
        _ bytes: ArraySlice<UInt8>, limits: JSONLimits = .standard
    ) throws(JSONError) -> JSONFragment {
        var ranges = JSONMembers.Ranges(repeating: 0..<0)
        let value = try ByteReader.read(bytes) { (reader) throws(JSONError) in
            try DocumentScanner(reader: reader, limits: limits).scan(capturing: nil, into: &ranges)
        }
        let start = bytes.startIndex
        return JSONFragment(valid: bytes[start &+ value.lowerBound..<start &+ value.upperBound])
    }
}
