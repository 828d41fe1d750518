import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import Synchronization
import Testing

/// Compiles and runs the recipes for what outlives a request.
@Suite("The recipes for shared values, jobs, start and stop", .timeLimit(.minutes(1)))
struct StateRecipesTests {
    enum CatalogAPI: TargetType {
        case product(Int)
        case reviews(Int)

        var baseURL: String { "http://catalog.internal" }

        var path: RequestPath {
            switch self {
            case .product(let id): "/products/\(id)"
            case .reviews(let id): "/products/\(id)/reviews"
            }
        }
    }

    func declareOffer(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")
        let offer: SharedValue<JSONFragment> = gateway.shared("offer", for: .seconds(60)) {
            catalog.rx.request(.product(7)).fragment()
        }
        let reviews: SharedValues<Int, JSONFragment> = gateway.shared(
            "reviews", by: Int.self, for: .seconds(60)
        ) { id in
            catalog.rx.request(.reviews(id)).fragment()
        }

        gateway.defaults(.forwardsAuthorization(to: "catalog"))
        gateway.get("/fast", .deadline(.milliseconds(100))) { _ in .parts(offer: offer) }
        gateway.get("/slow", .deadline(.seconds(5))) { _ in .parts(offer: offer) }
        gateway.get("/reviews/{id}") { request in
            let id = try request.path("id", as: Int.self)
            return .parts(reviews: reviews.single(for: id).fallback([]))
        }
    }

    @Test(
        "User B, who asks after user A, gets neither the deadline nor the credentials of user A",
        arguments: GatewayWorld.allCases)
    func twoUsers(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let catalog = upstreams["catalog"]
        catalog.on(.get, "/products/7").answer(.json(#"{"name":"Kettle"}"#).after(.milliseconds(400)))
        try await withGateway(world, upstreams: upstreams, declare: { declareOffer(on: $0) }) { client in
            async let fast = client.get("/fast", [.authorization: "Bearer a"])
            try await client.wait(.milliseconds(30))
            async let slow = client.get("/slow", [.authorization: "Bearer b"])
            #expect(try await fast.status == .gatewayTimeout)
            let response = try await slow
            #expect(response.status == .ok)
            #expect(try response.data() == #"{"offer":{"name":"Kettle"}}"#)
            // Both get the value that is kept.
            for path in ["/fast", "/slow"] {
                let kept = try await client.get(path, [.authorization: "Bearer a"])
                #expect(try kept.data() == #"{"offer":{"name":"Kettle"}}"#)
            }
        }
        #expect(catalog.requests.count == 1)
        for request in catalog.requests {
            #expect(!request.fields.contains(.authorization))
            #expect(!request.fields.contains(.xRequestID))
            #expect(!request.fields.contains(.traceParent))
        }
    }

    @Test("Values by key are loaded once for each key", arguments: GatewayWorld.allCases)
    func byKey(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let catalog = upstreams["catalog"]
        catalog.on(.get, "/products/{id}/reviews").answer { request in
            .json(#"["\#(request.parameters["id"] ?? "")"]"#)
        }
        try await withGateway(world, upstreams: upstreams, declare: { declareOffer(on: $0) }) { client in
            for id in [1, 2, 1, 2] {
                let response = try await client.get("/reviews/\(id)")
                #expect(try response.data() == #"{"reviews":["\#(id)"]}"#)
            }
        }
        #expect(catalog.requests.map { $0.path } == ["/products/1/reviews", "/products/2/reviews"])
    }

    final class Visits: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func add(_ page: String) -> Int {
            counts.withLock { counts in
                counts[page, default: 0] += 1
                return counts[page, default: 0]
            }
        }
    }

    actor Searches {
        private var last = "nothing"

        func replace(by word: String) -> String {
            defer { last = word }
            return last
        }
    }

    func declareVisits(on gateway: Gateway) {
        let visits = Visits()
        let searches = Searches()

        gateway.get("/visits/{page}") { request in
            .json(["visits": .init(visits.add(try request.path("page", as: String.self)))])
        }
        gateway.get("/searches/{word}") { request async throws -> Answer in
            let word = try request.path("word", as: String.self)
            return .json(["before": .init(await searches.replace(by: word))])
        }
    }

    @Test("A lock and an actor keep state between requests", arguments: GatewayWorld.allCases)
    func ownState(world: GatewayWorld) async throws {
        try await withGateway(world, declare: { declareVisits(on: $0) }) { client in
            let first = try await client.get("/visits/home").data()
            #expect(first == #"{"visits":1}"#)
            let second = try await client.get("/visits/home").data()
            #expect(second == #"{"visits":2}"#)
            let before = try await client.get("/searches/tea").data()
            #expect(before == #"{"before":"nothing"}"#)
            let then = try await client.get("/searches/pot").data()
            #expect(then == #"{"before":"tea"}"#)
        }
    }

    /// A database that refuses work unless it is open.
    actor Database {
        struct Closed: Error {}

        private(set) var events: [String] = []
        private var isOpen = false
        private var orders = 0

        init(path: String) {}

        func open() throws {
            isOpen = true
            events.append("opened")
        }

        func close() {
            isOpen = false
            events.append("closed")
        }

        func note(_ event: String) { events.append(event) }

        func tidy() throws {
            guard isOpen else { throw Closed() }
            events.append("tidied")
        }

        func add(_ item: String) throws -> Int {
            guard isOpen else { throw Closed() }
            orders += 1
            events.append("added \(item)")
            return orders
        }
    }

    func declareOrders(on gateway: Gateway, database: Database) {
        gateway.onStart { try await database.open() }
        gateway.every(.seconds(60), named: "tidying") { try await database.tidy() }
        gateway.onDrain { await database.note("the last orders come") }
        gateway.onStop { await database.close() }

        gateway.post("/orders/{item}") { request async throws -> Answer in
            let item = try request.path("item", as: String.self)
            return .json(["orders": .init(try await database.add(item))]).status(.created)
        }
    }

    @Test("A database is open from before the first request to after the last one, and tidied each minute")
    func virtualDatabase() async throws {
        let database = Database(path: "orders.db")
        try await withGateway(.virtualTime, declare: { declareOrders(on: $0, database: database) }) {
            client in
            let response = try await client.post("/orders/kettle", json: "{}")
            #expect(response.status == .created)
            try await client.wait(.seconds(61))
        }
        #expect(
            await database.events == ["opened", "added kettle", "tidied", "the last orders come", "closed"])
    }

    @Test("On sockets, a database is closed after the last request")
    func realDatabase() async throws {
        let database = Database(path: "orders.db")
        try await withGateway(.sockets, declare: { declareOrders(on: $0, database: database) }) { client in
            let response = try await client.post("/orders/kettle", json: "{}")
            #expect(response.status == .created)
        }
        #expect(await database.events == ["opened", "added kettle", "the last orders come", "closed"])
    }

    /// Not run: it would end the tests.
    func program() -> Never {
        let program = GatewayProgram(
            name: "shop", version: "1.4.0",
            flags: [
                ProgramFlag(name: "database", placeholder: "FILE", help: "the orders", fallback: "orders.db")
            ])
        GatewayServer.main(program) { gateway, arguments in
            declareOrders(on: gateway, database: Database(path: arguments.string("database") ?? "orders.db"))
        }
    }
}
