import FoundationEssentials
import HTTPModel
import Networking
import NetworkingTesting
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

    @Test("A provider without a jar neither stores nor sends cookies")
    func offByDefault() throws {
        let bench = try Bench()
        bench.transport.answer(.response(200, fields: [.setCookie: "a=1"]))
        _ = bench.start()
        _ = bench.start()
        #expect(bench.transport.attempts.allSatisfy { !$0.call.allFields.contains(.cookie) })
    }

    @Test("A response that leads to a retry still sets its cookies")
    func retried() throws {
        let time = VirtualTime()
        let transport = StubTransport(scheduler: time)
        let provider = Provider<Diary>(transport: transport, cookies: CookieJar())
        transport.answer(.response(503, fields: [.setCookie: "route=2; Path=/"]), .response(200))
        let first = Probe(provider.rx.request(.day("2026-11-20")))
        time.advance(by: .seconds(1))
        #expect(first.value?.statusCode == 200)
        _ = Probe(provider.rx.request(.day("2026-11-21")))
        #expect(transport.attempts.map { $0.call.allFields[.cookie] } == [nil, nil, "route=2"])
    }

    @Test(
        "A jar sends cookies back to their host, including cookies that redirects set"
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
        "Invalid cookies and cookies for other hosts are rejected",
        arguments: [
            "", "=", " ; Path=/", "a=1; Domain=example.org", "a=1; Domain=com", "a=1; Domain=.com",
            "a=1; Domain=..example.com",
            "a=1; Domain=b.a.example.com", "a=1; Domain=example.com; Domain=example.org",
            "a=1; Secure", "__Secure-a=1", "__Host-a=1; Path=/", "__Host-\u{301}=1; Path=/", "a=\u{1}",
            "__sEcUrE-a=1", "__HOST-a=1; Path=/", "__Secure-a", "=__host-a=1", "=__SECURE-",
            "a=1; Max-Age=0", "a=1;\u{301}; Max-Age=0",
            "a=1; Expires=Thu, 01 Jan 1970 00:00:10 GMT", "a=" + String(repeating: "x", count: 4096),
        ])
    func refused(text: String) throws {
        #expect(try jar(text).cookies == [])
    }

    @Test("A combining mark after a separator does not hide the separator")
    func marks() throws {
        #expect(try jar("a=\u{301}b;\u{301}; Path=/").cookies.map(\.value) == ["\u{301}b"])
    }

    @Test(
        "Domain and path determine where a cookie is sent",
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

    @Test("A secure cookie is sent only over https, and a cookie for an IP address is host-only")
    func secure() throws {
        let secure = try jar("a=1; Secure; Path=/", from: "https://a.example.com/")
        #expect(try secure.field(for: HTTPURL("http://a.example.com/"), at: now) == nil)
        #expect(try secure.field(for: HTTPURL("https://a.example.com/"), at: now) == "a=1")
        let address = try jar("a=1; Domain=127.0.0.1", from: "http://127.0.0.1/")
        #expect(address.cookies.map(\.isHostOnly) == [true])
    }

    @Test(
        "An expiry date in the past removes a cookie, however the date is written (RFC 6265 5.1.1)",
        arguments: [
            "Thu, 01-Jan-1970 00:00:00 GMT", "Thu, 01-Jan-70 00:00:01 GMT", "Thu, 01 Jan 1970 00:00:00 UTC",
            "thu jan  1 00:00:00 1970", "1 January 1970 0:0:0", "Mon, 01 Jan 1601 00:00:00 GMT",
            "Thu, 01 Jan 1970 00:00:00 +0000",
        ])
    func dates(text: String) throws {
        #expect(try jar("a=1; Expires=\(text)").cookies == [])
    }

    @Test("Every date format gives the same expiry, and an invalid date makes a session cookie")
    func dateForms() throws {
        let later = Date(timeIntervalSince1970: 1_795_176_000)
        let url = try HTTPURL("http://a.example.com/")
        for text in [
            "Fri, 20 Nov 2026 12:00:00 GMT", "Fri, 20-Nov-2026 12:00:00 GMT",
            "Friday, 20-Nov-26 12:00:00 GMT",
            "Fri Nov 20 12:00:00 2026",
        ] {
            let jar = CookieJar()
            jar.store([.setCookie: "a=1; Expires=\(text)"], from: url, at: later.addingTimeInterval(-1))
            #expect(jar.cookies.map(\.expires) == [later])
        }
        for text in [
            "", "tomorrow", "20 Nov 2026", "12:00:00", "31 Feb 2026 12:00:00", "20 Nov 2026 24:00:00",
            "1 Jan 1600 12:00:00",
        ] {
            #expect(try jar("a=1; Expires=\(text)").cookies.map(\.expires) == [nil])
        }
    }

    @Test("A __Host- cookie with a Domain is rejected")
    func hostPrefix() throws {
        let url = "https://a.example.com/"
        #expect(try jar("__Host-a=1; Secure; Path=/", from: url).cookies.count == 1)
        #expect(try jar("__Host-a=1; Secure; Path=/; Domain=a.example.com", from: url).cookies == [])
    }

    @Test(
        "A name prefix in any case requires its attributes and a name",
        arguments: ["__Host-", "__hOST-"])
    func prefixCase(prefix: String) throws {
        let url = "https://a.example.com/x/"
        #expect(try jar("\(prefix)a=1; Secure; Path=/", from: url).cookies.count == 1)
        #expect(try jar("\(prefix)a=1; Secure; Path=/x", from: url).cookies == [])
        #expect(try jar("\(prefix)a=1; Secure", from: "https://a.example.com/").cookies == [])
        #expect(try jar("\(prefix)a=1; Path=/", from: url).cookies == [])
        #expect(try jar("=\(prefix)a=1; Secure; Path=/", from: url).cookies == [])
        #expect(try jar("\(prefix)a; Secure; Path=/", from: url).cookies == [])
        #expect(try jar("__SECURE-a=1; Secure", from: url).cookies.count == 1)
    }

    @Test("A cookie without a name is sent as a bare value")
    func nameless() throws {
        let jar = try jar("alone; Path=/", "=b=c; Path=/y", "d=; Path=/")
        #expect(jar.cookies.map(\.name) == ["", "", "d"])
        #expect(try jar.field(for: HTTPURL("http://a.example.com/y"), at: now) == "b=c; alone; d=")
    }

    @Test(
        "Plain http cannot replace, shadow or delete a secure cookie",
        arguments: [
            "a=2; Path=/login", "a=2; Path=/login/en", "a=2; Path=/login; Max-Age=0",
            "a=2; Path=/login; Domain=example.com",
            "a=2; Path=/login; Domain=a.example.com",
        ])
    func secureStays(text: String) throws {
        let jar = try jar("a=1; Secure; Path=/login; Domain=a.example.com", from: "https://a.example.com/")
        for host in ["a.example.com", "sub.a.example.com"] {
            jar.store([.setCookie: text], from: try HTTPURL("http://\(host)/"), at: now)
            #expect(jar.cookies.map(\.value) == ["1"])
        }
        let replacement = "a=3; Path=/login; Domain=a.example.com"
        jar.store([.setCookie: replacement], from: try HTTPURL("https://a.example.com/"), at: now)
        #expect(jar.cookies.map(\.value) == ["3"])
    }

    @Test(
        "Plain http can set a cookie that shadows no secure cookie, or only an expired one",
        arguments: [
            "b=2; Path=/login", "a=2; Path=/", "a=2; Path=/log", "a=2; Path=/loginX",
        ])
    func besideSecure(text: String) throws {
        let jar = try jar("a=1; Secure; Path=/login; Max-Age=9", from: "https://a.example.com/")
        jar.store([.setCookie: text], from: try HTTPURL("http://a.example.com/"), at: now)
        #expect(jar.cookies.map(\.value) == ["1", "2"])
        jar.store(
            [.setCookie: "a=3; Path=/login"], from: try HTTPURL("http://a.example.com/"),
            at: now.addingTimeInterval(9))
        #expect(jar.cookies.map(\.value).contains("3"))
        let other = try self.jar("a=1; Secure; Path=/", from: "https://a.example.com/")
        other.store([.setCookie: "a=2; Path=/"], from: try HTTPURL("http://b.example.com/"), at: now)
        #expect(other.cookies.count == 2)
    }

    @Test(
        "A cookie for a public suffix is rejected, unless the host is the suffix",
        arguments: [
            ("a.co.uk", "co.uk"), ("a.b.com.au", "com.au"), ("a.github.io", "github.io"), ("a.test", "test"),
            ("x.s3.amazonaws.com", "s3.amazonaws.com"), ("a.b.ck", "b.ck"), ("x.y.or.kr", "or.kr"),
            // Rules of the complete list: a wildcard, a fourth level, a non-ASCII name, a hosting domain.
            ("a.b.kawasaki.jp", "b.kawasaki.jp"), ("a.pvt.k12.ma.us", "pvt.k12.ma.us"),
            ("a.xn--55qx5d.cn", "xn--55qx5d.cn"), ("a.vercel.app", "vercel.app"),
        ])
    func publicSuffix(host: String, suffix: String) throws {
        #expect(try jar("a=1; Domain=\(suffix)", from: "http://\(host)/").cookies == [])
        #expect(try jar("a=1; Domain=.\(suffix.uppercased())", from: "http://\(host)/").cookies == [])
        let own = try jar("a=1; Domain=\(suffix)", from: "http://\(suffix)/")
        #expect(own.cookies.map(\.isHostOnly) == [true])
        #expect(try own.field(for: HTTPURL("http://\(host)/"), at: now) == nil)
        #expect(try own.field(for: HTTPURL("http://\(suffix)/"), at: now) == "a=1")
        // A domain directly below a suffix is an ordinary domain.
        #expect(
            try jar("a=1; Domain=z.\(suffix)", from: "http://y.z.\(suffix)/").cookies.map(\.isHostOnly) == [
                false
            ])
    }

    @Test(
        "A name that the public suffix list excepts is an ordinary domain",
        arguments: ["www.ck", "city.kawasaki.jp"])
    func exception(domain: String) throws {
        let jar = try jar("a=1; Domain=\(domain); Path=/", from: "http://x.\(domain)/")
        #expect(try jar.field(for: HTTPURL("http://y.\(domain)/"), at: now) == "a=1")
    }

    @Test("A cookie for localhost is host-only, and a cookie for an ordinary domain reaches its subdomains")
    func oneLabel() throws {
        let local = try jar("a=1; Domain=localhost; Path=/", from: "http://localhost/")
        #expect(try local.field(for: HTTPURL("http://localhost/"), at: now) == "a=1")
        #expect(try local.field(for: HTTPURL("http://sub.localhost/"), at: now) == nil)
        let domain = try jar("a=1; Domain=a.example.com; Path=/")
        #expect(try domain.field(for: HTTPURL("http://sub.a.example.com/"), at: now) == "a=1")
        #expect(try jar("a=1; Domain=; Path=/").cookies.map(\.isHostOnly) == [true])
    }

    @Test(
        "A name and value may have 4096 bytes together, and an attribute over 1024 bytes is ignored")
    func sizes() throws {
        let name = String(repeating: "n", count: 2048)
        #expect(try jar("\(name)=\(name); Path=/; X=\(name)").cookies.count == 1)
        #expect(try jar("\(name)=\(name)m").cookies == [])
        #expect(try jar("\(name)\(name)").cookies.count == 1)
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(try jar("a=1; Path=\(path)").cookies.map(\.path) == [path])
        #expect(try jar("a=1; Path=\(path)p").cookies.map(\.path) == ["/x"])
        let domain = String(repeating: "d.", count: 600) + "org"
        #expect(try jar("a=1; Domain=\(domain)").cookies.map(\.domain) == ["a.example.com"])
    }

    @Test(
        "No cookie lives longer than 400 days",
        arguments: ["Max-Age=99999999", "Expires=Fri, 20 Nov 2026 12:00:00 GMT"])
    func longest(attribute: String) throws {
        #expect(try jar("a=1; \(attribute)").cookies.map(\.expires) == [now.addingTimeInterval(400 * 86400)])
    }

    @Test("A full domain loses its insecure cookies before its secure ones")
    func evictsInsecure() throws {
        var limits = CookieJar.Limits()
        limits.cookiesPerDomain = 2
        let jar = CookieJar(limits: limits)
        for (name, isSecure) in [("a", true), ("b", false), ("c", false), ("d", true), ("e", true)] {
            jar.set(Cookie(name: name, value: "", domain: "x.test", isSecure: isSecure), at: now)
            #expect(name > "c" || jar.cookies.contains { $0.name == "a" })
        }
        #expect(jar.cookies.map(\.name) == ["d", "e"])
        #expect(CookieJar.Limits().cookiesPerDomain == 50)
        #expect(CookieJar.Limits().cookies == 3000)
    }

    @Test("Max-Age takes precedence over Expires, and expired cookies are not sent")
    func expiry() throws {
        let jar = try jar("a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:10 GMT; Path=/")
        let url = try HTTPURL("http://a.example.com/")
        #expect(jar.field(for: url, at: now.addingTimeInterval(9)) == "a=1")
        #expect(jar.field(for: url, at: now.addingTimeInterval(10)) == nil)
        #expect(jar.cookies == [])
    }

    @Test("Setting a cookie again replaces it, and setting an expired one removes it")
    func replaced() throws {
        let jar = try jar("a=1", "a=2", "b=3")
        #expect(jar.cookies.map(\.value) == ["2", "3"])
        jar.store([.setCookie: "a=; Max-Age=-1"], from: try HTTPURL("http://a.example.com/x/q"), at: now)
        #expect(jar.cookies.map(\.name) == ["b"])
    }

    @Test("Cookies with longer paths are sent first, then older cookies")
    func order() throws {
        let jar = try jar("c=3; Path=/", "b=2; Path=/", "a=1; Path=/x")
        #expect(try jar.field(for: HTTPURL("http://a.example.com/x/"), at: now) == "a=1; c=3; b=2")
    }

    @Test("A jar removes the oldest cookies beyond its limits per domain and in total")
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
