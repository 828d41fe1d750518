import GatewayCore
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Settings of the log and of clients over a reload", .timeLimit(.minutes(1)))
struct ReloadedRequestSettingsTests {
    /// What became of a request.
    struct Seen {
        let line: String
        let reply: RawClient.Reply
        /// What the upstream got.
        let call: String

        func logged(_ pointer: JSONPointer) -> String? {
            (try? JSONFragment(parsing: line))?.value(at: pointer)?.description
        }

        func forwarded(_ field: String) -> String? {
            call.split(separator: "\r\n").first { $0.hasPrefix(field + ": ") }
                .map { String($0.dropFirst(field.count + 2)) }
        }
    }

    /// A setting in two versions of a file, and what it changes of a request.
    struct Change: Sendable, CustomTestStringConvertible {
        let key: String
        /// Lines of the file, of its upstream and of its endpoint.
        typealias Text = (file: String, upstream: String, endpoint: String)
        let before: Text
        let after: Text
        let look: @Sendable (Seen) -> String?
        let expected: [String?]

        var testDescription: String { key }
    }

    private static func file(
        _ key: String, _ before: String, _ after: String, _ expected: [String?],
        _ look: @escaping @Sendable (Seen) -> String?
    ) -> Change {
        Change(key: key, before: (before, "", ""), after: (after, "", ""), look: look, expected: expected)
    }

    private static let changes = [
        file("log.slow", "log: {slow: 1h}", "log: {slow: 5ms}", [nil, #""body""#]) {
            $0.logged("/slow/phase")
        },
        file(
            "log.fields", "log: {fields: [X-Tenant]}", "log: {fields: [X-Team]}",
            [
                #"{"X-Tenant":"a"}"#, #"{"X-Team":"b"}"#,
            ]
        ) { $0.logged("/fields") },
        file("log.format", "log: {format: json}", "log: {format: text}", ["JSON", "text"]) {
            $0.line.hasPrefix("{") ? "JSON" : $0.line.contains(" 200 GET /page ") ? "text" : nil
        },
        Change(
            key: "endpoints[].slow", before: ("", "", "  slow: 5ms\n"), after: ("", "", "  slow: 1h\n"),
            look: { $0.logged("/slow/phase") }, expected: [#""body""#, nil]),
        file("clients.forward", "", "clients: {forward: x-forwarded}", [nil, "127.0.0.1"]) {
            $0.forwarded("X-Forwarded-For")
        },
        file(
            "clients.requestId", "clients: {requestId: any}", "clients: {requestId: never}",
            [
                "mine-1", "another",
            ]
        ) {
            let id = $0.reply.value("X-Request-Id")
            return id == "mine-1" ? id : id.map { _ in "another" }
        },
        file(
            "clients.scheme", "clients: {forward: x-forwarded}",
            "clients: {forward: x-forwarded, scheme: https}", ["http", "https"]
        ) { $0.forwarded("X-Forwarded-Proto") },
        Change(
            key: "upstreams.NAME.forwardClient", before: ("", "", ""),
            after: ("", ", forwardClient: forwarded", ""),
            look: { $0.forwarded("Forwarded") }, expected: [nil, "for=127.0.0.1;proto=http;host=test"]),
    ]

    private static func text(_ text: Change.Text, _ port: UInt16) -> String {
        """
        version: 1
        \(text.file)
        upstreams: {shop: {url: "http://127.0.0.1:\(port)"\(text.upstream)}}
        endpoints:
        - get: /page
        \(text.endpoint)  parts: {product: {upstream: shop, get: /product}}

        """
    }

    @Test("A reload of a file changes them for the next request", arguments: changes)
    func reload(change: Change) throws {
        // Slow enough for a limit of 5 ms.
        let upstream = try ScriptedUpstream([.readRequest, .trickle(FileGateway.ok(), pauseMilliseconds: 2)])
        defer { upstream.stop() }
        var replies: [RawClient.Reply] = []
        let lines = try withLoggedFile(Self.text(change.before, upstream.port)) { gateway in
            let client = try RawClient(port: gateway.server.port)
            for text in [nil, change.after] {
                if let text { try gateway.reload(Self.text(text, upstream.port)) }
                replies.append(
                    try client.ask("/page", "X-Request-Id: mine-1", "X-Tenant: a", "X-Team: b"))
            }
        }.filter { $0.contains("/page") }
        try #require(lines.count == 2 && upstream.requests.count == 2, "\(lines)")
        let seen = (0..<2).map { Seen(line: lines[$0], reply: replies[$0], call: upstream.requests[$0]) }
        #expect(seen.map(change.look) == change.expected)
    }
}
