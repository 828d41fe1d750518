import ASCIIText
import Crypto

/// Makes API keys: `sluice_` and 256 random bits.
public enum APIKeyMaker {
    /// The beginning of each key, by which scanners for leaked secrets find it.
    public static let prefix = "sluice_"

    /// A new key and the line that admits it.
    public struct NewKey: Sendable {
        /// The secret, for the caller. It cannot be had from the line.
        public let key: String
        /// The line of the file, without its end.
        public let line: String
    }

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - name: the name of the caller.
    ///   - claims: words like `plan=pro`, as they stand in the file.
    ///   - random: 32 random bytes; nil for new ones.
    /// - Throws: `APIKeyFault` for a name or a claim that the file could not have.
    public static func make(
        name: String, claims: [String] = [], random: [UInt8]? = nil
    ) throws(APIKeyFault) -> NewKey {
        let random = random ?? SecureRandom.bytes(32)
        precondition(random.count == 32, "a key needs 256 random bits")
        guard APIKeyTable.isName(name) else {
            throw APIKeyFault(line: 1, reason: "the name must be 1 to 128 letters, digits and -._@:/+")
        }
        // A line feed would begin a second line, and a carriage return would be lost.
        for claim in claims where claim.utf8.contains(where: ASCII.isControl) {
            throw APIKeyFault(line: 1, reason: "a claim has a control character")
        }
        let key = prefix + Base64URL.encode(random)
        let line = ([name, SHA256Digest(of: key).hexadecimal] + claims).joined(separator: " ")
        _ = try APIKeyTable(parsing: Array(line.utf8)[...])
        return NewKey(key: key, line: line)
    }
}
