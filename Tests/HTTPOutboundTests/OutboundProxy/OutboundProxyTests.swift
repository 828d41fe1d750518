import EventIO
import Testing

@testable import HTTPOutbound

@Suite("Proxy configuration")
struct OutboundProxyTests {
    @Test(
        "An invalid proxy URL is refused, and the message does not contain the password",
        arguments: [
            ("", "the proxy's host is not valid"), ("http://", "the proxy's host is not valid"),
            ("a b:1", "the proxy's host is not valid"), ("[::1:1", "the proxy's host is not valid"),
            ("proxy:0", "the proxy's port is not a number from 1 to 65535"),
            ("proxy:", "the proxy's port is not a number from 1 to 65535"),
            ("proxy:65536", "the proxy's port is not a number from 1 to 65535"),
            ("/proxy:80", "the proxy's host is not valid"),
            ("u:p/w@proxy:80", "the proxy's port is not a number from 1 to 65535"),
            ("socks5://proxy:1", "the proxy's scheme is socks5, but only http is supported"),
            ("HTTPS://proxy:1", "the proxy's scheme is https, but only http is supported"),
            (
                "u:secret%2@proxy:1",
                "a % in the proxy's user or password is not followed by two hexadecimal digits"
            ),
        ])
    func refused(url: String, message: String) {
        #expect { try OutboundProxy(url) } throws: { error in
            (error as? OutboundProxy.Failure)?.description == message
        }
    }

    @Test(
        "The host and port are parsed, and the port defaults to 1080",
        arguments: [
            ("proxy", "proxy", 1080), ("http://proxy:3128", "proxy", 3128),
            ("HTTP://proxy:3128/", "proxy", 3128),
            ("http://[::1]:8080", "::1", 8080), ("[::1]", "::1", 1080),
            ("http://u:p@10.0.0.1:1", "10.0.0.1", 1),
            // Ignored by curl as well.
            ("http://proxy:80/path", "proxy", 80), ("proxy:80?a=b", "proxy", 80),
            ("proxy/a/b?c#d", "proxy", 1080), ("http://proxy:80/a@other:81", "proxy", 80),
        ] as [(String, String, UInt16)])
    func hostAndPort(url: String, host: String, port: UInt16) throws {
        let proxy = try OutboundProxy(url)
        #expect(proxy.host == host && proxy.port == port)
        #expect(!proxy.description.contains("@"))
    }

    @Test(
        "The user and password are decoded and sent as Basic credentials",
        arguments: [
            ("http://user:pass@p", "Basic dXNlcjpwYXNz"), ("http://user@p", "Basic dXNlcjo="),
            ("http://Aladdin:open%20sesame@p", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("http://u:a@b@p", "Basic dTphQGI="), ("http://:x@p", "Basic Ong="),
        ])
    func basic(url: String, value: String) throws {
        #expect(try OutboundProxy(url).authorization == value)
    }

    @Test("A proxy can be created from its parts")
    func parts() throws {
        #expect(
            try OutboundProxy(host: "::1", port: 1, user: "user", password: "pass").authorization
                == "Basic dXNlcjpwYXNz")
        #expect(try OutboundProxy(host: "proxy", port: 3128) == OutboundProxy("http://proxy:3128"))
        #expect(throws: OutboundProxy.Failure.self) {
            try OutboundProxy(host: "p", port: 1, user: "a:b")
        }
        #expect(throws: OutboundProxy.Failure.self) { try OutboundProxy(host: "p", port: 0) }
    }

    private func proxy(_ variables: [String: String], _ origin: Origin?) throws -> String? {
        try #require(origin).through(OutboundProxyEnvironment(variables)).proxy?.description
    }

    @Test("The environment sets a proxy for each scheme")
    func environment() throws {
        let http = Origin(host: "api.example")
        let https = Origin(scheme: .https, host: "api.example", tls: try TLSContext(Wire.configuration))
        #expect(try proxy([:], http) == nil)
        #expect(try proxy(["http_proxy": "a:1"], http) == "a:1")
        #expect(try proxy(["http_proxy": "a:1"], https) == nil)
        #expect(
            try proxy(["HTTP_PROXY": "a:1"], http) == nil,
            "a CGI client could set it with a Proxy header field")
        #expect(try proxy(["HTTPS_PROXY": "b:1"], https) == "b:1")
        #expect(try proxy(["HTTPS_PROXY": "b:1", "https_proxy": "c:1"], https) == "c:1")
        #expect(try proxy(["ALL_PROXY": "d:1"], http) == "d:1")
        #expect(try proxy(["ALL_PROXY": "d:1", "https_proxy": "c:1"], https) == "c:1")
        #expect(try proxy(["all_proxy": "d:1", "no_proxy": "example"], https) == nil)
        #expect(try proxy(["all_proxy": "d:1", "no_proxy": "", "NO_PROXY": "*"], https) == nil)
        #expect(try proxy(["all_proxy": "d:1", "no_proxy": "other"], Origin(unixSocket: "/run/x")) == nil)
    }

    @Test(
        "An invalid proxy fails only the origins that use it, and the error names its variable"
    )
    func badProxies() throws {
        let http = Origin(host: "api.example")
        let https = Origin(scheme: .https, host: "api.example", tls: try TLSContext(Wire.configuration))
        for url in ["socks5h://u:secret@p:1", "ftp://u:secret@p", "u:secret@p:x", "u:s%zsecret@p:1"] {
            func isRefused(_ variables: [String: String], _ origin: Origin?, by name: String) {
                #expect { try proxy(variables, origin) } throws: { error in
                    "\(error)".hasPrefix("\(name): ") && !"\(error)".contains("secret")
                }
            }
            isRefused(["all_proxy": url], http, by: "all_proxy")
            isRefused(["ALL_PROXY": url], https, by: "ALL_PROXY")
            isRefused(["https_proxy": url, "all_proxy": "a:1"], https, by: "https_proxy")
            #expect(try proxy(["https_proxy": url, "all_proxy": "a:1"], http) == "a:1")
            #expect(try proxy(["https_proxy": url], http) == nil)
            #expect(try proxy(["all_proxy": url, "no_proxy": "10.*,.example"], https) == nil)
            #expect(try proxy(["all_proxy": url, "https_proxy": "b:1"], https) == "b:1")
            #expect(try proxy(["all_proxy": url], Origin(unixSocket: "/run/x")) == nil)
        }
    }

    @Test("An invalid entry in no_proxy is skipped, and the others apply")
    func oddExceptions() throws {
        let variables = ["http_proxy": "a:1", "no_proxy": "localhost,10.*, [x ,api.example"]
        #expect(try proxy(variables, Origin(host: "localhost")) == nil)
        #expect(try proxy(variables, Origin(host: "api.example")) == nil)
        #expect(try proxy(variables, Origin(host: "10.0.0.1")) == "a:1")
    }

    @Test("The warning about an invalid variable states the consequence and omits the password")
    func warnings() {
        #expect(OutboundProxyEnvironment(["http_proxy": "a:1", "no_proxy": "localhost, .b"]).warnings == [])
        #expect(
            OutboundProxyEnvironment(["no_proxy": "localhost,10.*", "NO_PROXY": "*.*"]).warnings
                == ["no_proxy: '10.*' is not a name, an address or a range of addresses; it is skipped"])
        #expect(
            OutboundProxyEnvironment(["all_proxy": "socks5h://u:secret@p:1", "http_proxy": "a:1"]).warnings
                == ["all_proxy: the proxy's scheme is socks5h, but only http is supported; https calls fail"])
        // Both schemes have their own proxy, so all_proxy is not used.
        #expect(
            OutboundProxyEnvironment(["all_proxy": "socks5://p", "http_proxy": "a:1", "https_proxy": "a:1"])
                .warnings
                == [])
    }

    @Test(
        "An invalid exception is refused",
        arguments: [
            "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/8/8", "a:", "a:0", "a:65536", "a:b",
            "..a",
            "a*b", "[::1", "*.*", "10.0.0.0/-1", "a.test, \u{301}b.test", "b\u{fc}cher.test",
        ])
    func noException(text: String) {
        #expect(throws: OutboundProxy.Failure.self) { try NoProxy(text) }
    }

    @Test(
        "A host bypasses the proxy if it matches an exception",
        arguments: [
            ("*", "anything", 80, true), ("", "anything", 80, false), (" , ,", "anything", 80, false),
            ("example.com", "example.com", 80, true), ("example.com", "www.example.com", 80, true),
            ("example.com", "badexample.com", 80, false), ("example.com", "example.org", 80, false),
            (".example.com", "example.com", 80, true), (".example.com", "a.example.com", 80, true),
            ("*.example.com", "a.example.com", 80, true), ("EXAMPLE.com.", "a.Example.Com", 80, true),
            ("example.com", "example.com.", 80, true), ("example.com.", "a.example.com", 80, true),
            ("example.com.:81", "a.example.com.", 81, true), ("example.com", "example.com..", 80, false),
            ("a, b c\td", "c", 80, true), ("a, b c\td", "d", 80, true),
            ("example.com:8080", "example.com", 8080, true), ("example.com:8080", "example.com", 80, false),
            ("*:81", "x", 81, true), ("*:81", "x", 80, false),
            ("10.1.2.3", "10.1.2.3", 80, true), ("10.1.2.3", "10.1.2.30", 80, false),
            ("10.1.2.3:81", "10.1.2.3", 81, true), ("10.1.2.3:81", "10.1.2.3", 80, false),
            ("10.0.0.0/8", "10.255.0.1", 80, true), ("10.0.0.0/8", "11.0.0.1", 80, false),
            ("10.128.0.0/9", "10.200.0.1", 80, true), ("10.128.0.0/9", "10.100.0.1", 80, false),
            ("0.0.0.0/0", "1.2.3.4", 80, true), ("0.0.0.0/0", "::1", 80, false),
            ("0.0.0.0/0", "name", 80, false),
            ("::1", "::1", 80, true), ("[::1]", "0:0:0:0:0:0:0:1", 80, true), ("[::1]:81", "::1", 81, true),
            ("[::1]:81", "::1", 80, false), ("fd00::/8", "fd12::1", 80, true),
            ("fd00::/8", "fe80::1", 80, false),
            ("[fd00::]/8", "fd12::1", 80, true), ("2.3", "1.2.3", 80, true), ("3.4", "1.2.3.4", 80, false),
        ] as [(String, String, UInt16, Bool)])
    func exceptions(text: String, host: String, port: UInt16, expected: Bool) throws {
        #expect(try NoProxy(text).contains(host: host, port: port) == expected)
    }
}
