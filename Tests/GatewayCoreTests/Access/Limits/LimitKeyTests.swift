import Crypto
import HTTPModel
import JSONBytes
import Resilience
import Testing

@testable import GatewayCore

@Suite("What limits count by")
struct LimitKeyTests {
    /// The keys of two requests in this process and in a store.
    private func areEqual(_ left: LimitedRequest, _ right: LimitedRequest, by key: RateLimit.Key...) -> Bool {
        let limit = KeptLimit("some", RateLimit(key: key, rate: 1, per: .seconds(1)))
        let isEqual = limit.localKey(of: left) == limit.localKey(of: right)
        let isEqualInStore = limit.storeRequest(of: left).digest == limit.storeRequest(of: right).digest
        #expect(isEqual == isEqualInStore)
        return isEqual
    }

    // MARK: Client

    @Test(
        "Clients with different addresses are different",
        arguments: [
            ("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8:0:1::1"), ("192.0.2.1", "::c000:201"),
            ("192.0.2.1", nil), ("2001:db8::1", nil), ("0.0.0.0", "::"), ("0.0.0.0", nil),
            ("0.0.0.1", "0:0:0:1::"),
        ] as [(String, String?)])
    func differentClients(left: String, right: String?) {
        #expect(!areEqual(LimitWorld.request(from: left), LimitWorld.request(from: right), by: .client))
    }

    @Test(
        "A network of 64 bits is one client of IPv6, and an IPv4 address is the same in both forms",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff"),
            ("192.0.2.1", "::ffff:192.0.2.1"), (nil, nil),
        ] as [(String?, String?)])
    func sameClients(left: String?, right: String?) {
        #expect(areEqual(LimitWorld.request(from: left), LimitWorld.request(from: right), by: .client))
    }

    // MARK: Identity

    @Test(
        "Callers of different entries or subjects are different",
        arguments: [
            (("mobile", #"{"sub":"ann"}"#), ("partners", #"{"sub":"ann"}"#)),
            (("mobile", #"{"sub":"ann"}"#), ("mobile", #"{"sub":"bob"}"#)),
            // The pieces end where they end.
            (("ab", #"{"sub":"c"}"#), ("a", #"{"sub":"bc"}"#)),
            (("mobile", #"{"sub":""}"#), ("mobile", "{}")),
            // Many services number their users.
            (("web", #"{"sub":1}"#), ("web", #"{"sub":2}"#)), (("web", #"{"sub":1}"#), ("web", "{}")),
            (("web", #"{"sub":1}"#), ("web", #"{"sub":"1"}"#)),
            (("web", #"{"sub":true}"#), ("web", #"{"sub":false}"#)),
            (("web", #"{"sub":["a"]}"#), ("web", #"{"sub":["b"]}"#)),
            (("web", "{}"), ("mobile", "{}")),
        ])
    func differentCallers(left: (String, String), right: (String, String)) throws {
        let left = LimitWorld.request(by: try LimitWorld.identity(left.0, left.1))
        let right = LimitWorld.request(by: try LimitWorld.identity(right.0, right.1))
        #expect(!areEqual(left, right, by: .identity))
    }

    @Test("A caller is the same from any address, with any other claims")
    func sameCaller() throws {
        let left = LimitWorld.request(by: try LimitWorld.identity())
        let right = LimitWorld.request(
            from: "198.51.100.7", by: try LimitWorld.identity("mobile", #"{"exp":5,"sub":"a\u006en"}"#))
        #expect(areEqual(left, right, by: .identity))
    }

    @Test("A caller whose sub is a number is the same with any other claims")
    func numberedCaller() throws {
        let left = LimitWorld.request(by: try LimitWorld.identity("web", #"{"sub":17}"#))
        let right = LimitWorld.request(by: try LimitWorld.identity("web", #"{"plan":"pro","sub":17}"#))
        #expect(areEqual(left, right, by: .identity))
    }

    @Test("Callers of one entry without sub share one count, so that new tokens bring no new counts")
    func callersWithoutSubject() throws {
        let left = LimitWorld.request(by: try LimitWorld.identity("mobile", #"{"jti":"1"}"#))
        let right = LimitWorld.request(by: try LimitWorld.identity("mobile", #"{"jti":"2"}"#))
        #expect(areEqual(left, right, by: .identity))
    }

    // MARK: Claims

    @Test(
        "Different claims are different keys, and a missing one is a key of its own",
        arguments: [
            (#""free""#, #""pro""#), ("1", #""1""#), ("true", #""true""#), (#""""#, nil), ("[]", nil),
            (#"["a","b"]"#, #"["b","a"]"#), (#""null""#, "null"),
        ] as [(String, String?)])
    func differentClaims(left: String, right: String?) throws {
        let left = try LimitWorld.identity("mobile", #"{"plan":\#(left)}"#)
        let right = try LimitWorld.identity("mobile", right.map { #"{"plan":\#($0)}"# } ?? "{}")
        #expect(
            !areEqual(LimitWorld.request(by: left), LimitWorld.request(by: right), by: .claim("plan")))
    }

    @Test(
        "A claim is found by its whole name first, then by the names between points",
        arguments: [#"{"org":{"id":"x"}}"#, #"{"org":{"id":"y"},"org.id":"x"}"#, #"{"org":{"id":"\u0078"}}"#])
    func claimNames(claims: String) throws {
        let expected = try LimitWorld.identity("a", #"{"org.id":"x"}"#)
        let found = try LimitWorld.identity("b", claims)
        #expect(
            areEqual(LimitWorld.request(by: expected), LimitWorld.request(by: found), by: .claim("org.id")))
    }

    // MARK: Fields

    @Test(
        "Different values of a field are different keys, and a missing field is a key of its own",
        arguments: [
            (["X-Tenant": "a"], ["X-Tenant": "A"]), (["X-Tenant": ""], [:]),
            (["X-Tenant": "a", "x-tenant": "b"], ["X-Tenant": "a, b"]),
            (["X-Tenant": "a", "x-tenant": "b"], ["X-Tenant": "b", "x-tenant": "a"]),
            (["X-Tenant": "a", "x-tenant": ""], ["X-Tenant": "a"]),
        ] as [(HTTPFields, HTTPFields)])
    func differentFields(left: HTTPFields, right: HTTPFields) {
        #expect(
            !areEqual(LimitWorld.request(left), LimitWorld.request(right), by: .header("X-Tenant")))
    }

    @Test(
        "Each byte of a key counts, however long it is",
        arguments: [(1, 0), (200, 199), (232, 0), (233, 0), (240, 239), (300, 0), (300, 299), (5000, 4999)])
    func long(length: Int, changed: Int) {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        let left = LimitWorld.request(["X-Tenant": String(decoding: bytes, as: UTF8.self)])
        bytes[changed] = UInt8(ascii: "b")
        let right = LimitWorld.request(["X-Tenant": String(decoding: bytes, as: UTF8.self)])
        #expect(areEqual(left, left, by: .client, .header("X-Tenant"), .endpoint))
        #expect(!areEqual(left, right, by: .client, .header("X-Tenant"), .endpoint))
    }

    @Test("The case of a field's name does not matter, and other fields do not count")
    func sameFields() {
        let left = LimitWorld.request(["X-Tenant": "a"])
        let right = LimitWorld.request(["x-tenant": "a", "X-Other": "b"])
        #expect(areEqual(left, right, by: .header("X-Tenant")))
    }

    // MARK: Together

    @Test("All pieces of a key count together")
    func pieces() throws {
        let key: [RateLimit.Key] = [.client, .identity, .claim("plan"), .header("X-Tenant"), .endpoint]
        let limit = KeptLimit("some", RateLimit(key: key, rate: 1, per: .seconds(1)))
        let ann = try LimitWorld.identity("mobile", #"{"sub":"ann","plan":"free"}"#)
        let fields: HTTPFields = ["X-Tenant": "a"]
        // Each of the others differs from the first one in one piece.
        let requests = [
            LimitWorld.request(fields, by: ann), LimitWorld.request(from: "192.0.2.2", fields, by: ann),
            LimitWorld.request(fields, by: try LimitWorld.identity("mobile", #"{"sub":"ann"}"#)),
            LimitWorld.request(
                fields, by: try LimitWorld.identity("mobile", #"{"sub":"bob","plan":"free"}"#)),
            LimitWorld.request(by: ann), LimitWorld.request(fields, by: ann, endpoint: "POST /me"),
        ]
        #expect(Set(requests.map { limit.localKey(of: $0) }).count == requests.count)
        #expect(Set(requests.map { limit.storeRequest(of: $0).digest }).count == requests.count)
    }

    @Test("Text of a client cannot look like another piece of the key")
    func framing() {
        var seen: Set<SHA256Digest> = []
        let limit = KeptLimit(
            "some",
            RateLimit(key: [.header("X-A"), .header("X-B"), .endpoint], rate: 1, per: .seconds(1)))
        var count = 0
        let texts = ["", "a", "aa", "\u{8}", "\u{0}", "\u{5}\u{7}GET /me", "GET /me"]
        for first in [nil] + texts as [String?] {
            for second in [nil] + texts as [String?] {
                for endpoint in ["GET /me", "GET /you"] {
                    var fields = HTTPFields()
                    if let first { fields.append("X-A", first) }
                    if let second { fields.append("X-B", second) }
                    let request = LimitWorld.request(fields, endpoint: endpoint)
                    seen.insert(limit.storeRequest(of: request).digest)
                    count += 1
                }
            }
        }
        #expect(seen.count == count)
    }

    @Test("All gateways compute the same key for a store")
    func storeKey() throws {
        let limit = KeptLimit("some", RateLimit(key: [.client, .identity], rate: 1, per: .seconds(1)))
        let request = LimitWorld.request(by: try LimitWorld.identity("mobile", #"{"sub":"u1"}"#))
        let stored = limit.storeRequest(of: request)
        #expect(stored.name == "some")
        #expect(stored.policy == limit.policy)
        // SHA-256 of: 1, the address, 3, 6, "mobile", 4, 2, "u1", the numbers in 8 bytes, the lowest first.
        #expect(
            stored.digest.hexadecimal == "a96db21cc9737dc4b78fedf89ede7e9510dcabd3c52f5ecce3350e55e0f68794")
    }

    // MARK: Words

    @Test(
        "A key is read from a file as it is written to one",
        arguments: ["client", "identity", "endpoint", "claims.org.id", "header.X-Tenant"])
    func words(text: String) {
        #expect(RateLimit.Key(text)?.description == text)
    }

    @Test(
        "Other words are not keys",
        arguments: ["", "Client", "ip", "claims", "claims.", "header.", "header.X Tenant", "header.ü"])
    func otherWords(text: String) {
        #expect(RateLimit.Key(text) == nil)
    }
}
