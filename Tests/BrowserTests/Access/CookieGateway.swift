import Foundation
import Networking
import TestSupport

/// A running `sluice serve` that knows its callers by a cookie, with pages of its own and of another site.
final class CookieGateway: Sendable {
    private let folder = ScratchFolder()
    private let upstream: ScriptedUpstream
    private let process: PeerProcess
    private let ownSite: HarnessSite
    private let otherSite: HarnessSite
    let origin: String
    /// A page whose origin the gateway lists.
    let ownPage: String
    /// A page of another site, which the gateway does not list. Browsers compare sites by host, whatever the
    /// port.
    let otherPage: String

    init() async throws {
        upstream = try ScriptedUpstream([
            .answer { request in
                let isKnown = !request.hasPrefix("GET /session ") || request.contains("session=kim")
                let body = request.hasPrefix("GET /session ") ? #"{"sub":"kim"}"# : #"{"secret":"of kim"}"#
                return "HTTP/1.1 \(isKnown ? "200 OK" : "401 Unauthorized")\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            }
        ])
        ownSite = try HarnessSite(["/": HarnessSite.html("Own")])
        otherSite = try HarnessSite(["/": HarnessSite.html("Other")])
        ownPage = ownSite.origin
        otherPage = otherSite.origin.replacingOccurrences(of: "127.0.0.1", with: "localhost")
        let file = """
            version: 1
            cors: {origins: ["\(ownPage)"], credentials: true}
            upstreams: {api: {url: "http://127.0.0.1:\(upstream.port)"}}
            auth:
              web: {authorize: {upstream: api, get: /session, forward: [Cookie]}}
            rateLimits:
              few: {key: endpoint, rate: 2/1m}
            endpoints:
            - {get: /me, require: web, data: {upstream: api, get: /me}}
            - {post: /orders, require: web, data: {upstream: api, post: /orders}}
            - {post: /hooks, require: web, csrf: off, data: {upstream: api, post: /hooks}}
            - {get: /news, require: none, rateLimits: few, data: {value: []}}

            """
        try file.write(toFile: folder.file("sluice.yaml"), atomically: true, encoding: .utf8)
        let process = try PeerProcess(
            Demo.program,
            [
                "serve", "--config", folder.file("sluice.yaml"), "--port", "0", "--drain-delay", "0",
                "--admin",
                "off",
            ], in: folder)
        self.process = process
        origin = try await answer("the gateway logs its address") {
            process.log.firstMatch(of: /sluice listening on (http:\/\/\S+)/).map { String($0.1) }
        }
    }

    /// The paths of writes that have reached the upstream.
    var writes: [String] {
        upstream.requests.filter { $0.hasPrefix("POST ") }
            .map { String($0.split(separator: " ").dropFirst().first ?? "") }
    }

    /// What the gateway has logged.
    var log: String { process.log }

    func stop() {
        kill(process.processID, SIGTERM)
        process.stop()
        upstream.stop()
        ownSite.stop()
        otherSite.stop()
    }
}
