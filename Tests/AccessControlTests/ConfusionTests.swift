import Crypto
import Testing

@testable import AccessControl

/// The attacks of RFC 8725 that need no signature of a public key. `Vectors/Tokens/own.txt` has the others.
@Suite("The confusions of RFC 8725")
struct ConfusionTests {
    private static let publicKey = """
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """

    private func verdict(
        _ token: String, _ algorithms: [SignatureAlgorithm], _ keys: KeySet
    ) throws -> TokenVerdict {
        let rules = TokenRules(algorithms: algorithms, issuer: "https://id.example", audience: ["app"])
        return TokenVerifier(rules).verify(try SignedToken.parse(token), with: keys, at: SignedToken.now)
    }

    @Test("2.1: A token without a signature is refused, even if the list of algorithms were open")
    func none() {
        for name in ["none", "None", "NONE", "nOnE"] {
            let token = SignedToken.text(header: #"{"alg":"\#(name)"}"#)
            #expect(SignedToken.fault(token) == .algorithmNone)
            let unsigned = token.split(separator: ".").prefix(2).joined(separator: ".") + "."
            #expect(SignedToken.fault(unsigned) == .algorithmNone)
        }
    }

    @Test("2.1: A public key verifies no HMAC, even if HS256 and its own algorithm are listed")
    func publicKeyAsSecret() throws {
        let keys = SignedToken.keySet(#"{"keys":[\#(Self.publicKey)]}"#, allowsSecrets: false)
        #expect(try verdict(SignedToken.text(), [.es256, .hs256], keys) == .unknownKey)
        #expect(
            try verdict(SignedToken.text(), [.es256], keys) == .invalid(.unlistedAlgorithm("HS256")))
    }

    @Test("2.1: A secret in a set from an upstream verifies nothing, even if its issuer put it there")
    func secretOfUpstream() throws {
        let document = #"{"keys":[{"kty":"oct","k":"\#(Base64URL.encode(SignedToken.secret))"}]}"#
        let keys = SignedToken.keySet(document, allowsSecrets: false)
        #expect(keys.isEmpty)
        #expect(try verdict(SignedToken.text(), [.hs256], keys) == .unknownKey)
        #expect(
            try verdict(SignedToken.text(), [.hs256], SignedToken.keySet(document)) == .valid(until: .max))
    }

    @Test("2.1: A secret verifies no algorithm of public keys")
    func secretAsPublicKey() throws {
        for algorithm in SignatureAlgorithm.allCases where algorithm != .hs256 {
            let token = SignedToken.text(header: #"{"alg":"\#(algorithm.name)"}"#)
            #expect(try verdict(token, [algorithm], SignedToken.keys) == .unknownKey)
        }
    }

    @Test("2.2: A secret that can be guessed from one token is not used")
    func shortSecret() {
        let secret = Base64URL.encode(Array("secret".utf8))
        let keys = SignedToken.keySet(#"{"keys":[{"kty":"oct","k":"\#(secret)"}]}"#)
        #expect(keys.isEmpty)
        #expect(keys.skipped.map(\.reason.description) == ["the secret has 6 bytes; at least 32 are needed"])
    }

    @Test("2.3: A token inside of a token is not read as claims")
    func nested() {
        let inner = SignedToken.text()
        let outer = SignedToken.text(inner, header: #"{"alg":"HS256","cty":"JWT"}"#)
        #expect(SignedToken.fault(outer) == .notAnObject(.payload))
        let quoted = SignedToken.text("\"\(inner)\"", header: #"{"alg":"HS256","cty":"JWT"}"#)
        #expect(SignedToken.fault(quoted) == .notAnObject(.payload))
    }

    @Test("2.3: The JSON forms of a signature are refused: they may have several")
    func jsonForm() {
        let parts = SignedToken.text().split(separator: ".")
        let general =
            #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#
        let flattened =
            #"{"payload":"\#(parts[1])","protected":"\#(parts[0])","signature":"\#(parts[2])"}"#
        for token in [general, flattened] { #expect(SignedToken.fault(token) == .notThreeParts) }
    }

    @Test("2.4: A compressed payload is not inflated")
    func compressed() {
        // RFC 7515 has no zip. DEFLATE of "{}".
        let token = SignedToken.text(
            bytes: [0xab, 0xae, 0x05, 0x00], header: Array(#"{"alg":"HS256","zip":"DEF"}"#.utf8))
        #expect(SignedToken.fault(token) == .notAnObject(.payload))
    }

    @Test("2.6: Two readers of JSON see the same claims: repeated members and other encodings are refused")
    func readers() {
        #expect(
            SignedToken.fault(SignedToken.text(#"{"sub":"alice","sub":"admin"}"#))
                == .repeatedMember(.payload))
        #expect(
            SignedToken.fault(SignedToken.text(#"{"sub":"alice","\u0073ub":"admin"}"#))
                == .repeatedMember(.payload))
        let wide = SignedToken.claims.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        #expect(
            SignedToken.fault(SignedToken.text(bytes: wide, header: Array(SignedToken.header.utf8)))
                == .notAnObject(.payload))
    }

    @Test("2.7, 3.9: A token for another recipient is refused")
    func otherRecipient() throws {
        for audience in [#""billing""#, #"["billing","mail"]"#] {
            let claims = #"{"iss":"https://id.example","aud":\#(audience),"sub":"alice"}"#
            #expect(try SignedToken.verdict(claims: claims) == .invalid(.wrongAudience(expected: ["app"])))
        }
    }

    @Test("3.8: A token of another issuer is refused, even if its keys are the same")
    func otherIssuer() throws {
        let claims = #"{"iss":"https://other.example","aud":"app","sub":"alice"}"#
        let verdict = try SignedToken.verdict(claims: claims)
        #expect(verdict == .invalid(.wrongIssuer(expected: ["https://id.example"])))
    }

    @Test("2.8, 3.11: A token of another kind is refused if the kind is known")
    func otherKind() throws {
        let rules = TokenRules(
            algorithms: [.hs256], issuer: "https://id.example", audience: ["app"], type: "at+jwt")
        for type in ["JWT", "id+jwt", "logout+jwt", "secevent+jwt", "dpop+jwt"] {
            let header = #"{"alg":"HS256","typ":"\#(type)"}"#
            let verdict = try SignedToken.verdict("", header: header, rules)
            #expect(verdict == .invalid(.wrongType(expected: "at+jwt")))
        }
    }

    @Test("3.2: An algorithm with a weak hash or without one has no name here")
    func weakAlgorithms() {
        for name in ["HS1", "RS1", "MD5", "ES224", "RSA1_5", "dir"] {
            #expect(SignedToken.fault(SignedToken.text(header: #"{"alg":"\#(name)"}"#)) == .unknownAlgorithm)
        }
    }

    @Test("3.10: kid is text to compare: a path, a query or a URL leads nowhere")
    func keyID() throws {
        for name in [
            "../../../../dev/null", "' OR 1=1 --", "https://evil.example/k", "*", "|ls", "${jndi:x}",
        ] {
            let header = #"{"alg":"HS256","kid":"\#(name)"}"#
            #expect(try SignedToken.verdict("", header: header) == .unknownKey)
        }
    }

    @Test("3.10: A key or a URL of keys in the header is ignored")
    func headerKeys() throws {
        let key = #"{"kty":"oct","k":"\#(Base64URL.encode([UInt8](repeating: 7, count: 32)))"}"#
        let header =
            #"{"alg":"HS256","jwk":\#(key),"jku":"https://evil.example","x5u":"https://evil.example","x5c":["MII"]}"#
        let other = SignedToken.keySet(
            #"{"keys":[{"kty":"oct","k":"\#(Base64URL.encode([UInt8](repeating: 9, count: 32)))"}]}"#)
        let token = SignedToken.text(header: header)
        #expect(try verdict(token, [.hs256], other) == .unknownKey)
        #expect(try verdict(token, [.hs256], SignedToken.keys) == .valid(until: .max))
    }

    @Test("2.1: Each change of a character of a token makes it invalid")
    func everyCharacter() throws {
        let token = SignedToken.text()
        for index in token.utf8.indices {
            var bytes = Array(token.utf8)
            let place = token.utf8.distance(from: token.utf8.startIndex, to: index)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            guard let changed = try? UnverifiedToken(parsing: bytes[...]) else { continue }
            let verdict = TokenVerifier(SignedToken.rules).verify(
                changed, with: SignedToken.keys, at: SignedToken.now)
            if case .valid = verdict { Issue.record("the character \(place) does not count") }
        }
    }
}
