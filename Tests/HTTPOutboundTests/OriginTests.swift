import Testing

@testable import HTTPOutbound

@Suite("Origins")
struct OriginTests {
    @Test(
        "An origin with an invalid host is refused",
        arguments: ["", "a b", "user@host", "a,b", "host/path", "[::1", "::g", "host:80", "ho\0st"])
    func refused(host: String) {
        #expect(Origin(host: host, port: 80) == nil)
    }

    @Test("An origin with port 0 is refused")
    func portZero() {
        #expect(Origin(host: "localhost", port: 0) == nil)
    }

    @Test(
        "The authority includes the port unless it is the scheme's default",
        arguments: [
            ("localhost", 80, "localhost"), ("localhost", 8080, "localhost:8080"),
            ("127.0.0.1", 81, "127.0.0.1:81"),
            ("::1", 80, "[::1]"), ("[::1]", 8080, "[::1]:8080"),
        ] as [(String, UInt16, String)])
    func authority(host: String, port: UInt16, expected: String) {
        #expect(Origin(host: host, port: port)?.authority == expected)
    }

    @Test("Different spellings of an address make the same origin")
    func equality() {
        #expect(Origin(host: "::1", port: 80) == Origin(host: "[::1]"))
        #expect(Origin(host: "localhost", port: 81) != Origin(host: "localhost"))
    }

    @Test("A name with a final dot shares no connection with the name without, as it may resolve to others")
    func finalDot() throws {
        let absolute = try #require(Origin(host: "api.test.", port: 81))
        #expect(absolute != Origin(host: "api.test", port: 81))
        #expect(absolute.authority == "api.test.:81" && absolute.hostAndPort == "api.test.:81")
        #expect(absolute.resolvedName.map { $0.host } == "api.test.")
    }

    @Test("An origin with an invalid socket path or host is refused")
    func unixPath() {
        #expect(Origin(unixSocket: "") == nil)
        #expect(Origin(unixSocket: String(repeating: "a", count: 108)) == nil)
        #expect(Origin(unixSocket: "/run/api\0.sock") == nil)
        #expect(Origin(unixSocket: "/run/api.sock", host: "a b") == nil)
        #expect(Origin(unixSocket: "/run/api.sock")?.authority == "localhost")
    }
}
