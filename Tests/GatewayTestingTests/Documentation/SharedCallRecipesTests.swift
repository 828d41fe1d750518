import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

/// Compiles and runs the recipe for calls that serve several requests.
@Suite("The recipe for shared calls", .timeLimit(.minutes(1)))
struct SharedCallRecipesTests {
    enum CatalogAPI: TargetType {
        case product(Int)
        case stock(Int)

        var baseURL: String { "http://catalog.internal" }

        var path: RequestPath {
            switch self {
            case .product(let id): "/products/\(id)"
            case .stock(let id): "/products/\(id)/stock"
            }
        }
    }

    actor Products {
        private let catalog: Provider<CatalogAPI>
        private var tasks: [Int: Task<JSONFragment, any Error>] = [:]

        init(_ catalog: Provider<CatalogAPI>) { self.catalog = catalog }

        func product(_ id: Int) async throws -> JSONFragment {
            if let task = tasks[id] { return try await task.value }
            let task = CallContext.detached {
                Task { [catalog] in try await catalog.rx.request(.product(id)).fragment().value }
            }
            tasks[id] = task
            defer { tasks[id] = nil }
            return try await task.value
        }
    }

    func declareProducts(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")
        let products = Products(catalog)
        let stock = catalog.rx.request(.stock(7)).fragment().asObservable().share()

        gateway.get("/products/{id}", .forwardsAuthorization(to: "catalog")) {
            request async throws -> Answer in
            .fragment(try await products.product(request.path("id", as: Int.self)))
        }
        gateway.get("/stock") { _ in .parts(stock: stock) }
    }

    @Test(
        "Users who ask for a product at the same time share a call without their credentials",
        arguments: GatewayWorld.allCases)
    func severalRequests(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let catalog = upstreams["catalog"]
        catalog.on(.get, "/products/7").answer(.json(#"{"name":"Kettle"}"#).after(.milliseconds(400)))
        catalog.on(.get, "/products/7/stock").answer(.json("3").after(.milliseconds(400)))
        try await withGateway(world, upstreams: upstreams, declare: { declareProducts(on: $0) }) { client in
            async let kim = client.get("/products/7", [.authorization: "Bearer kim"])
            async let lee = client.get("/products/7", [.authorization: "Bearer lee"])
            async let kimStock = client.get("/stock", [.authorization: "Bearer kim"])
            async let leeStock = client.get("/stock", [.authorization: "Bearer lee"])
            for response in [try await kim, try await lee] {
                #expect(try response.data() == #"{"name":"Kettle"}"#)
            }
            for response in [try await kimStock, try await leeStock] {
                #expect(try response.data() == #"{"stock":3}"#)
            }
        }
        #expect(catalog.requests.map { $0.path }.sorted() == ["/products/7", "/products/7/stock"])
        for request in catalog.requests {
            #expect(!request.fields.contains(.authorization))
            #expect(!request.fields.contains(.xRequestID))
            #expect(!request.fields.contains(.traceParent))
        }
    }

    @Test("A user's own call goes with the credentials of the user", arguments: GatewayWorld.allCases)
    func ownCall(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["catalog"].on(.get, "/products/7").answer(json: "1")
        try await withGateway(
            world, upstreams: upstreams,
            declare: { gateway in
                let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")
                gateway.get("/own", .forwardsAuthorization(to: "catalog")) { _ async throws -> Answer in
                    async let child = catalog.rx.request(.product(7)).fragment().value
                    _ = try await catalog.rx.request(.product(7)).fragment().value
                    return .fragment(try await child)
                }
                gateway.get("/task", .forwardsAuthorization(to: "catalog")) { _ async throws -> Answer in
                    let task = Task { try await catalog.rx.request(.product(7)).fragment().value }
                    return .fragment(try await task.value)
                }
            }
        ) { client in
            let own = try await client.get("/own", [.authorization: "Bearer kim"])
            #expect(try own.data() == "1")
            let task = try await client.get("/task", [.authorization: "Bearer kim"])
            #expect(task.status == .internalServerError)
        }
        #expect(
            upstreams["catalog"].requests.map { $0.fields[.authorization] } == ["Bearer kim", "Bearer kim"])
    }
}
