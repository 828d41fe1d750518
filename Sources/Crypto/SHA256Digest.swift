internal import ASCIIText
internal import CCrypto

/// A SHA-256 digest (FIPS 180-4): 32 bytes, as four words.
///
/// Equality takes no constant time: do not compare a digest that a client sent. Looking up the digest of a
/// client's bytes is safe, because a client cannot choose the digest without knowing the bytes.
public struct SHA256Digest: Hashable, Sendable {
    /// The 32 bytes as big-endian numbers.
    public let words: (UInt64, UInt64, UInt64, UInt64)

    /// Digests bytes in memory.
    public init(of bytes: UnsafeRawBufferPointer) {
        self.init { ccrypto_sha256(bytes.baseAddress, bytes.count, $0) }
    }

    /// Digests a part of an array.
    public init(of bytes: ArraySlice<UInt8>) {
        self = bytes.withUnsafeBytes { SHA256Digest(of: $0) }
    }

    /// Digests an array.
    public init(of bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { SHA256Digest(of: $0) }
    }

    /// Digests the UTF-8 bytes of a text.
    public init(of text: some StringProtocol) {
        var text = String(text)
        self = text.withUTF8 { SHA256Digest(of: UnsafeRawBufferPointer($0)) }
    }

    /// Computes the HMAC of a message (RFC 2104), with SHA-256.
    public init(authenticating message: UnsafeRawBufferPointer, with secret: [UInt8]) {
        self.init { digest in
            let isMade = HMAC(
                EVP_sha256(), secret, Int32(secret.count), message.baseAddress, message.count, digest, nil)
            precondition(isMade != nil, "OpenSSL could not compute an HMAC of \(message.count) bytes")
        }
    }

    /// Reads 64 hexadecimal digits in either case; nil if the text is anything else.
    public init?(hexadecimal text: some StringProtocol) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var count = 0
        for byte in text.utf8 {
            guard let value = ASCII.hexValue(byte), count < 64 else { return nil }
            let digit = UInt64(value)
            switch count / 16 {
            case 0: words.0 = words.0 << 4 | digit
            case 1: words.1 = words.1 << 4 | digit
            case 2: words.2 = words.2 << 4 | digit
            default: words.3 = words.3 << 4 | digit
            }
            count += 1
        }
        guard count == 64 else { return nil }
        self.words = words
    }

    /// Takes the 32 bytes that `write` writes.
    private init(_ write: (UnsafeMutablePointer<UInt8>) -> Void) {
        words = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { room in
            write(room.assumingMemoryBound(to: UInt8.self).baseAddress.unsafelyUnwrapped)
            let words = room.assumingMemoryBound(to: UInt64.self)
            return (words[0].bigEndian, words[1].bigEndian, words[2].bigEndian, words[3].bigEndian)
        }
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        let words = [words.0, words.1, words.2, words.3]
        return words.flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
    }

    /// The bytes as 64 hexadecimal digits in lower case, like sha256sum(1).
    public var hexadecimal: String {
        String(unsafeUninitializedCapacity: 64) { room in
            var index = 0
            for word in [words.0, words.1, words.2, words.3] {
                for shift in stride(from: UInt64(60), through: 0, by: -4) {
                    room[index] = ASCII.lowercaseHexDigit(UInt8(truncatingIfNeeded: word >> shift) & 15)
                    index += 1
                }
            }
            return index
        }
    }

    /// Whether all bytes are equal.
    @inlinable
    public static func == (left: SHA256Digest, right: SHA256Digest) -> Bool {
        left.words == right.words
    }

    /// Feeds the first eight bytes. They are as good as random, and any more would only cost time.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
    }

    /// What a dictionary asks for: these bytes, without the cost of hashing them.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { seed ^ Int(truncatingIfNeeded: words.0) }
}
