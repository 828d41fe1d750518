/// Why numbers are not a key that may verify signatures.
public enum KeyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The RSA modulus has fewer than 2048 bits or more than 8192.
    case modulusSize(bits: Int)
    /// The RSA modulus is even, so it is not a product of two large primes.
    case evenModulus
    /// The RSA exponent is even, less than 3, or longer than 8 bytes.
    case exponent
    /// A coordinate or an Ed25519 key has the wrong number of bytes.
    case length(bytes: Int, expected: Int)
    /// The point is not on the curve.
    case pointNotOnCurve
    /// The point of Ed25519 has order 8 or less, so that anyone could sign.
    case smallOrder
    /// The secret has fewer than 32 bytes (RFC 7518 3.2).
    case shortSecret(bytes: Int)
    /// OpenSSL refused the key for another reason.
    case refused

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .modulusSize(let bits): "the RSA modulus has \(bits) bits; 2048 to 8192 are allowed"
        case .evenModulus: "the RSA modulus is even"
        case .exponent: "the RSA exponent must be odd, at least 3 and at most 8 bytes long"
        case .length(let bytes, let expected): "a value has \(bytes) bytes, and the curve needs \(expected)"
        case .pointNotOnCurve: "the point is not on the curve"
        case .smallOrder: "the point has a small order, so that anyone could sign"
        case .shortSecret(let bytes): "the secret has \(bytes) bytes; at least 32 are needed"
        case .refused: "OpenSSL does not accept the key"
        }
    }
}
