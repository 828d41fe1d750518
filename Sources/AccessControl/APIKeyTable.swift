import Crypto

/// The keys of a file, by their digests.
///
/// The file has a line for each key: `NAME SHA256HEX [claim=value ...]`. Empty lines and lines that begin
/// with `#` count for nothing. Two lines with one name are a rotation: both keys are accepted, each with the
/// claims of its line.
///
/// A value of a claim is text, unless it is JSON: `level=3` is a number, `admin=true` a boolean, and
/// `roles=["a","b"]` a list. Text with spaces is in quotes: `scope="read write"`.
public struct APIKeyTable: Sendable, Hashable {
    /// The longest file, in bytes.
    public static let maxLength = 64 << 20
    /// The most lines of a file.
    public static let maxLines = 100_000
    /// The longest line, in bytes.
    public static let maxLineLength = 8 * 1024
    /// The longest name of a key or a claim, in bytes.
    public static let maxNameLength = 128

    /// All keys, in the order of the file.
    public let keys: [APIKey]
    private let indices: [SHA256Digest: Int]

    /// Reads a file.
    ///
    /// - Throws: the fault of the first bad line.
    public init(parsing file: ArraySlice<UInt8>) throws(APIKeyFault) {
        var parser = APIKeyParser()
        try parser.parse(file)
        keys = parser.keys
        indices = parser.indices
    }

    /// Returns the place in `keys` of the caller with this key; nil if the key is unknown.
    ///
    /// Takes a digest and one look into a table. No comparison in constant time is needed, because whoever
    /// can choose the digest has the key.
    public func index(of key: ArraySlice<UInt8>) -> Int? {
        key.isEmpty ? nil : indices[SHA256Digest(of: key)]
    }

    /// Whether a text may be the name of a key: 1 to 128 letters, digits and `-._@:/+`.
    public static func isName(_ text: some StringProtocol) -> Bool {
        (1...maxNameLength).contains(text.utf8.count) && text.utf8.allSatisfy(APIKeyParser.isNameByte)
            && !text.hasPrefix(APIKeyMaker.prefix)
    }

    /// Hashes the digests, which differ between two files, and not the claims.
    public func hash(into hasher: inout Hasher) { hasher.combine(indices) }
}
