/// Validates JSON without decoding it.
///
/// Accepted is exactly RFC 8259's grammar in UTF-8, inside `JSONLimits`. One byte order mark before it is ignored
/// (section 8.1), and belongs to no fragment. Duplicate names in an object are allowed, and the last one counts wherever a
/// member is looked up. A lone surrogate escape (`\ud800`) is allowed, as the grammar has it: a fragment keeps it, and text
/// made of it has U+FFFD there.
public enum JSONScanner {
    /// Validates all of `bytes` in one pass, and finds the named top-level members on the way.
    /// Allocates nothing; the fragments share the storage of `bytes`.
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

    /// Validates all of `bytes` in one pass. Allocates nothing.
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
