import Crypto
import JSONBytes
import Testing

@testable import AccessControl

@Suite("Files of API keys")
struct APIKeyTableTests {
    private static let hash = String(repeating: "ab", count: 32)
    private var hash: String { Self.hash }

    private func table(_ file: String) throws(APIKeyFault) -> APIKeyTable {
        try APIKeyTable(parsing: Array(file.utf8)[...])
    }

    private func fault(_ file: String) -> String? {
        do throws(APIKeyFault) {
            _ = try table(file)
            return nil
        } catch {
            return error.description
        }
    }

    private func line(_ name: String, _ key: String, _ claims: String = "") -> String {
        "\(name) \(SHA256Digest(of: key).hexadecimal)\(claims.isEmpty ? "" : " ")\(claims)\n"
    }

    private func find(_ key: String, in table: APIKeyTable) -> APIKey? {
        table.index(of: Array(key.utf8)[...]).map { table.keys[$0] }
    }

    @Test(
        "A bad line is refused with its number and the reason",
        arguments: [
            ("partner", "the SHA-256 of the key is missing after the name"),
            ("partner abc", "the SHA-256 of the key must be 64 hexadecimal digits"),
            ("partner \(hash)0", "the SHA-256 of the key must be 64 hexadecimal digits"),
            ("partner g\(hash.dropFirst())", "the SHA-256 of the key must be 64 hexadecimal digits"),
            ("partner plan=pro \(hash)", "the SHA-256 of the key must be 64 hexadecimal digits"),
            ("\(hash) partner", "the SHA-256 of the key must be 64 hexadecimal digits"),
            (
                "partner sluice_Zm9v",
                "the line has the key itself instead of the key's SHA-256, so make a new key"
            ),
            ("sluice_Zm9v \(hash)", "the line begins with a key instead of a name"),
            ("p,q \(hash)", "the name must be 1 to 128 letters, digits and -._@:/+"),
            ("münchen \(hash)", "the name must be 1 to 128 letters, digits and -._@:/+"),
            (
                "\(String(repeating: "a", count: 129)) \(hash)",
                "the name must be 1 to 128 letters, digits and -._@:/+"
            ),
            ("partner \(hash) plan", "after the SHA-256 each word must be CLAIM=VALUE"),
            ("partner \(hash) # comment", "after the SHA-256 each word must be CLAIM=VALUE"),
            ("partner \(hash) plan=", "the claim plan has no value"),
            (
                "partner \(hash) =pro",
                "the name of a claim must be 1 to 128 visible characters of ASCII without quotes"
            ),
            ("partner \(hash) sub=other", "the claim sub is the name of the line"),
            ("partner \(hash) a=1 b=2 a=3", "the claim a is given twice"),
            ("partner \(hash) a=null", "the claim a is null; leave it out"),
            (
                "partner \(hash) a=[\"b\"",
                "the value of the claim a is not valid JSON; lists are written without spaces"
            ),
            (
                "partner \(hash) a=b\"c\"",
                "the value of the claim a is not valid JSON; lists are written without spaces"
            ),
            (
                "partner \(hash) a=\"b\"c",
                "the value of the claim a is not valid JSON; lists are written without spaces"
            ),
            (
                "partner \(hash) a={b}",
                "the value of the claim a is not valid JSON; lists are written without spaces"
            ),
            ("partner \(hash) a={\"b\":1,\"b\":2}", "the claim a repeats a member"),
            ("partner \(hash) scope=\"read write", "a quote is not closed"),
            ("partner \(hash) a=b\u{0}c", "the line has a control character"),
            ("partner \(hash) a=b\rc", "the line has a control character"),
            ("partner \(hash) \(String(repeating: "a", count: 8192))", "the line is longer than 8 KiB"),
        ])
    func bad(_ line: String, _ reason: String) {
        #expect(fault(line) == "line 1: \(reason)")
        #expect(
            fault("# keys\n\nother \(String(repeating: "1", count: 64))\n\(line)\n") == "line 4: \(reason)")
    }

    @Test("A value that is not UTF-8 is refused")
    func notUTF8() {
        let file = Array("partner \(hash) a=".utf8) + [0xff]
        #expect(throws: APIKeyFault(line: 1, reason: "the value of the claim a is not UTF-8")) {
            try APIKeyTable(parsing: file[...])
        }
    }

    @Test("The same key in two lines is refused, whatever the names and the case of the digits")
    func twice() {
        #expect(fault("a \(hash)\n#\nb \(hash.uppercased())\n") == "line 3: the key is also in line 1")
        #expect(fault("a \(hash)\na \(hash)\n") == "line 2: the key is also in line 1")
    }

    @Test("Reasons show neither keys nor hashes nor values")
    func secrets() {
        let values = [
            "geheim", "sluice_geheim", "a=\"geheim", "a={geheim}", "\(hash) geheim", "\(hash) a=\"geheim",
        ]
        for value in values {
            let reason = fault("partner \(value)")
            #expect(reason != nil)
            #expect(reason?.contains("geheim") == false)
            #expect(reason?.contains(hash) == false)
        }
    }

    @Test("An empty file has no keys, and neither have comments and empty lines")
    func empty() throws {
        for file in [
            "", "\n", "\n\n  \t \n", "# comment", "  # a \" quote\n#\u{1}\n", "\u{FEFF}", "\r\n# a\r\n",
        ] {
            let table = try table(file)
            #expect(table.keys.isEmpty)
            #expect(find("", in: table) == nil)
            #expect(find("a", in: table) == nil)
        }
    }

    @Test("A key is found by its bytes, and no other text finds one")
    func find() throws {
        let table = try table(line("partner", "key one") + line("shop", "key two", "plan=pro"))
        for other in ["", "key", "key one ", " key one", "KEY ONE", "key three", "partner", hash] {
            #expect(find(other, in: table) == nil)
        }
        // The hash itself is not a key.
        #expect(find(SHA256Digest(of: "key one").hexadecimal, in: table) == nil)
        let first = try #require(find("key one", in: table))
        #expect(first.name == "partner")
        #expect(first.claims.description == #"{"sub":"partner"}"#)
        let second = try #require(find("key two", in: table))
        #expect(second.name == "shop")
        #expect(second.claims.description == #"{"sub":"shop","plan":"pro"}"#)
        #expect(table.keys == [first, second])
        #expect(table.index(of: Array("xkey twox".utf8)[1..<8]) == 1)
    }

    @Test("Two lines of one name are a rotation, each with its claims")
    func rotation() throws {
        let table = try table(
            line("partner", "old", "plan=free") + line("other", "x") + line("partner", "new", "plan=pro"))
        #expect(find("old", in: table)?.claims.description == #"{"sub":"partner","plan":"free"}"#)
        #expect(find("new", in: table)?.claims.description == #"{"sub":"partner","plan":"pro"}"#)
        #expect(find("old", in: table)?.name == "partner")
        #expect(find("new", in: table)?.name == "partner")
    }

    @Test(
        "A value is text, unless it is JSON",
        arguments: [
            ("pro", #""pro""#), ("a=b", #""a=b""#), ("3", "3"), ("-1.5e3", "-1.5e3"), ("007", #""007""#),
            ("true", "true"), ("false", "false"), ("True", #""True""#), (#""3""#, #""3""#),
            (#""read write""#, #""read write""#), (#""a\"b""#, #""a\"b""#), (#"["a","b"]"#, #"["a","b"]"#),
            (#"["a, b"]"#, #"["a, b"]"#), (#"{"id":1}"#, #"{"id":1}"#), ("grün", #""grün""#),
            ("a\\b", #""a\\b""#), ("https://x.example/?a=1", #""https://x.example/?a=1""#), ("#1", "\"#1\""),
        ])
    func values(_ written: String, _ json: String) throws {
        let table = try table(line("partner", "key", "claim=\(written) last=1"))
        #expect(find("key", in: table)?.claims.description == #"{"sub":"partner","claim":\#(json),"last":1}"#)
    }

    @Test("A long value is kept whole")
    func longValue() throws {
        let value = String(repeating: "a", count: 8_000)
        let table = try table(line("partner", "key", "claim=\(value)"))
        #expect(find("key", in: table)?.claims[member: "claim"]?.stringValue == value)
    }

    @Test("Words are apart by spaces and tabs, and lines end with LF, CR LF or the file")
    func whiteSpace() throws {
        let first = SHA256Digest(of: "one").hexadecimal
        let second = SHA256Digest(of: "two").hexadecimal.uppercased()
        let table = try table("\u{FEFF}a\t \(first)  x=1\t\r\n  b \(second) y=\"1 2\"   ")
        #expect(find("one", in: table)?.claims.description == #"{"sub":"a","x":1}"#)
        #expect(find("two", in: table)?.claims.description == #"{"sub":"b","y":"1 2"}"#)
    }

    @Test("A file has at most 100000 lines, comments included")
    func lines() throws {
        let most = String(repeating: "#\n", count: 99_999)
        #expect(try table(most + line("a", "key")).keys.count == 1)
        #expect(fault(most + "\n" + line("a", "key")) == "line 100001: the file has more than 100000 lines")
    }

    @Test("Of many keys each is found")
    func many() throws {
        let table = try table((0..<5_000).map { line("k\($0)", "key \($0)") }.joined())
        #expect(table.keys.count == 5_000)
        for index in 0..<5_000 where find("key \(index)", in: table)?.name != "k\(index)" {
            Issue.record("the key \(index) is not found")
        }
        #expect(find("key 5000", in: table) == nil)
    }

    @Test("Names are letters, digits and -._@:/+")
    func names() {
        for name in [
            "a", "A-1", "team/app", "a.b_c", "ops@example.com", "x:y+z", String(repeating: "a", count: 128),
        ] {
            #expect(APIKeyTable.isName(name))
        }
        for name in [
            "", " ", "a b", "a,b", "a=b", "\"a\"", "#a", "ä", "a\n", "sluice_x",
            String(repeating: "a", count: 129),
        ] {
            #expect(!APIKeyTable.isName(name))
        }
    }
}

@Suite("Making API keys")
struct APIKeyMakerTests {
    @Test(
        "A name or a claim that a file could not have is refused",
        arguments: [
            ("", []), ("a b", []), ("a\nb", []), ("#a", []), ("a", ["plan"]), ("a", ["plan="]),
            ("a", ["sub=b"]), ("a", ["plan=pro", "plan=team"]), ("a", ["plan=a\nb abc"]),
            ("a", ["scope=\"read"]),
            ("a", ["plan=a\nb \(String(repeating: "1", count: 64))"]), ("a", ["plan=a\r"]),
            ("a", ["plan=\"a\tb\""]), ("a", ["\n"]),
        ])
    func refused(_ name: String, _ claims: [String]) {
        #expect(throws: APIKeyFault.self) { try APIKeyMaker.make(name: name, claims: claims) }
    }

    @Test("A key is sluice_ and 43 characters of base64url, and its line admits it")
    func key() throws {
        let made = try APIKeyMaker.make(name: "partner", claims: ["plan=pro", #"scope="read write""#])
        #expect(made.key.utf8.count == 50)
        #expect(made.key.hasPrefix("sluice_"))
        let random = try #require(Base64URL.decode(made.key.dropFirst(7)))
        #expect(random.count == 32)
        let table = try APIKeyTable(parsing: Array(made.line.utf8)[...])
        let found = table.keys[try #require(table.index(of: Array(made.key.utf8)[...]))]
        #expect(found.name == "partner")
        #expect(found.claims.description == #"{"sub":"partner","plan":"pro","scope":"read write"}"#)
    }

    @Test("The line has the digest of the key, and not the key")
    func line() throws {
        let made = try APIKeyMaker.make(name: "a", random: [UInt8](repeating: 0, count: 32))
        #expect(made.key == "sluice_" + String(repeating: "A", count: 43))
        #expect(made.line == "a \(SHA256Digest(of: made.key).hexadecimal)")
    }

    @Test("No two keys are the same")
    func different() throws {
        let keys = try (0..<100).map { _ in try APIKeyMaker.make(name: "a").key }
        #expect(Set(keys).count == 100)
    }
}
