import JSONBytes
import Testing

@testable import AccessControl

@Suite("Scopes and claims that an endpoint requires")
struct AccessRuleTests {
    private func claims(_ text: String) -> JSONFragment {
        do {
            return try JSONFragment(parsing: text)
        } catch {
            preconditionFailure("a test's claims: \(error)")
        }
    }

    private func requirement(_ name: String, _ values: String...) throws -> ClaimRequirement {
        try #require(ClaimRequirement(name, written: values))
    }

    @Test("A rule without requirements grants access")
    func empty() {
        #expect(AccessRule().isEmpty)
        #expect(AccessRule().check(claims("{}")) == .granted)
        #expect(!AccessRule(scopes: ["read"]).isEmpty)
    }

    @Test(
        "All scopes must be granted, in one of the two claims",
        arguments: [
            "{}", #"{"scope":null}"#, #"{"scope":""}"#, #"{"scope":"read"}"#, #"{"scope":"read writes"}"#,
            #"{"scope":"READ WRITE"}"#, #"{"scope":"read,write"}"#, #"{"scope":"read\twrite"}"#,
            #"{"scope":["read","write"]}"#, #"{"scp":["read write"]}"#, #"{"scp":["read",["write"]]}"#,
            #"{"scp":"read"}"#, #"{"scope":"read","scp":["write"]}"#, #"{"scp":{"read":true,"write":true}}"#,
            #"{"scopes":"read write"}"#, #"{"scope":true}"#, #"{"a":{"scope":"read write"}}"#,
        ])
    func missingScopes(_ text: String) {
        #expect(AccessRule(scopes: ["read", "write"]).check(claims(text)) == .missingScopes)
    }

    @Test(
        "Scopes are text with spaces, or a list in scp",
        arguments: [
            #"{"scope":"read write"}"#, #"{"scope":"write  read"}"#, #"{"scope":" admin read x write "}"#,
            #"{"scp":"write read"}"#, #"{"scp":["write","read"]}"#, #"{"scp":["write",1,null,"read"]}"#,
            #"{"scope":"read","scp":["read","write"]}"#, #"{"scope":"re\u0061d write"}"#,
        ])
    func scopes(_ text: String) {
        #expect(AccessRule(scopes: ["read", "write"]).check(claims(text)) == .granted)
    }

    @Test("A required claim must have one of the values")
    func otherValues() throws {
        let rule = AccessRule(claims: [try requirement("plan", "pro", "team")])
        for text in [
            "{}", #"{"plan":null}"#, #"{"plan":"free"}"#, #"{"plan":"Pro"}"#, #"{"plan":"pro "}"#,
            #"{"plan":"pro team"}"#, #"{"plan":[]}"#, #"{"plan":["free"]}"#, #"{"plan":[["pro"]]}"#,
            #"{"plan":{"pro":true}}"#, #"{"plan":true}"#, #"{"Plan":"pro"}"#, #"{"a":{"plan":"pro"}}"#,
        ] {
            #expect(rule.check(claims(text)) == .missingClaim("plan"), "\(text)")
        }
        for text in [
            #"{"plan":"pro"}"#, #"{"plan":"team"}"#, #"{"plan":["free","team"]}"#, #"{"plan":"pr\u006f"}"#,
            #"{"plan":[1,null,{},"pro"]}"#, #"{"pl\u0061n":"pro"}"#,
        ] {
            #expect(rule.check(claims(text)) == .granted, "\(text)")
        }
    }

    @Test("A value as a file writes it admits its text and the number or boolean that it is")
    func written() throws {
        let rule = AccessRule(claims: [
            try #require(ClaimRequirement("a", written: ["3", "true", "null", "[1]"]))
        ])
        for value in ["3", "3.0", "30e-1", "[1,3]", "\"3\"", "true", "\"true\"", "\"null\"", "\"[1]\""] {
            #expect(rule.check(claims("{\"a\":\(value)}")) == .granted, "\(value)")
        }
        for value in [
            "null", "[1]", "1", "-3", "33", "3.0000000000000000001", "false", "\"3.0\"", "[[3]]", "{\"3\":3}",
        ] {
            #expect(rule.check(claims("{\"a\":\(value)}")) == .missingClaim("a"), "\(value)")
        }
        #expect(ClaimRequirement("a", written: []) == nil)
        // A quoted value in a file is text, quotes and all.
        let quoted = AccessRule(claims: [try #require(ClaimRequirement("a", written: ["\"b\""]))])
        #expect(quoted.check(claims(#"{"a":"b"}"#)) == .missingClaim("a"))
        #expect(quoted.check(claims(#"{"a":"\"b\""}"#)) == .granted)
    }

    @Test("A name is the name of a member, or leads through members if it is missing")
    func names() throws {
        let rule = AccessRule(claims: [try requirement("realm_access.roles", "admin")])
        for text in [
            #"{"realm_access":{"roles":["user"]}}"#, #"{"realm_access":[{"roles":["admin"]}]}"#,
            #"{"realm_access":null}"#, #"{"roles":["admin"]}"#,
            // The member of this name counts, even if it is null.
            #"{"realm_access.roles":null,"realm_access":{"roles":["admin"]}}"#,
            #"{"realm_access.roles":"user","realm_access":{"roles":["admin"]}}"#,
        ] {
            #expect(rule.check(claims(text)) == .missingClaim("realm_access.roles"), "\(text)")
        }
        for text in [#"{"realm_access":{"roles":["user","admin"]}}"#, #"{"realm_access.roles":"admin"}"#] {
            #expect(rule.check(claims(text)) == .granted, "\(text)")
        }
        let url = AccessRule(claims: [try requirement("https://example.com/role", "admin")])
        #expect(url.check(claims(#"{"https://example.com/role":"admin"}"#)) == .granted)
    }

    @Test("Scopes come first, and the first missing claim is named")
    func order() throws {
        let rule = AccessRule(
            scopes: ["read"],
            claims: [try requirement("a", "1"), try requirement("b", "1")])
        #expect(rule.check(claims("{}")) == .missingScopes)
        #expect(rule.check(claims(#"{"scope":"read"}"#)) == .missingClaim("a"))
        #expect(rule.check(claims(#"{"scope":"read","a":"1"}"#)) == .missingClaim("b"))
        #expect(rule.check(claims(#"{"scope":"read","a":"1","b":"1"}"#)) == .granted)
        #expect(AccessRule(scopes: ["a", "b:c"]).scopeText == "a b:c")
    }

    @Test("Claims that are not an object grant nothing")
    func notAnObject() throws {
        for text in ["[]", "null", "\"scope\"", "1"] {
            #expect(AccessRule(scopes: ["a"]).check(claims(text)) == .missingScopes)
            #expect(
                try AccessRule(claims: [requirement("a", "b")]).check(claims(text))
                    == .missingClaim("a"))
        }
    }

    @Test("A scope is visible ASCII without quote and backslash (RFC 6749 3.3)")
    func scopeNames() {
        for text in ["read", "a:b", "https://example.com/x", "!#$%&'()*+,-./~"] {
            #expect(AccessRule.isScope(text))
        }
        for text in ["", " ", "a b", "a\"b", "a\\b", "ä", "a\n", "\u{7f}"] {
            #expect(!AccessRule.isScope(text))
        }
    }
}
