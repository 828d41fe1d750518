import GatewayCore
import Glibc
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Incidents")
struct IncidentTests {
    private struct ComputedAPI: TargetType {
        var baseURL: String { "http://me:secret@nowhere" }
        var path: RequestPath { "/" }
    }

    @Test(
        "An invalid base URL at run time is logged as an error with the upstream and the URL, without its password"
    )
    func invalidBaseURL() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            _ = try withLoggedGateway(
                configure: { _ in },
                declare: { gateway in
                    let computed = gateway.provider(ComputedAPI.self, upstream: "computed")
                    gateway.get("/page") { _ in .parts(a: computed.rx.request(ComputedAPI()).fragment()) }
                },
                { server in
                    let client = try RawClient(port: server.port)
                    client.send("GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                    guard try client.reply().status == 500 else { exit(1) }
                })
        }
        let log = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let line = try #require(log.split(separator: "\n").first { $0.contains("endpoint failed") })
        #expect(line.contains(#""level":"error""#))
        #expect(
            line.contains(
                "the address of upstream computed, 'http://me:***@nowhere', is invalid: "
                    + "a URL has no user name or password before its host"))
        #expect(!log.contains("secret"))
    }
}
