/// How a token is signed: the values of `alg` that are accepted (RFC 7518 3.1, RFC 9864 2.2).
public enum SignatureAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// RSA with PKCS #1 v1.5 and SHA-256.
    case rs256 = "RS256"
    /// RSA with PKCS #1 v1.5 and SHA-384.
    case rs384 = "RS384"
    /// RSA with PKCS #1 v1.5 and SHA-512.
    case rs512 = "RS512"
    /// RSA with PSS and SHA-256.
    case ps256 = "PS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
    /// EdDSA on Curve25519 (RFC 8032).
    case ed25519 = "Ed25519"
    /// HMAC with SHA-256: whoever can verify can sign too.
    case hs256 = "HS256"

    /// Reads the value of `alg`. `EdDSA`, the older name, is read as Ed25519 (RFC 9864 2.2). Any other name,
    /// such as `none`, is nil.
    public init?(name: some StringProtocol) {
        if name == "EdDSA" {
            self = .ed25519
        } else if let algorithm = SignatureAlgorithm(rawValue: String(name)) {
            self = algorithm
        } else {
            return nil
        }
    }

    /// The value of `alg`: `RS256`.
    public var name: String { rawValue }

    /// The kind of key that verifies such a signature.
    public var keyKind: VerificationKey.Kind {
        switch self {
        case .rs256, .rs384, .rs512, .ps256: .rsa
        case .es256: .p256
        case .es384: .p384
        case .ed25519: .ed25519
        case .hs256: .secret
        }
    }
}
