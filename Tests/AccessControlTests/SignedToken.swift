import Crypto
import JSONBytes

@testable import AccessControl

/// Tokens that tests sign with a secret, and the rules that accept them.
enum SignedToken {
    static let secret = [UInt8](0..<32)
    static let keys = keySet(#"{"keys":[{"kty":"oct","k":"\#(Base64URL.encode(secret))"}]}"#)
    static let rules = TokenRules(
        algorithms: [.hs256], issuer: "https://id.example", audience: ["app"], leeway: 30)
    /// When the tokens are read, in seconds since 1970.
    static let now: Int64 = 1_700_000_000

    static let header = #"{"alg":"HS256"}"#
    static let claims = #"{"iss":"https://id.example","aud":"app","sub":"alice"}"#

    static func keySet(_ document: String, allowsSecrets: Bool = true) -> KeySet {
        do {
            return try KeySet(parsing: Array(document.utf8)[...], allowsSecrets: allowsSecrets)
        } catch {
            preconditionFailure("a test's key set: \(error)")
        }
    }

    /// Returns a token with a right signature.
    static func text(_ claims: String = claims, header: String = header) -> String {
        text(bytes: Array(claims.utf8), header: Array(header.utf8))
    }

    static func text(bytes claims: [UInt8], header: [UInt8]) -> String {
        let message = Base64URL.encode(header) + "." + Base64URL.encode(claims)
        let code = Array(message.utf8).withUnsafeBytes {
            SHA256Digest(authenticating: $0, with: secret)
        }
        return message + "." + Base64URL.encode(code.bytes)
    }

    static func parse(_ text: String) throws(TokenFault) -> UnverifiedToken {
        try UnverifiedToken(parsing: Array(text.utf8)[...])
    }

    /// Returns why a token is refused when it is parsed; nil if it is not.
    static func fault(_ text: String) -> TokenFault? {
        do throws(TokenFault) {
            _ = try parse(text)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the verdict on a token with these members besides `iss` and `aud`.
    static func verdict(
        _ members: String, header: String = header, _ rules: TokenRules = rules, at now: Int64 = now
    ) throws(TokenFault) -> TokenVerdict {
        let claims = #"{"iss":"https://id.example","aud":"app"\#(members.isEmpty ? "" : ",")\#(members)}"#
        return try verdict(claims: claims, header: header, rules, at: now)
    }

    /// Returns the verdict on a token with these claims.
    static func verdict(
        claims: String, header: String = header, _ rules: TokenRules = rules, at now: Int64 = now
    ) throws(TokenFault) -> TokenVerdict {
        let token = try parse(text(claims, header: header))
        return TokenVerifier(rules).verify(token, with: keys, at: now)
    }
}
