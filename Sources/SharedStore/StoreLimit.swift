internal import ASCIIText
public import Crypto
public import Resilience

/// One limit of a request, as a store counts it.
public struct StoreLimit: Sendable {
    /// The name of the limit.
    public let name: String
    /// SHA-256 of what the request is counted by, without a secret: all gateways must compute the same.
    public let digest: SHA256Digest
    /// How many requests are allowed.
    public let policy: RateLimitPolicy

    /// Creates the limit of a request.
    public init(_ name: String, _ digest: SHA256Digest, _ policy: RateLimitPolicy) {
        self.name = name
        self.digest = digest
        self.policy = policy
    }

    /// Appends the name of its key: prefix, name, a colon and 128 bits of the digest in hexadecimal digits.
    func appendKey(_ prefix: String, to bytes: inout [UInt8]) {
        bytes += prefix.utf8
        bytes += name.utf8
        bytes.append(Byte.colon)
        for word in [digest.words.0, digest.words.1] {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                bytes.append(ASCII.lowercaseHexDigit(UInt8(truncatingIfNeeded: word >> shift) & 15))
            }
        }
    }
}
