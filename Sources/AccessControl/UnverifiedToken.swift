public import Crypto
@_spi(Reading) public import JSONBytes

/// A signed token (RFC 7519, RFC 7515 7.1) whose form is right and whose signature nobody has checked.
///
/// Nothing in it may be trusted until `TokenVerifier` says so. Only `issuer` may choose between verifiers.
/// The header's `jku`, `jwk`, `x5u` and `x5c` are ignored: a token does not name its own key.
public struct UnverifiedToken: Sendable {
    /// The longest token, in bytes: 8 KiB.
    public static let maxLength = 8 * 1024
    /// The deepest nesting of header and payload.
    public static let maxDepth = 16

    /// `alg`.
    public let algorithm: SignatureAlgorithm
    /// `kid`, compared exactly.
    public let keyID: String?
    /// `typ`.
    public let type: String?
    /// The payload: a JSON object without repeated members.
    public let claims: JSONFragment
    let registered: RegisteredClaims
    /// The header, the payload and the point between them, which are signed.
    let signedBytes: ArraySlice<UInt8>
    let signature: [UInt8]

    private static let headerNames = JSONMemberNames("alg", "kid", "typ", "crit")

    /// Reads the text of a token, without `Bearer` or white space.
    public init(parsing text: ArraySlice<UInt8>) throws(TokenFault) {
        guard text.count <= Self.maxLength else { throw .tooLong }
        let points = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        guard points.count == 2 else { throw points.count == 4 ? .encrypted : .notThreeParts }

        let header = try Self.object(in: text[..<points[0]], .header, Self.headerNames)
        guard header[3] == nil else { throw .criticalExtensions }
        algorithm = try Self.algorithm(header[0])
        keyID = try Self.text(header[1], "kid")
        type = try Self.text(header[2], "typ")

        let payload = text[(points[0] + 1)..<points[1]]
        let members = try Self.object(in: payload, .payload, RegisteredClaims.names)
        claims = members.document
        registered = try RegisteredClaims(members)

        signedBytes = text[..<points[1]]
        guard let signature = Base64URL.decode(text[(points[1] + 1)...]) else {
            throw .badEncoding(.signature)
        }
        guard !signature.isEmpty else { throw .noSignature }
        self.signature = signature
    }

    /// `iss`; nil if it is missing.
    public var issuer: String? { registered.issuer }

    /// `exp`, in seconds since 1970; nil if it is missing.
    public var expiry: Int64? { registered.expiry }

    private static func object(
        in text: ArraySlice<UInt8>, _ part: TokenFault.Part, _ names: JSONMemberNames
    ) throws(TokenFault) -> JSONMembers {
        guard let bytes = Base64URL.decode(text) else { throw .badEncoding(part) }
        let members: JSONMembers
        do throws(JSONError) {
            members = try JSONScanner.scan(
                bytes[...], capturing: names, limits: JSONLimits(maxDepth: maxDepth))
        } catch {
            throw .notAnObject(part)
        }
        guard members.document.kind == .object else { throw .notAnObject(part) }
        guard !members.document.hasRepeatedMember else { throw .repeatedMember(part) }
        return members
    }

    private static func algorithm(_ value: JSONFragment?) throws(TokenFault) -> SignatureAlgorithm {
        guard let value else { throw .noAlgorithm }
        guard let name = value.stringValue else { throw .malformedHeader("alg") }
        if let algorithm = SignatureAlgorithm(name: name) { return algorithm }
        throw name.lowercased() == "none" ? .algorithmNone : .unknownAlgorithm
    }

    private static func text(_ value: JSONFragment?, _ name: String) throws(TokenFault) -> String? {
        guard let value else { return nil }
        guard let text = value.stringValue else { throw .malformedHeader(name) }
        return text
    }
}
