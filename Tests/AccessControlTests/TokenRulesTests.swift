import Crypto
import Testing

@testable import AccessControl

@Suite("The rules of tokens")
struct TokenRulesTests {
    private let now = SignedToken.now

    private func rules(
        audience: [String] = ["app"], required: [String] = [], leeway: Int64 = 30, type: String? = nil
    ) -> TokenRules {
        TokenRules(
            algorithms: [.hs256], issuer: "https://id.example", audience: audience, required: required,
            leeway: leeway, type: type)
    }

    @Test(
        "iss must equal the issuer",
        arguments: [
            "", #""iss":null,"#, #""iss":"","#, #""iss":"https://id.example/","#,
            #""iss":"https://id.exampl","#, #""iss":"HTTPS://id.example","#,
            #""iss":"https://id.example\u0000","#, #""ISS":"https://id.example","#,
        ])
    func issuer(_ member: String) throws {
        let verdict = try SignedToken.verdict(claims: "{\(member)\"aud\":\"app\"}")
        #expect(verdict == .invalid(.wrongIssuer(expected: ["https://id.example"])))
    }

    @Test("iss is compared by its bytes: another spelling of the same letters is another issuer")
    func issuerBytes() throws {
        var rules = rules()
        rules.issuer = "caf\u{e9}"
        let claims = { (issuer: String) in #"{"iss":"\#(issuer)","aud":"app"}"# }
        let verdict = try SignedToken.verdict(claims: claims("cafe\\u0301"), rules)
        #expect(verdict == .invalid(.wrongIssuer(expected: ["caf\u{e9}"])))
        #expect(try SignedToken.verdict(claims: claims("caf\\u00e9"), rules) == .valid(until: .max))
    }

    @Test(
        "aud must contain one of the audiences",
        arguments: [
            "", #","aud":null"#, #","aud":"""#, #","aud":"App""#, #","aud":"app2""#, #","aud":[]"#,
            #","aud":["other"]"#, #","aud":["ap","p"]"#, #","aud":"app other""#,
        ])
    func audience(_ member: String) throws {
        let claims = "{\"iss\":\"https://id.example\"\(member)}"
        #expect(try SignedToken.verdict(claims: claims) == .invalid(.wrongAudience(expected: ["app"])))
    }

    @Test(
        "aud may be text or a list, and of several audiences one is enough",
        arguments: [
            #""app""#, #"["app"]"#, #"["other","app"]"#, #"["web"]"#, #""web""#,
            #"["\u0061pp"]"#,
        ])
    func audiences(_ value: String) throws {
        let claims = #"{"iss":"https://id.example","aud":\#(value)}"#
        let rules = rules(audience: ["app", "web"])
        #expect(try SignedToken.verdict(claims: claims, rules) == .valid(until: .max))
    }

    @Test("No token fits rules without an audience")
    func noAudience() throws {
        let verdict = try SignedToken.verdict("", rules(audience: []))
        #expect(verdict == .invalid(.wrongAudience(expected: [])))
    }

    @Test(
        "The reason of a refusal shows what was expected, and at most four values of it",
        arguments: [
            (TokenFault.wrongIssuer(expected: ["https://id.example"]), #"iss is not "https://id.example""#),
            (.wrongIssuer(expected: ["a", "b"]), #"iss is not "a" or "b""#),
            (.wrongAudience(expected: ["app"]), #"aud does not contain "app""#),
            (.wrongAudience(expected: ["a", "b", "c"]), #"aud does not contain "a", "b" or "c""#),
            (
                .wrongAudience(expected: ["a", "b", "c", "d", "e"]),
                #"aud does not contain "a", "b", "c", "d" or another of 5 values"#
            ),
            (.wrongAudience(expected: []), "aud does not contain any value"),
            (.wrongType(expected: "at+jwt"), #"typ is not "at+jwt""#),
        ])
    func reasons(_ fault: TokenFault, _ reason: String) {
        #expect("\(fault)" == reason)
    }

    @Test("The reason of a refusal shows nothing that the token has")
    func secrecy() throws {
        let claims = #"{"iss":"https://s3cr3t.example","aud":["s3cr3t"],"sub":"s3cr3t"}"#
        for header in [#"{"alg":"HS256"}"#, #"{"alg":"HS256","typ":"s3cr3t"}"#] {
            for rules in [rules(), rules(type: "at+jwt")] {
                let verdict = try SignedToken.verdict(claims: claims, header: header, rules)
                #expect(!"\(verdict)".contains("s3cr3t"))
            }
            let issued = claims.replacing("s3cr3t.example", with: "id.example")
            #expect(!"\(try SignedToken.verdict(claims: issued, header: header))".contains("s3cr3t"))
        }
    }

    @Test("A token expires in the second of exp and leeway")
    func expiry() throws {
        for (leeway, expiry) in [(30, now - 30), (0, now), (0, now - 1), (30, Int64.min), (30, 0)] {
            let verdict = try SignedToken.verdict("\"exp\":\(expiry)", rules(leeway: Int64(leeway)))
            #expect(verdict == .invalid(.expired), "\(expiry)")
        }
        for (leeway, expiry) in [(30, now - 29), (0, now + 1)] as [(Int64, Int64)] {
            let verdict = try SignedToken.verdict("\"exp\":\(expiry)", rules(leeway: leeway))
            #expect(verdict == .valid(until: expiry + leeway))
        }
    }

    @Test("A token is valid from nbf less leeway")
    func notBefore() throws {
        for (leeway, start) in [(30, now + 31), (0, now + 1), (30, Int64.max)] as [(Int64, Int64)] {
            let verdict = try SignedToken.verdict("\"nbf\":\(start)", rules(leeway: leeway))
            #expect(verdict == .invalid(.notYetValid), "\(start)")
        }
        for (leeway, start) in [(30, now + 30), (0, now), (0, Int64.min)] as [(Int64, Int64)] {
            #expect(
                try SignedToken.verdict("\"nbf\":\(start)", rules(leeway: leeway)) == .valid(until: .max))
        }
    }

    @Test("Fractions of seconds never make a token valid for longer")
    func fractions() throws {
        let rules = rules(leeway: 0)
        #expect(try SignedToken.verdict("\"exp\":\(now).9", rules) == .invalid(.expired))
        #expect(try SignedToken.verdict("\"nbf\":\(now).1", rules) == .invalid(.notYetValid))
        #expect(try SignedToken.verdict("\"exp\":1700000001.5", rules) == .valid(until: now + 1))
        #expect(try SignedToken.verdict("\"exp\":17000000010e-1", rules) == .valid(until: now + 1))
    }

    @Test("Times at the end of the range stop nothing")
    func extremes() throws {
        let verdict = try SignedToken.verdict("\"exp\":\(Int64.max)", rules(leeway: 30))
        #expect(verdict == .valid(until: .max))
        #expect(
            try SignedToken.verdict("\"nbf\":\(Int64.min),\"exp\":\(Int64.max)", at: .max)
                == .invalid(.expired))
        #expect(try SignedToken.verdict("", at: .min) == .valid(until: .max))
    }

    @Test("A token without exp is valid for ever, unless exp is required")
    func noExpiry() throws {
        #expect(try SignedToken.verdict("") == .valid(until: .max))
        #expect(try SignedToken.verdict("\"exp\":null") == .valid(until: .max))
        for member in ["", "\"exp\":null", "\"EXP\":2000000000"] {
            let verdict = try SignedToken.verdict(member, rules(required: ["exp"]))
            #expect(verdict == .invalid(.missingClaim("exp")))
        }
        #expect(
            try SignedToken.verdict("\"exp\":2000000000", rules(required: ["exp"]))
                == .valid(until: 2_000_000_030))
    }

    @Test("Each required claim must be there and not null, and the first missing one is named")
    func required() throws {
        let rules = rules(required: ["sub", "https://example.com/plan", "tenant.id"])
        for (members, missing) in [
            ("", "sub"), ("\"sub\":null", "sub"), ("\"sub\":\"a\"", "https://example.com/plan"),
            (#""sub":"a","https://example.com/plan":1,"tenant":{"id":1}"#, "tenant.id"),
        ] {
            #expect(try SignedToken.verdict(members, rules) == .invalid(.missingClaim(missing)))
        }
        let all = #""sub":"","https://example.com/plan":false,"tenant.id":[]"#
        #expect(try SignedToken.verdict(all, rules) == .valid(until: .max))
    }

    @Test(
        "typ is a media type: case does not count, and application/ may be left out (RFC 7515 4.1.9)",
        arguments: [
            ("at+jwt", "at+jwt"), ("at+jwt", "application/at+jwt"), ("at+jwt", "AT+JWT"),
            ("at+jwt", "Application/At+jwt"), ("application/at+jwt", "at+jwt"), ("JWT", "jwt"),
            ("text/x", "text/x"), ("application/a/b", "application/a/b"),
        ])
    func types(_ type: String, _ sent: String) throws {
        let header = #"{"alg":"HS256","typ":"\#(sent)"}"#
        #expect(try SignedToken.verdict("", header: header, rules(type: type)) == .valid(until: .max))
    }

    @Test(
        "Another typ or none is refused",
        arguments: [
            #"{"alg":"HS256"}"#, #"{"alg":"HS256","typ":""}"#, #"{"alg":"HS256","typ":"JWT"}"#,
            #"{"alg":"HS256","typ":"at+jwt "}"#, #"{"alg":"HS256","typ":"text/at+jwt"}"#,
            #"{"alg":"HS256","typ":"application/application/at+jwt"}"#,
            #"{"alg":"HS256","typ":"logout+jwt"}"#, #"{"alg":"HS256","cty":"at+jwt"}"#,
        ])
    func otherTypes(_ header: String) throws {
        let verdict = try SignedToken.verdict("", header: header, rules(type: "at+jwt"))
        #expect(verdict == .invalid(.wrongType(expected: "at+jwt")))
    }

    @Test("application/ before another slash is a part of the type")
    func slashes() throws {
        let header = { (type: String) in #"{"alg":"HS256","typ":"\#(type)"}"# }
        let rules = rules(type: "application/a/b")
        let verdict = try SignedToken.verdict("", header: header("a/b"), rules)
        #expect(verdict == .invalid(.wrongType(expected: "application/a/b")))
        #expect(try SignedToken.verdict("", header: header("application/a/b"), rules) == .valid(until: .max))
    }

    @Test("Without type, any typ is accepted")
    func anyType() throws {
        #expect(try SignedToken.verdict("", header: #"{"alg":"HS256","typ":"x"}"#) == .valid(until: .max))
    }

    @Test("Claims are checked before the signature, so that a bad token asks for no keys")
    func order() throws {
        let stranger = #"{"alg":"HS256","kid":"unknown"}"#
        #expect(try SignedToken.verdict("", header: stranger) == .unknownKey)
        #expect(try SignedToken.verdict("\"exp\":1", header: stranger) == .invalid(.expired))
        let verdict = try SignedToken.verdict(claims: "{}", header: stranger)
        #expect(verdict == .invalid(.wrongIssuer(expected: ["https://id.example"])))
    }

    @Test("A list of algorithms must not be empty, repeat one, or mix HS256 with others")
    func algorithms() {
        #expect(TokenRules.fault(of: []) == "at least one algorithm is needed")
        #expect(TokenRules.fault(of: [.es256, .rs256, .es256]) == "ES256 is listed twice")
        #expect(
            TokenRules.fault(of: [.rs256, .hs256])
                == "with HS256 and RS256 together, a public key could sign tokens")
        #expect(
            TokenRules.fault(of: [.hs256, .ed25519])
                == "with HS256 and Ed25519 together, a public key could sign tokens")
        #expect(TokenRules.fault(of: [.hs256, .hs256]) == "HS256 is listed twice")
        #expect(TokenRules.fault(of: [.hs256]) == nil)
        #expect(TokenRules.fault(of: SignatureAlgorithm.allCases.filter { $0 != .hs256 }) == nil)
    }

    @Test("Secrets are allowed only if HS256 is the only algorithm")
    func secrets() {
        for (algorithms, isAllowed) in [
            ([.hs256], true), ([], false), ([.hs256, .es256], false), ([.es256], false),
        ] as [([SignatureAlgorithm], Bool)] {
            let rules = TokenRules(algorithms: algorithms, issuer: "a", audience: ["b"])
            #expect(rules.allowsSecrets == isAllowed)
        }
    }

    @Test("A client learns only that a token has expired, and no reason shows a value of the token")
    func reasons() throws {
        let header = #"{"alg":"HS256","kid":"geheim","typ":"geheim"}"#
        let token = try SignedToken.parse(
            SignedToken.text(#"{"iss":"geheim","aud":"geheim","sub":"geheim"}"#, header: header))
        for (issuer, audience, type) in [("a", "b", nil), ("geheim", "b", nil), ("a", "b", "c")]
            as [(String, String, String?)]
        {
            let rules = TokenRules(algorithms: [.hs256], issuer: issuer, audience: [audience], type: type)
            guard
                case .invalid(let fault) = TokenVerifier(rules).verify(
                    token, with: SignedToken.keys, at: now)
            else {
                Issue.record("the token is valid")
                continue
            }
            #expect(!fault.isForClient)
            #expect(!fault.description.contains("geheim"))
        }
        #expect(TokenFault.expired.isForClient)
        #expect(!TokenFault.notYetValid.isForClient)
        #expect(!TokenFault.unknownKey.isForClient)
    }
}
