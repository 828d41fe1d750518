import GatewayCore
import HTTPModel
import Testing

@testable import GatewayHTTP

@Suite("Host names")
struct HostNamesTests {
    @Test(
        "An invalid list of host names is refused with a message that quotes the invalid name",
        arguments: [
            ([], "the list of host names is empty"), (["any", "a.test"], "'any' must be the only host name"),
            (["a.test", ""], "'' is not"), (["*"], "'*' is not"), (["*."], "'*.' is not"),
            (["*.*.test"], "'*.*.test' is not"), (["a*.test"], "'a*.test' is not"),
            (["a.test:80"], "'a.test:80' is not"), (["http://a.test"], "'http://a.test' is not"),
            (["a..test"], "'a..test' is not"), ([".test"], "'.test' is not"),
            (["-a.test"], "'-a.test' is not"),
            (["a b"], "'a b' is not"), (["bücher.test"], "'bücher.test' is not"),
            (["10.0.0.256"], "'10.0.0.256' is not"), (["1.2.3"], "'1.2.3' is not"),
            (["[::g]"], "'[::g]' is not"),
            ([String(repeating: "a", count: 64)], "is not a host name"),
        ])
    func refused(names: [String], message: String) {
        let fault = #expect(throws: HostNames.Fault.self) { try HostNames(names) }
        #expect(fault?.description.contains(message) == true, "\(fault?.description ?? "")")
    }

    private func allows(_ names: [String], _ authority: String) throws -> Bool {
        try HostNames(names).allows(Array(authority.utf8)[...])
    }

    @Test(
        "A foreign name is refused",
        arguments: [
            "evil.test", "example.com", "app.example.com.evil.test", "xapp.example.com", "app.example.co",
            "b.app.example.com", "example.org", ".example.org", "xexample.org", "localhost", "localhost.", "",
            ":80", "127.0.0.1.evil.test", "127.1", "0x7f000001", "2130706433", "1.2.3.256",
            "app.example.com..",
            "app.example.c%6fm",
        ])
    func foreign(_ authority: String) throws {
        #expect(try !allows(["app.example.com", "*.example.org"], authority))
    }

    @Test(
        "A listed name is allowed in any case, with any port or a trailing dot; an address is always allowed",
        arguments: [
            "app.example.com", "APP.Example.COM", "app.example.com:80", "app.example.com.",
            "app.example.com.:1",
            "a.example.org", "a.b.example.org", "A.EXAMPLE.ORG.:65535", "xn--bcher-kva.test", "a_b.test",
            "127.0.0.1", "127.0.0.1:8080", "10.1.2.3", "[::1]", "[::1]:8080", "[2001:db8::1]",
            "[::ffff:1.2.3.4]",
        ])
    func own(_ authority: String) throws {
        let names = [
            "App.Example.com", "*.Example.org.", "xn--bcher-kva.test", "a_b.test", "10.0.0.1", "[::1]",
        ]
        #expect(try allows(names, authority))
    }

    @Test("`.any` allows any name, `.localhost` only localhost")
    func constants() throws {
        #expect(try HostNames(["any"]) == .any)
        #expect(try HostNames(["localhost"]) == .localhost)
        #expect(HostNames.any.allows(Array("evil.test".utf8)[...]))
        #expect(HostNames.localhost.allows(Array("LOCALHOST:80".utf8)[...]))
        #expect(!HostNames.localhost.allows(Array("evil.test".utf8)[...]))
        #expect(HostCheck(.any) == nil, "there is nothing to check")
    }

    @Test("A host is checked correctly after an accepted or a refused one")
    func alternating() throws {
        var check = try #require(HostCheck(.localhost))
        func head(_ host: String) throws -> HTTPRequestHead {
            HTTPRequestHead(method: .get, target: try #require(RequestTarget("/")), fields: [.host: host])
        }
        for _ in 0..<3 {
            #expect(throws: GatewayError.self) { try check.check(try head("localhost.evil.test")) }
            for host in ["localhost:80", "localhost:80", "127.0.0.1", "LOCALHOST"] {
                try check.check(head(host))
            }
        }
    }
}
