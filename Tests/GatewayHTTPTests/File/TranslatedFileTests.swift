import Foundation
import GatewayConfig
import GatewayTesting
import HTTPModel
import Testing

@testable import GatewayHTTP

/// Runs the file of the article "Coming from KrakenD" with the responses that its table shows.
@Suite("The translation of a KrakenD configuration")
struct TranslatedFileTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardized.path

    private static func article() throws -> String {
        try String(
            contentsOfFile: "\(root)/Sources/GatewayCore/GatewayCore.docc/ComingFromKrakenD.md",
            encoding: .utf8)
    }

    private static func file() throws -> GatewayFile {
        try GatewayFile("\(root)/docker/examples/trip.yaml", from: SystemConfigSource { _ in nil })
    }

    /// The target and the response of each call in the article's table.
    private static func responses() throws -> [(target: String, response: String)] {
        try article().matches(of: /\| `GET ([^`]+)` \| `([^`]+)` \|/).map { (String($0.1), String($0.2)) }
    }

    /// Answers the calls of the table, except those that fail.
    private static func upstreams(failing: String? = nil) throws -> StubUpstreams {
        let upstreams = StubUpstreams()
        for (target, response) in try responses() {
            let parts = target.split(separator: "?").map(String.init)
            var query: [String: String] = [:]
            for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
                let sides = pair.split(separator: "=").map(String.init)
                query[sides[0]] = sides[1]
            }
            let upstream = upstreams[parts[0].hasPrefix("/users/") ? "users" : "hotels"]
            let stub = upstream.on(.get, parts[0], query: query)
            if parts[0] == failing {
                _ = stub.answer(.status(.notFound))
            } else {
                _ = stub.answer(.json(response))
            }
        }
        return upstreams
    }

    @Test("The file answers with the body that the article shows")
    func body() async throws {
        let body = try #require(ArticleBlock.blocks(Self.article()).first { $0.kind.isEmpty }?.lines.first)
        #expect(try Self.responses().count == 3)
        let file = try Self.file()
        try await withGateway(
            .virtualTime, upstreams: Self.upstreams(), declare: { try file.declare(on: $0) }
        ) { client in
            let response = try await client.get("/v1/trip/7?currency=KRW")
            #expect(response.status == .ok)
            #expect(response.text == body)
            #expect(response.fields["X-Krakend-Completed"] == "true")
        }
    }

    @Test("A hotel that fails is null, and the answer says that it is not complete")
    func partial() async throws {
        let file = try Self.file()
        try await withGateway(
            .virtualTime, upstreams: Self.upstreams(failing: "/hotels/12"),
            declare: { try file.declare(on: $0) }
        ) { client in
            let response = try await client.get("/v1/trip/7?currency=KRW")
            #expect(response.status == .ok)
            #expect(try response.json[member: "hotel"]?.isNull == true)
            #expect(try response.json[member: "offers"]?.isNull == false)
            #expect(response.fields["X-Krakend-Completed"] == "false")
            #expect(response.fields["Proxy-Status"]?.contains("hotel") == true)
        }
    }

    @Test("A guest that fails is the failure of the answer")
    func failure() async throws {
        let file = try Self.file()
        try await withGateway(
            .virtualTime, upstreams: Self.upstreams(failing: "/users/7"),
            declare: { try file.declare(on: $0) }
        ) { client in
            let response = try await client.get("/v1/trip/7?currency=KRW")
            #expect(response.status == .notFound)
            #expect(response.fields["X-Krakend-Completed"] == "false")
        }
    }
}
