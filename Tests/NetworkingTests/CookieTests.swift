import FoundationEssentials
import HTTPModel
import Networking
import Rx
import RxTesting
import Testing

@Suite("Cookies", .noLeaks)
struct CookieTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func jar(_ setCookies: String..., from url: String = "http://a.example.com/x/y") throws
        -> CookieJar
    {
        let jar = CookieJar()
        var fields = HTTPFields()
        for text in setCookies { fields.append(.setCookie, text) }
        jar.store(fields, from: try HTTPURL(url), at: now)
        return jar
    }

    @Test("A provider without a jar keeps and sends none")
    func offByDefault() throws {
        let bench = try Bench()
        bench.transport.answer(.response(200, fields: [.setCookie: "a=1"]))
        _ = bench.start()
        _ = bench.start()
        #expect(bench.transport.attempts.allSatisfy { !$0.call.allFields.contains(.cookie) })
    }

    @Test(
        "A provider with a jar sends back what was set, redirects' cookies too, and beside a field of the target's own"
    )
    func provider() throws {
        let time = VirtualTime()
        let transport = StubTransport(scheduler: time)
        var policy = CallPolicy()
        policy.redirects = .follow(hosts: ["other.test"])
        let provider = Provider<Diary>(transport: transport, policy: policy, cookies: CookieJar())
        transport.answer(
            .response(302, fields: [.setCookie: "s=1; Path=/", .location: "/in"]),
            .response(302, fields: [.setCookie: "t=2; Path=/", .location: "http://other.test/"]),
            .response(200))
        _ = Probe(provider.rx.request(.day("2026-11-20")))
        _ = Probe(provider.rx.request(.day("2026-11-21")))
        #expect(transport.attempts.map { $0.call.allFields[.cookie] } == [nil, "s=1", nil, "s=1; t=2"])
    }

    @Test(
        "What is no cookie, or another's, is not kept",
        arguments: [
            "", "novalue", "=empty", "a=1; Domain=example.org", "a=1; Domain=com",
            "a=1; Domain=b.a.example.com",
            "a=1; Secure", "__Secure-a=1", "__Host-a=1; Path=/", "__Host-\u{301}=1; Path=/", "a=\u{1}",
            "a=1; Max-Age=0", "a=1;\u{301}; Max-Age=0",
            "a=1; Expires=Thu, 01 Jan 1970 00:00:10 GMT", "a=" + String(repeating: "x", count: 4096),
        ])
    func refused(text: String) throws {
        #expect(try jar(text).cookies == [])
    }

    @Test("A mark behind a separator does not hide it")
    func marks() throws {
        #expect(try jar("a=\u{301}b;\u{301}; Path=/").cookies.map(\.value) == ["\u{301}b"])
    }

    @Test(
        "Where a cookie goes is its domain's and its path's to say",
        arguments: [
            ("a=1", "http://a.example.com/x/z", true), ("a=1", "http://a.example.com/x", true),
            ("a=1", "http://a.example.com/xy", false), ("a=1", "http://a.example.com/", false),
            ("a=1", "http://b.example.com/x/", false), ("a=1", "http://sub.a.example.com/x/", false),
            ("a=1; Path=/", "http://a.example.com/", true),
            ("a=1; path=relative", "http://a.example.com/x/", true),
            ("a=1; Domain=example.com; Path=/", "http://b.example.com/", true),
            ("a=1; Domain=.EXAMPLE.com; Path=/", "http://example.com/", true),
            ("a=1; Domain=example.com; Path=/", "http://badexample.com/", false),
        ])
    func scope(text: String, url: String, isSent: Bool) throws {
        let field = try jar(text).field(for: HTTPURL(url), at: now)
        #expect(field == (isSent ? "a=1" : nil))
    }

    @Test("A secure cookie goes over https alone, an address has no hosts below it")
    func secure() throws {
        let secure = try jar("a=1; Secure; Path=/", from: "https://a.example.com/")
        #expect(try secure.field(for: HTTPURL("http://a.example.com/"), at: now) == nil)
        #expect(try secure.field(for: HTTPURL("https://a.example.com/"), at: now) == "a=1")
        let address = try jar("a=1; Domain=127.0.0.1", from: "http://127.0.0.1/")
        #expect(address.cookies.map(\.isHostOnly) == [true])
    }

    @Test(
        "A date is read as servers write it (RFC 6265 5.1.1), so that what they take away is gone",
        arguments: [
            "Thu, 01-Jan-1970 00:00:00 GMT", "Thu, 01-Jan-70 00:00:01 GMT", "Thu, 01 Jan 1970 00:00:00 UTC",
            "thu jan  1 00:00:00 1970", "1 January 1970 0:0:0", "Mon, 01 Jan 1601 00:00:00 GMT",
            "Thu, 01 Jan 1970 00:00:00 +0000",
        ])
    func dates(text: String) throws {
        #expect(try jar("a=1; Expires=\(text)").cookies == [])
    }

    @Test("A date in whatever form is the same instant, and one that is none leaves a cookie of the session")
    func dateForms() throws {
        let later = Date(timeIntervalSince1970: 1_795_176_000)
        for text in [
            "Fri, 20 Nov 2026 12:00:00 GMT", "Fri, 20-Nov-2026 12:00:00 GMT",
            "Friday, 20-Nov-26 12:00:00 GMT",
            "Fri Nov 20 12:00:00 2026",
        ] {
            #expect(try jar("a=1; Expires=\(text)").cookies.map(\.expires) == [later])
        }
        for text in [
            "", "tomorrow", "20 Nov 2026", "12:00:00", "31 Feb 2026 12:00:00", "20 Nov 2026 24:00:00",
            "1 Jan 1600 12:00:00",
        ] {
            #expect(try jar("a=1; Expires=\(text)").cookies.map(\.expires) == [nil])
        }
    }

    @Test("A __Host- cookie is of its host alone")
    func hostPrefix() throws {
        let url = "https://a.example.com/"
        #expect(try jar("__Host-a=1; Secure; Path=/", from: url).cookies.count == 1)
        #expect(try jar("__Host-a=1; Secure; Path=/; Domain=a.example.com", from: url).cookies == [])
    }

    @Test("Max-Age goes before Expires, and what has expired is sent no more")
    func expiry() throws {
        let jar = try jar("a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:10 GMT; Path=/")
        let url = try HTTPURL("http://a.example.com/")
        #expect(jar.field(for: url, at: now.addingTimeInterval(9)) == "a=1")
        #expect(jar.field(for: url, at: now.addingTimeInterval(10)) == nil)
        #expect(jar.cookies == [])
    }

    @Test("A cookie set again takes the first one's place, and one that has expired takes it away")
    func replaced() throws {
        let jar = try jar("a=1", "a=2", "b=3")
        #expect(jar.cookies.map(\.value) == ["2", "3"])
        jar.store([.setCookie: "a=; Max-Age=-1"], from: try HTTPURL("http://a.example.com/x/q"), at: now)
        #expect(jar.cookies.map(\.name) == ["b"])
    }

    @Test("Longer paths are sent first, then the older cookies")
    func order() throws {
        let jar = try jar("c=3; Path=/", "b=2; Path=/", "a=1; Path=/x")
        #expect(try jar.field(for: HTTPURL("http://a.example.com/x/"), at: now) == "a=1; c=3; b=2")
    }

    @Test("A jar is bounded for each domain and in all: the oldest goes")
    func bounds() throws {
        var limits = CookieJar.Limits()
        limits.cookiesPerDomain = 2
        limits.cookies = 3
        let jar = CookieJar(limits: limits)
        for (name, domain) in [
            ("a", "x.test"), ("b", "x.test"), ("c", "x.test"), ("d", "y.test"), ("e", "z.test"),
        ] {
            jar.set(Cookie(name: name, value: "", domain: domain), at: now)
        }
        #expect(jar.cookies.map(\.name) == ["c", "d", "e"])
        jar.removeAll()
        #expect(jar.cookies == [])
    }
}
