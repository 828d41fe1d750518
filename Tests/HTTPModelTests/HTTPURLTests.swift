import HTTPModel
import Testing

@Suite("URL")
struct HTTPURLTests {
    @Test(
        "Text that is no http or https URL is refused, with the rule it breaks",
        arguments: [
            ("", HTTPURL.Failure.scheme), ("a", .scheme), ("//a/", .scheme), ("ftp://a/", .scheme),
            ("http:/a", .scheme),
            ("http:a", .scheme), ("http://", .host), ("http:///a", .host), ("http://a,b/", .host),
            ("http://[::1/", .host),
            ("http://[::1]x/", .host), ("http://[::1]:8]/", .port),
            ("http://u@a/", .userinfo), ("http://u:p@a/", .userinfo),
            ("http://a:/", .port),
            ("http://a:0/", .port), ("http://a:65536/", .port), ("http://a:x/", .port),
            ("http://a:-1/", .port),
            ("http://a/#b", .fragment), ("http://a/ b", .forbiddenByte), ("http://a/é", .forbiddenByte),
            ("http://a/\u{0}", .forbiddenByte), ("http://a/\r\nX: y", .forbiddenByte),
            ("http://a/%", .malformedEscape),
            ("http://a/%4", .malformedEscape), ("http://a/?%zz", .malformedEscape),
            ("http://a/%41%", .malformedEscape), ("http://a/%zz%41", .malformedEscape),
            ("http://a:000080/", .port), ("http://a:99999/", .port), ("http://a:8x/", .port),
            ("http://a/\u{7f}", .forbiddenByte), ("http://a/?b#", .fragment),
        ])
    func bad(_ text: String, _ failure: HTTPURL.Failure) {
        #expect(throws: failure) { _ = try HTTPURL(text) }
    }

    @Test("A URL is split into its parts")
    func parts() throws {
        let url = try HTTPURL("HTTP://API.example.com:8080/food-diary/weights?fddDate=2026-11-20")
        #expect(url.scheme == .http)
        #expect(url.host == "api.example.com")
        #expect(url.port == 8080)
        #expect(url.path == "/food-diary/weights")
        #expect(url.query == "fddDate=2026-11-20")
        #expect(url.authority == "api.example.com:8080")
        #expect(url.target == "/food-diary/weights?fddDate=2026-11-20")
        #expect(url.description == "http://api.example.com:8080/food-diary/weights?fddDate=2026-11-20")
    }

    @Test("Parts that are left out have their defaults")
    func defaults() throws {
        let url = try HTTPURL("https://a")
        #expect(url.port == 443)
        #expect(url.path == "/")
        #expect(url.query == nil)
        #expect(url.authority == "a")
        #expect(url.description == "https://a/")
        #expect(try HTTPURL("http://a?b").target == "/?b")
        #expect(try HTTPURL("http://a/?").query == "")
        #expect(try HTTPURL("http://a:80").authority == "a")
        #expect(try HTTPURL("https://a:80").authority == "a:80")
        #expect(try HTTPURL("http://a/?b?c").query == "b?c")
        #expect(try HTTPURL("http://a/!~?~!").target == "/!~?~!")
    }

    @Test("A port is 1 to 65535", arguments: [1, 8, 80, 443, 8080, 65534, 65535])
    func ports(port: Int) throws {
        #expect(try HTTPURL("http://a:\(port)/").port == port)
    }

    @Test("An IPv6 host has brackets in the authority only")
    func ipv6() throws {
        let url = try HTTPURL("http://[2001:DB8::1]:81/")
        #expect(url.host == "2001:db8::1")
        #expect(url.port == 81)
        #expect(url.authority == "[2001:db8::1]:81")
    }

    @Test(
        "A URL that normalizing cannot mend is refused, with the rule it breaks",
        arguments: [
            ("", HTTPURL.Failure.scheme), ("a", .scheme), ("http:/a", .scheme), ("http://한글.test/", .host),
            ("http://a b/", .host), ("http://a\r\n/", .host), ("http://#a", .host),
            ("http://u@a/", .userinfo),
            ("http://a/\r\nX: y", .forbiddenByte), ("http://a/?\u{0}", .forbiddenByte),
            ("http://a/\u{7f}", .forbiddenByte), ("http://a/|%zz", .malformedEscape),
            ("a|b", .scheme), ("a|:", .scheme), ("http:", .scheme), ("http:ab/|", .scheme),
            ("ftp:///é", .scheme),
            ("http://a\u{7f}/", .host),
        ])
    func notNormalized(_ text: String, _ failure: HTTPURL.Failure) {
        #expect(throws: failure) { _ = try HTTPURL(normalizing: text) }
    }

    @Test(
        "A URL is normalized as browsers do",
        arguments: [
            ("http://a/p#x", "/p"), ("http://a#x?y", "/"), ("http://a/p?q#x#y", "/p?q"),
            ("http://a/a b/é", "/a%20b/%C3%A9"), ("http://a/[x]|{y}^`", "/%5Bx%5D%7C%7By%7D%5E%60"),
            ("http://a/?f[x]=a|b \"<é>\\", "/?f%5Bx%5D=a%7Cb%20%22%3C%C3%A9%3E%5C"),
            ("http:\\\\a\\b\\c", "/b/c"), ("http://a/x%2Fy//z%7c", "/x%2Fy//z%7c"),
            ("http://a/../b", "/../b"), ("http://a/f\\b?c\\d", "/f/b?c%5Cd"), ("http://a/?b?\\", "/?b?%5C"),
            ("http://a?|", "/?%7C"),
        ])
    func normalized(_ text: String, _ target: String) throws {
        let url = try HTTPURL(normalizing: text)
        #expect(url.host == "a")
        #expect(url.target == target)
        #expect(try HTTPURL(url.description) == url)
    }

    @Test("Normalizing keeps the host and the port")
    func normalizedHost() throws {
        #expect(try HTTPURL(normalizing: "http:\\\\a~b!:81\\|").description == "http://a~b!:81/%7C")
    }

    @Test(
        "A URL is not normalized unless that is asked for",
        arguments: ["http://a/p#x", "http://a/a b", "http://a/é", "http://a\\b", " http://a"])
    func strict(text: String) {
        #expect(throws: HTTPURL.Failure.self) { _ = try HTTPURL(text) }
    }

    @Test(
        "A reference is resolved as browsers do",
        arguments: [
            ("/오늘", "http://a/%EC%98%A4%EB%8A%98"), (" \tx y ", "http://a/b/x%20y"),
            ("/a|[1]?b[c]=d|e", "http://a/a%7C%5B1%5D?b%5Bc%5D=d%7Ce"),
            ("/p#part", "http://a/p"), ("#part", "http://a/b/c?d"), ("", "http://a/b/c?d"),
            ("/x/%2e%2E/y/%2e", "http://a/y/"), ("\\\\e\\f", "http://e/f"), ("/\\e/f", "http://e/f"),
            ("..\\g", "http://a/g"),
            ("HTTPS://e?q r", "https://e/?q%20r"), ("?q=é", "http://a/b/c?q=%C3%A9"),
            ("/x%2Fy//z", "http://a/x%2Fy//z"), ("/", "http://a/"), ("\\", "http://a/"),
            ("1a:b", "http://a/b/1a:b"),
            (":x", "http://a/b/:x"), ("x/y:z", "http://a/b/x/y:z"), ("..", "http://a/"), (".", "http://a/b/"),
            ("../../../x", "http://a/x"), ("x/../y/./z", "http://a/b/y/z"), ("//e:81/f?g", "http://e:81/f?g"),
            ("?x/../y", "http://a/b/c?x/../y"), ("http://e:81/f", "http://e:81/f"), ("x/..", "http://a/b/"),
        ])
    func resolved(_ reference: String, _ result: String) throws {
        #expect(try HTTPURL("http://a/b/c?d").resolving(reference).description == result)
    }

    @Test("Bytes of a reference that are not UTF-8 are percent-encoded in its path and refused in its host")
    func latin1() throws {
        let base = try HTTPURL("http://a/b")
        #expect(try base.resolving(Array("/caf".utf8) + [0xe9]).description == "http://a/caf%E9")
        #expect(throws: HTTPURL.Failure.host) { try base.resolving(Array("//caf".utf8) + [0xe9]) }
    }

    @Test(
        "A reference with another scheme is refused",
        arguments: ["mailto:x", "h2c:x", "a+b:c", "a-b:c", "a.b:c", "javascript:alert(1)", "ftp://a/"])
    func otherScheme(reference: String) throws {
        let base = try HTTPURL("http://a/b")
        #expect(throws: HTTPURL.Failure.scheme) { try base.resolving(reference) }
    }

    @Test("URLs have the same origin if scheme, host and port are equal")
    func origins() throws {
        let url = try HTTPURL("http://a/b")
        #expect(url.hasSameOrigin(as: try HTTPURL("HTTP://A:80/c?d")))
        #expect(!url.hasSameOrigin(as: try HTTPURL("http://b/b")))
        #expect(!url.hasSameOrigin(as: try HTTPURL("http://a:81/b")))
        #expect(!url.hasSameOrigin(as: try HTTPURL("https://a:80/b")))
        #expect(!(try HTTPURL("https://a:81/").hasSameOrigin(as: try HTTPURL("http://b:81/"))))
    }

    @Test("URLs that differ in the final dot of the host have the same server, but not the same origin")
    func server() throws {
        let url = try HTTPURL("http://a.test./b")
        for (other, isSame) in [
            ("http://a.test/", true), ("http://A.test.:80", true), ("http://b.test", false),
            ("http://a.test:81", false), ("https://a.test:80", false), ("http://a.test..", false),
        ] {
            #expect(url.hasSameServer(as: try HTTPURL(other)) == isSame, "\(other)")
        }
        #expect(!url.hasSameOrigin(as: try HTTPURL("http://a.test/b")))
        #expect(url.authority == "a.test." && "\(url)" == "http://a.test./b")
    }

    @Test("A failure says which rule is broken")
    func failures() {
        let failures: [HTTPURL.Failure] = [
            .scheme, .userinfo, .host, .port, .forbiddenByte, .fragment, .malformedEscape,
        ]
        #expect(
            failures.map(\.description) == [
                "a URL begins with http:// or https://",
                "a URL has no user name or password before its host", "the host is not valid",
                "the port is not a number from 1 to 65535",
                "a URL has no blank, control character or character beyond ASCII",
                "a URL that is called has no # part", "a % is not followed by two hexadecimal digits",
            ])
    }
}
