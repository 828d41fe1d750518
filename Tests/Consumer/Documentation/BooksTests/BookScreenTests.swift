import GatewayTesting
import Sluice
import Testing

@testable import Books

private func declare(on gateway: Gateway) {
    declareEndpoints(on: gateway, keys: ["k1"])
}

@Suite("The screen of a book")
struct BookScreenTests {
    private let upstreams = StubUpstreams()
    private let key: HTTPFields = ["X-API-Key": "k1"]

    @Test("Without reviews, the answer is PARTIAL and has an empty list", arguments: GatewayWorld.allCases)
    func withoutReviews(world: GatewayWorld) async throws {
        upstreams["library"].on(.get, "/books/7").answer(json: ["title": "The Waves"])
        upstreams["library"].on(.get, "/reviews/7").answer(.status(.notFound))

        try await withGateway(world, upstreams: upstreams, declare: declare) { client in
            let response = try await client.get("/api/books/7", key)
            #expect(response.status == .ok)
            let envelope = try response.json
            #expect(envelope[member: "code"]?.stringValue == "PARTIAL")
            #expect(
                envelope[member: "data"]?.description
                    == #"{"book":{"title":"The Waves"},"reviews":[]}"#)
        }
    }

    @Test("Without a key, the request is refused and the library is not asked")
    func withoutKey() async throws {
        try await withGateway(upstreams: upstreams, declare: declare) { client in
            let response = try await client.get("/api/books/7")
            #expect(response.status == .unauthorized)
        }
        #expect(upstreams.requests.isEmpty)
    }

    @Test("A library that hangs is a 504 after three seconds")
    func hangs() async throws {
        upstreams["library"].onAny.answer(.hangs)

        try await withGateway(.virtualTime, upstreams: upstreams, declare: declare) { client in
            let response = try await client.get("/api/books/7", key)
            #expect(response.status == .gatewayTimeout)
            #expect(response.elapsed == .seconds(3))
        }
    }
}
