import HTTPModel
import Testing

@Suite("URL")
struct HTTPURLTests {
    @Test(
        "What is no http(s) URL is refused with its reason",
        arguments: [
            ("", HTTPURL.Failure.scheme), ("a", .scheme), ("//a/", .scheme), ("ftp://a/", .scheme),
            ("http:/a", .scheme),
            ("http:a", .scheme), ("http://", .host), ("http:///a", .host), ("http://a,b/", .host),
            ("http://[::1/", .host),
            ("http://[::1]x/", .host), ("http://u@a/", .userinfo), ("http://u:p@a/", .userinfo),
            ("http://a:/", .port),
            ("http://a:0/", .port), ("http://a:65536/", .port), ("http://a:x/", .port),
            ("http://a:-1/", .port),
            ("http://a/#b", .fragment), ("http://a/ b", .forbiddenByte), ("http://a/é", .forbiddenByte),
            ("http://a/\u{0}", .forbiddenByte), ("http://a/\r\nX: y", .forbiddenByte),
            ("http://a/%", .malformedEscape),
            ("http://a/%4", .malformedEscape), ("http://a/?%zz", .malformedEscape),
            ("http://a/%41%", .malformedEscape),
        ])
    func bad(_ text: String, _ failure: HTTPURL.Failure) {
        #expect(throws: failure) { _ = try HTTPURL(text) }
    }

    @Test("Its parts are told apart")
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

    @Test("What is not written has its default")
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
    }

    @Test("An IPv6 host has its brackets in the authority only")
    func ipv6() throws {
        let url = try HTTPURL("http://[2001:DB8::1]:81/")
        #expect(url.host == "2001:db8::1")
        #expect(url.port == 81)
        #expect(url.authority == "[2001:db8::1]:81")
    }
}
