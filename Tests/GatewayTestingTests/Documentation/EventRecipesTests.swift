import Dispatch
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

/// Compiles and runs the recipes for events and lines.
@Suite("The recipes for events and lines", .timeLimit(.minutes(1)))
struct EventRecipesTests {
    enum CatalogAPI: TargetType {
        case stock(Int)

        var baseURL: String { "http://catalog.internal" }

        var path: RequestPath {
            switch self {
            case .stock(let id): "/products/\(id)/stock"
            }
        }
    }

    func declareStockEvents(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/products/{id}/stock/events") { request in
            let id = try request.path("id", as: Int.self)
            let stock = Observable<Int>.timer(.seconds(0), period: .seconds(20))
                .concatMap { _ in catalog.rx.request(.stock(id)).fragment() }
                .distinctUntilChanged()
            return .events(stock)
        }
    }

    @Test("An upstream is polled beyond the deadline, and the client gets what has changed")
    func stock() async throws {
        let upstreams = StubUpstreams()
        let stock = upstreams["catalog"].on(.get, "/products/7/stock")
            .answers(.json(#"{"left":3}"#), .json(#"{"left":3}"#), .json(#"{"left":2}"#))
        upstreams["catalog"].on(.get, "/products/8/stock").answer(.status(.notFound))
        try await withGateway(
            .virtualTime, upstreams: upstreams, declare: { declareStockEvents(on: $0) }
        ) { client in
            let missing = try await client.get("/products/8/stock/events")
            #expect(missing.status == .notFound)

            let response = try await client.stream(.get, "/products/7/stock/events")
            #expect(response.fields[.contentType] == "text/event-stream")
            var text = ""
            for try await piece in response.pieces {
                text += String(decoding: piece, as: UTF8.self)
                if text.contains(#"{"left":2}"#) { break }
            }
            let expected = """
                data: {"left":3}

                :

                :

                data: {"left":2}

                """
            #expect(text == expected + "\n")
            response.leave()
        }
        #expect(stock.requests.count == 3)
    }

    func declareLaunch(on gateway: Gateway) {
        gateway.get("/launch/events") { request in
            let last = request.header("Last-Event-ID").flatMap { Int($0) } ?? 4
            guard last > 1 else { return .status(.noContent) }
            let events = Observable<Int>.interval(.seconds(1)).take(last - 1).map { passed in
                ServerSentEvent("\(last - 1 - passed) left", event: "tick", id: "\(last - 1 - passed)")
            }
            return .events(events)
        }
    }

    @Test("A client that connects again goes on after its last event, and ends after the last of all")
    func launch() async throws {
        try await withGateway(.virtualTime, declare: { declareLaunch(on: $0) }) { client in
            let response = try await client.get("/launch/events", ["Last-Event-ID": "3"])
            let expected = """
                event: tick
                id: 2
                data: 2 left

                event: tick
                id: 1
                data: 1 left

                """
            #expect(response.text == expected + "\n")
            #expect(response.elapsed == .seconds(2))
            let whole = try await client.get("/launch/events")
            #expect(whole.elapsed == .seconds(3))
            let last = try await client.get("/launch/events", ["Last-Event-ID": "1"])
            #expect(last.status == .noContent)
        }
    }

    enum MarketAPI: TargetType {
        case prices(after: String?)

        var baseURL: String { "http://market.internal" }
        var path: RequestPath { "/prices" }

        var headers: HTTPFields {
            switch self {
            case .prices(after: let id?): ["Last-Event-ID": id]
            case .prices(after: nil): [:]
            }
        }
    }

    func declarePrices(on gateway: Gateway) {
        let market = gateway.provider(MarketAPI.self, upstream: "market")

        gateway.get("/prices/events") { request in
            .events(market.rx.events(.prices(after: request.header("Last-Event-ID"))))
        }
        gateway.get("/prices.ndjson") { _ in
            .lines(market.rx.events(.prices(after: nil)).map { event in try event.fragment() })
        }
    }

    @Test(
        "Events of an upstream pass through, and it is asked for the rest with the last id",
        arguments: GatewayWorld.allCases)
    func prices(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let feed = HTTPResponse(
            status: .ok, fields: [.contentType: "text/event-stream"],
            body: [ArraySlice("retry: 50\nid: 8\ndata: {\"GBP\":0.84}\n\n".utf8)])
        let prices = upstreams["market"].on(.get, "/prices")
            .answers(.response(feed), .status(.noContent), .response(feed), .status(.noContent))
        try await withGateway(world, upstreams: upstreams, declare: { declarePrices(on: $0) }) { client in
            let events = try await client.get("/prices/events", ["Last-Event-ID": "7"])
            let expected = """
                id: 8
                data: {"GBP":0.84}

                """
            #expect(events.text == expected + "\n")
            let lines = try await client.get("/prices.ndjson")
            let expectedLines = """
                {"GBP":0.84}

                """
            #expect(lines.text == expectedLines)
        }
        #expect(prices.requests.map { $0.fields["Last-Event-ID"] } == ["7", "8", nil, "8"])
    }
}
