@_spi(Reading) import JSONBytes

/// The claims of RFC 7519 4.1 that decide whether a token is valid.
struct RegisteredClaims: Sendable {
    static let names = JSONMemberNames("iss", "sub", "aud", "exp", "nbf")

    /// `iss`.
    let issuer: String?
    /// `aud`, as a list in both of its forms; nil if it is missing.
    let audience: [String]?
    /// `exp` in seconds since 1970, rounded down.
    let expiry: Int64?
    /// `nbf` in seconds since 1970, rounded up.
    let notBefore: Int64?

    /// Reads members that a scan for `names` captured.
    init(_ members: JSONMembers) throws(TokenFault) {
        issuer = try Self.text(members[0], "iss")
        _ = try Self.text(members[1], "sub")
        audience = try Self.texts(members[2], "aud")
        expiry = try Self.seconds(members[3], "exp", .down)
        notBefore = try Self.seconds(members[4], "nbf", .up)
    }

    private static func text(_ value: JSONFragment?, _ name: String) throws(TokenFault) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.stringValue else { throw .malformedClaim(name) }
        return text
    }

    private static func texts(_ value: JSONFragment?, _ name: String) throws(TokenFault) -> [String]? {
        guard let value, value.kind == .array else { return try text(value, name).map { [$0] } }
        let texts = value.elements.map(\.stringValue)
        guard !texts.contains(nil) else { throw .malformedClaim(name) }
        return texts.compactMap { $0 }
    }

    /// Reads a NumericDate, which may have a fraction (RFC 7519 2).
    private static func seconds(
        _ value: JSONFragment?, _ name: String, _ rule: FloatingPointRoundingRule
    ) throws(TokenFault) -> Int64? {
        guard let value, !value.isNull else { return nil }
        if let seconds = value.intValue { return Int64(seconds) }
        guard let seconds = value.doubleValue, let whole = Int64(exactly: seconds.rounded(rule)) else {
            throw .malformedClaim(name)
        }
        return whole
    }
}
