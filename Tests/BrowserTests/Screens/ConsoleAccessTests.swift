import Foundation
import Glibc
import HTTPModel
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

extension InThirdBrowser {
    @Suite("Who may call, in the console", .timeLimit(.minutes(3)))
    struct ConsoleAccessTests {
        @Test("The console counts refused callers, pages of other sites, limits and checks without a store")
        func access() async throws {
            let gateway = try await GuardedGateway()
            defer { gateway.stop() }
            try await withPage(Look()) { page async throws in
                try await page.open(gateway.admin + "/")
                try await page["#state"].says("live")
                try await page["#refused"].says("No request refused since the start.")
                for _ in 0..<2 { try await gateway.ask("/partners", ["X-API-Key": "wrong"]) }
                try await gateway.ask("/orders", ["Origin": "https://evil.example", "Cookie": "a=1"], .post)
                for _ in 0..<4 { try await gateway.ask("/few") }
                for _ in 0..<5 { try await gateway.ask("/shared") }
                // A request without a credential may be served elsewhere, so it is not among them.
                try await gateway.ask("/partners")
                for text in [
                    "Requests refused since the start: ", "2 for callers of partners (invalid)",
                    "1 for pages of other sites", "3 for the rate limit few",
                    "Rate limit checks that a store did not answer: 5 for the store main (unreachable).",
                ] {
                    try await page["#refused"].says(text, within: .seconds(20))
                }
                let text = try await page.run(
                    "return document.querySelector('#refused').textContent", as: String.self)
                #expect(!text.contains("none") && !text.contains("shared"), "\(text)")
                expectNone(try await page.consoleComplaints(expectedStatuses: []))
            }
        }
    }
}

/// A running `sluice serve` that refuses strangers, pages of other sites and crowds, and whose store is away.
private final class GuardedGateway: Sendable {
    private let folder = ScratchFolder()
    private let process: PeerProcess
    private let session: Session
    private let origin: String
    /// The origin of the admin listener.
    let admin: String

    init() async throws {
        let keys = folder.file("partners.keys")
        try "shop \(String(repeating: "ab", count: 32))\n".write(
            toFile: keys, atomically: true, encoding: .utf8)
        let file = """
            version: 1
            upstreams: {api: {url: "http://127.0.0.1:1"}}
            stores: {main: {redis: "unix:\(folder.file("nobody.socket"))"}}
            auth:
              partners: {apiKeys: {file: "\(keys)"}}
              web: {authorize: {upstream: api, get: /session, forward: [Cookie]}}
            rateLimits:
              few: {key: endpoint, rate: 1/1h}
              shared: {key: endpoint, rate: 100/1h, store: main}
            endpoints:
            - {get: /partners, require: partners, data: {value: []}}
            - {post: /orders, require: web, data: {value: []}}
            - {get: /few, require: none, rateLimits: few, data: {value: []}}
            - {get: /shared, require: none, rateLimits: shared, data: {value: []}}

            """
        try file.write(toFile: folder.file("sluice.yaml"), atomically: true, encoding: .utf8)
        let process = try PeerProcess(
            Demo.program,
            [
                "serve", "--config", folder.file("sluice.yaml"), "--port", "0", "--drain-delay", "0",
                "--admin", "127.0.0.1:0",
            ], in: folder)
        self.process = process
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        session = try Session(configuration)
        origin = try await answer("the gateway logs its address") {
            process.log.firstMatch(of: /sluice listening on (http:\/\/\S+)/).map { String($0.1) }
        }
        admin = try await answer("the gateway logs the address of its admin listener") {
            process.log.firstMatch(of: /admin listening.*?(127\.0\.0\.1:\d+)/).map { "http://\($0.1)" }
        }
    }

    func ask(
        _ path: String, _ fields: [HTTPFieldName: String] = [:], _ method: HTTPMethod = .get
    ) async throws {
        var request = HTTPRequest(url: origin + path, method: method)
        for (name, value) in fields { request.headers[name] = value }
        _ = try await session.request(request).validate(statusCode: Array(200..<600))
    }

    func stop() {
        session.close()
        kill(process.processID, SIGTERM)
        process.stop()
    }
}
