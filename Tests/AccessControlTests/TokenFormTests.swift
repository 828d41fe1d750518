import Crypto
import JSONBytes
import Testing

@testable import AccessControl

@Suite("The form of a token")
struct TokenFormTests {
    @Test("A token of more than 8 KiB is refused, and one of 8 KiB is read")
    func length() throws {
        var token = SignedToken.text()
        let claims = { (count: Int) in #"{"x":"\#(String(repeating: "a", count: count))"}"# }
        // Finds the longest padding whose token fits.
        let count = try #require((5_900...6_200).last { SignedToken.text(claims($0)).utf8.count <= 8192 })
        token = SignedToken.text(claims(count))
        #expect(token.utf8.count > 8188)
        #expect(SignedToken.fault(token) == nil)
        #expect(SignedToken.fault(SignedToken.text(claims(count + 3))) == .tooLong)
    }

    @Test(
        "A token has three parts",
        arguments: [
            ("", TokenFault.notThreeParts), ("a", .notThreeParts), ("a.b", .notThreeParts),
            ("a.b.c.d", .notThreeParts), ("a.b.c.d.e", .encrypted), ("a.b.c.d.e.f", .notThreeParts),
            ("....", .encrypted), (".....", .notThreeParts),
        ])
    func parts(_ text: String, _ fault: TokenFault) {
        #expect(SignedToken.fault(text) == fault)
    }

    @Test("An empty header, payload or signature is refused")
    func emptyParts() {
        let parts = SignedToken.text().split(separator: ".").map(String.init)
        #expect(SignedToken.fault(".\(parts[1]).\(parts[2])") == .notAnObject(.header))
        #expect(SignedToken.fault("\(parts[0])..\(parts[2])") == .notAnObject(.payload))
        #expect(SignedToken.fault("\(parts[0]).\(parts[1]).") == .noSignature)
    }

    @Test(
        "Each part is strict base64url: no padding, no blank, no other alphabet, no unused bit",
        arguments: ["=", "==", " ", "\n", "+", "/", "%", "\u{0}", "é"])
    func encoding(_ extra: String) {
        let parts = SignedToken.text().split(separator: ".").map(String.init)
        let kinds: [TokenFault.Part] = [.header, .payload, .signature]
        for (index, kind) in kinds.enumerated() {
            var changed = parts
            changed[index] += extra
            #expect(SignedToken.fault(changed.joined(separator: ".")) == .badEncoding(kind))
        }
    }

    @Test("The last character of a signature has one spelling, so that a token has one text")
    func unusedBits() {
        let token = SignedToken.text()
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let accepted = alphabet.filter { SignedToken.fault(token.dropLast() + String($0)) == nil }
        // 32 bytes leave four bits in the last character.
        #expect(accepted.count == 16)
        let right = accepted.filter { last in
            guard let token = try? SignedToken.parse(token.dropLast() + String(last)) else { return false }
            return TokenVerifier(SignedToken.rules).fault(ofSignature: token, SignedToken.keys) == nil
        }
        #expect(right.count == 1)
    }

    @Test(
        "Header and payload are JSON objects",
        arguments: [
            "", "null", "true", "1", "\"text\"", "[]", "[{}]", "{", "{}}", "{}{}", "{\"a\":}", "{'a':1}",
            "{\"a\":1,}", "{\"a\":01}", "{\"a\":NaN}", "// {}",
        ])
    func objects(_ text: String) {
        #expect(SignedToken.fault(SignedToken.text(header: text)) == .notAnObject(.header))
        #expect(SignedToken.fault(SignedToken.text(text)) == .notAnObject(.payload))
    }

    @Test("Header and payload are UTF-8, in no other encoding of Unicode (RFC 8725 3.7)")
    func utf8() {
        for bytes in [
            [0xff, 0xfe] + SignedToken.claims.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] },
            SignedToken.claims.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] },
            Array("{\"a\":\"".utf8) + [0xc0, 0xaf] + Array("\"}".utf8),
            Array("{\"a\":\"".utf8) + [0xed, 0xa0, 0x80] + Array("\"}".utf8),
        ] as [[UInt8]] {
            let header = Array(SignedToken.header.utf8)
            #expect(
                SignedToken.fault(SignedToken.text(bytes: bytes, header: header)) == .notAnObject(.payload))
            let claims = Array(SignedToken.claims.utf8)
            #expect(
                SignedToken.fault(SignedToken.text(bytes: claims, header: bytes)) == .notAnObject(.header))
        }
    }

    @Test("Header and payload have at most 16 levels")
    func depth() {
        let nested = { (levels: Int) in
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(SignedToken.fault(SignedToken.text("{\"a\":\(nested(15))}")) == nil)
        #expect(SignedToken.fault(SignedToken.text("{\"a\":\(nested(16))}")) == .notAnObject(.payload))
        let header = { (levels: Int) in "{\"alg\":\"HS256\",\"a\":\(nested(levels))}" }
        #expect(SignedToken.fault(SignedToken.text(header: header(15))) == nil)
        #expect(SignedToken.fault(SignedToken.text(header: header(16))) == .notAnObject(.header))
    }

    @Test(
        "A repeated member is refused at any level",
        arguments: [
            #"{"alg":"HS256","a":1,"a":2}"#, #"{"alg":"HS256","a":1,"a":1}"#,
            #"{"alg":"HS256","a":1,"\u0061":2}"#, #"{"alg":"HS256","a":{"b":1,"b":2}}"#,
            #"{"alg":"HS256","a":[[{"b":1,"b":2}]]}"#, #"{"alg":"none","alg":"HS256"}"#,
            #"{"alg":"HS256","alg":"none"}"#, #"{"alg":"HS256","":1,"":2}"#,
        ])
    func repeated(_ text: String) {
        #expect(SignedToken.fault(SignedToken.text(header: text)) == .repeatedMember(.header))
        #expect(SignedToken.fault(SignedToken.text(text)) == .repeatedMember(.payload))
    }

    @Test("The same name in two objects is not repeated, and neither are names that differ in case")
    func names() {
        #expect(SignedToken.fault(SignedToken.text(#"{"a":{"a":1},"b":[{"a":1},{"a":2}],"A":1}"#)) == nil)
    }

    @Test(
        "A header with crit is refused, whatever it lists (RFC 7515 4.1.11)",
        arguments: [#"["exp"]"#, #"["b64"]"#, "[]", "null", "false", #""exp""#])
    func critical(_ value: String) {
        let header = #"{"alg":"HS256","exp":1,"b64":true,"crit":\#(value)}"#
        #expect(SignedToken.fault(SignedToken.text(header: header)) == .criticalExtensions)
    }

    @Test(
        "alg must be the name of a supported algorithm",
        arguments: [
            (#"{}"#, TokenFault.noAlgorithm), (#"{"Alg":"HS256"}"#, .noAlgorithm),
            (#"{"alg":null}"#, .malformedHeader("alg")), (#"{"alg":["HS256"]}"#, .malformedHeader("alg")),
            (#"{"alg":256}"#, .malformedHeader("alg")), (#"{"alg":""}"#, .unknownAlgorithm),
            (#"{"alg":"hs256"}"#, .unknownAlgorithm), (#"{"alg":"HS256 "}"#, .unknownAlgorithm),
            (#"{"alg":"HS256\u0000"}"#, .unknownAlgorithm), (#"{"alg":"HS384"}"#, .unknownAlgorithm),
            (#"{"alg":"HS512"}"#, .unknownAlgorithm), (#"{"alg":"ES256K"}"#, .unknownAlgorithm),
            (#"{"alg":"Ed448"}"#, .unknownAlgorithm), (#"{"alg":"RSA-OAEP"}"#, .unknownAlgorithm),
            (#"{"alg":"none"}"#, .algorithmNone), (#"{"alg":"\u006eone"}"#, .algorithmNone),
        ])
    func algorithm(_ header: String, _ fault: TokenFault) {
        #expect(SignedToken.fault(SignedToken.text(header: header)) == fault)
    }

    @Test("kid and typ must be text", arguments: ["kid", "typ"])
    func texts(_ name: String) {
        for value in ["null", "1", "true", "[]", "{}"] {
            let header = #"{"alg":"HS256","\#(name)":\#(value)}"#
            #expect(SignedToken.fault(SignedToken.text(header: header)) == .malformedHeader(name))
        }
    }

    @Test(
        "Registered claims must be of their kind",
        arguments: [
            ("iss", #"1 true [] {} ["https://id.example"]"#), ("sub", "1 true [] {}"),
            ("aud", #"1 true {} [1] ["app",null] [["app"]]"#),
            ("exp", #""2000000000" true [] {} 1e99 1e999 -1e99 9223372036854775808"#),
            ("nbf", #""0" false [0] {} 1e99"#),
        ])
    func claims(_ name: String, _ values: String) {
        for value in values.split(separator: " ") {
            let token = SignedToken.text(#"{"\#(name)":\#(value)}"#)
            #expect(SignedToken.fault(token) == .malformedClaim(name), "\(name): \(value)")
        }
    }

    @Test("The parts of a token can be read before it is verified")
    func parse() throws {
        let header = #"{"typ":"at+jwt","kid":"k\u0031","alg":"HS256"}"#
        let token = try SignedToken.parse(
            SignedToken.text(#" {"iss":"a", "exp":1.5e9, "b":[1 ,2]} "#, header: header))
        #expect(token.algorithm == .hs256)
        #expect(token.keyID == "k1")
        #expect(token.type == "at+jwt")
        #expect(token.issuer == "a")
        #expect(token.expiry == 1_500_000_000)
        #expect(token.claims.description == #"{"iss":"a", "exp":1.5e9, "b":[1 ,2]}"#)
        let bare = try SignedToken.parse(SignedToken.text("{}"))
        #expect(bare.keyID == nil && bare.type == nil && bare.issuer == nil && bare.expiry == nil)
    }

    @Test("A token may be a part of a longer text")
    func slice() throws {
        let text = Array(("Bearer " + SignedToken.text() + "\r\n").utf8)
        let token = try UnverifiedToken(parsing: text[7..<(text.count - 2)])
        let verdict = TokenVerifier(SignedToken.rules).verify(
            token, with: SignedToken.keys, at: SignedToken.now)
        #expect(verdict == .valid(until: .max))
    }
}
