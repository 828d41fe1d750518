import GatewayConfig
import GatewayCore
import Glibc
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Which requests are logged, and how their lines look", .timeLimit(.minutes(1)))
struct AccessSelectionTests {
    private func logged(
        _ log: String, upstream port: UInt16, _ body: (FileGateway) throws -> Void
    ) throws -> [String] {
        try withLoggedFile(Self.text(log, port), body)
    }

    private static func text(_ log: String, _ port: UInt16) -> String {
        """
        version: 1
        log: {level: error, \(log)}
        upstreams: {shop: {url: "http://127.0.0.1:\(port)"}}
        endpoints:
        - get: /page
          parts:
            product: {upstream: shop, get: /product, attempts: 1}
        """
    }

    private static func upstream(_ responses: [String]) throws -> ScriptedUpstream {
        try ScriptedUpstream(responses.flatMap { [.readRequest, .send($0)] })
    }

    private static let failed = "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"

    private static func get(_ target: String, from gateway: FileGateway, expecting status: Int) throws {
        #expect(try gateway.get(target).status == status)
    }

    @Test("Of a sample, every Nth success has a line, which says so, and every failure has one")
    func sample() throws {
        let responses = [FileGateway.ok(), Self.failed] + Array(repeating: FileGateway.ok(), count: 6)
        let upstream = try Self.upstream(responses)
        defer { upstream.stop() }
        let lines = try logged("access: 1/3", upstream: upstream.port) { gateway in
            for response in responses {
                try Self.get("/page", from: gateway, expecting: (response == Self.failed ? 502 : 200))
            }
        }.map { try JSONFragment(validating: Array($0.utf8)[...]) }
        #expect(lines.map { $0[member: "status"]?.intValue } == [502, 200, 200])
        #expect(lines.map { $0[member: "sample"]?.intValue } == [nil, 3, 3])
    }

    @Test("With `failures`, successes and a client's own mistakes have no line")
    func failures() throws {
        let upstream = try Self.upstream([FileGateway.ok(), Self.failed])
        defer { upstream.stop() }
        let lines = try logged("access: failures", upstream: upstream.port) { gateway in
            try Self.get("/page", from: gateway, expecting: 200)
            try Self.get("/none", from: gateway, expecting: 404)
            try Self.get("/page", from: gateway, expecting: 502)
        }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(#""status":502"#) == true)
    }

    @Test("A health check that succeeds has no line; one that fails, and other paths below /health, have one")
    func health() throws {
        let lines = try logged("access: on", upstream: 1) { gateway in
            try Self.get("/health/live", from: gateway, expecting: 200)
            try Self.get("/health/ready?x=1", from: gateway, expecting: 200)
            try Self.get("/health/other", from: gateway, expecting: 404)
            let client = try RawClient(port: gateway.server.port)
            defer { client.close() }
            _ = client.send("POST /health/live HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 405)
        }.map { try JSONFragment(validating: Array($0.utf8)[...]) }
        #expect(lines.map { $0[member: "status"]?.intValue } == [404, 405])
    }

    @Test("A line of text ends with what is unusual and the request's ID")
    func text() throws {
        let upstream = try Self.upstream([FileGateway.ok(), Self.failed])
        defer { upstream.stop() }
        let lines = try logged("format: text", upstream: upstream.port) { gateway in
            try Self.get("/page?secret=1", from: gateway, expecting: 200)
            try Self.get("/page", from: gateway, expecting: 502)
            try Self.get("/no\"page", from: gateway, expecting: 404)
        }
        try #require(lines.count == 3, "\(lines)")
        let time = #"\d\d:\d\d:\d\d\.\d{3}"#
        let (took, id) = (#"\d+(\.\d)?ms 0\.\dK"#, "  [a-z0-9]{15}")
        try expect(lines[0], "\(time) 200 GET /page \(took)\(id)")
        try expect(
            lines[1],
            "\(time) 502 GET /page \(took)  product: upstream_status, shop 127\\.0\\.0\\.1:\(upstream.port), 1 attempt\(id)"
        )
        try expect(lines[2], #"\#(time) 404 GET "/no\\"page" \#(took)\#(id)"#)
    }

    private func expect(_ line: String, _ pattern: String) throws {
        #expect(try Regex(pattern).wholeMatch(in: line) != nil, "\(line) is not \(pattern)")
    }

    @Test("A reload changes level, format and selection of both logs")
    func reload() throws {
        let upstream = try Self.upstream(Array(repeating: FileGateway.ok(), count: 4))
        defer { upstream.stop() }
        let lines = try logged("access: off", upstream: upstream.port) { gateway in
            try Self.get("/page", from: gateway, expecting: 200)
            try gateway.reload(Self.text("access: on", upstream.port))
            try Self.get("/page", from: gateway, expecting: 200)
            let debug = Self.text("access: off, format: text", upstream.port)
            try gateway.reload(debug.replacing("level: error", with: "level: debug"))
            try Self.get("/page", from: gateway, expecting: 200)
            try gateway.reload(Self.text("access: off", upstream.port))
            try Self.get("/page", from: gateway, expecting: 200)
        }.filter { !$0.contains("log level changed") }
        try #require(lines.count == 2, "\(lines)")
        #expect(lines[0].contains(#""path":"/page""#))
        #expect(lines[1].contains(" debug upstream connection reused  origin=http://127.0.0.1:"))
    }

    @Test("Text of strangers neither ends a line nor writes to the terminal")
    func quoting() {
        let quoted = LogText.quotedIfNeeded
        #expect(quoted("plain-text/1:2") == "plain-text/1:2")
        #expect(quoted("") == #""""#)
        #expect(quoted("two words") == #""two words""#)
        #expect(quoted("a\n\u{1b}[31m\"\\") == #""a\n\u001b[31m\"\\""#)
        #expect(quoted("\u{7f}\u{9b}\u{202e}\u{2028}é") == "\"\u{fffd}\u{fffd}\u{fffd}\u{fffd}é\"")
    }

    @Test("Text has colours on a terminal only")
    func colors() throws {
        let pipe = RawPipe()
        defer {
            close(pipe.reader)
            close(pipe.writer)
        }
        #expect(LogStyle(.auto, of: pipe.writer) == .json)
        #expect(LogStyle(.text, of: pipe.writer) == .text)
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(isatty(terminal) == 1)
        defer { close(terminal) }
        #expect(LogStyle(.auto, of: terminal) == (getenv("NO_COLOR") == nil ? .coloredText : .text))
        #expect(LogStyle(.json, of: terminal) == .json)
        #expect(LogStyle.coloredText.colored("error", .red) == "\u{1b}[31merror\u{1b}[0m")
        #expect(LogStyle.coloredText.colored("=", nil) == "=")
        #expect(LogStyle.text.colored("error", .red) == "error")
    }

    @Test(
        "The access log takes on, off, failures and 1/N",
        arguments: ["1/0", "1/01", "1/1000001", "2/3", "1/", "maybe", "", "On"])
    func notations(text: String) {
        #expect(AccessLogging(text) == nil)
        #expect(
            ["on", "off", "failures", "1/2"].map { AccessLogging($0)?.description } == [
                "on", "off", "failures", "1/2",
            ])
        #expect(AccessLogging("1/1") == .on)
    }
}
