import Sluice
import Synchronization

/// The services that the shop's gateway calls, in one program. It is a gateway without upstreams, whose
/// answers are bare.
@main
struct ShopUpstream {
    static func main() {
        var program = GatewayProgram(name: "shop-upstream", version: "1.0.0")
        program.configuration.port = 9001
        GatewayServer.main(program) { gateway, _ in
            gateway.defaults(.envelope(.bare))
            declareCatalog(on: gateway)
            declareAccounts(on: gateway)
        }
    }

    private static func declareCatalog(on gateway: Gateway) {
        gateway.get("/products/{id}") { request in
            switch try request.path("id", as: Int.self) {
            case 7: .json(["id": 7, "name": "Kettle", "price": 3900, "sellerId": 3, "warehouse": "B12"])
            case 8: .json(["id": 8, "name": "Teapot", "price": 2400, "sellerId": 4, "warehouse": "A01"])
            default: throw GatewayError.notFound("There is no such product")
            }
        }
        gateway.get("/products/{id}/reviews") { _ in .json([["stars": 5, "text": "Boils in two minutes"]]) }
        gateway.get("/stock/{id}") { _ in .json(["available": 4]) }
        gateway.get("/sellers/{id}") { request in
            let id = try request.path("id", as: Int.self)
            guard id == 3 else { throw GatewayError.notFound("There is no such seller") }
            return .json(["id": 3, "name": "Kim's Kitchen"])
        }
    }

    private static func declareAccounts(on gateway: Gateway) {
        let items = Mutex<[Item]>([])
        gateway.get("/session") { request in
            guard request.header(.authorization) == "Bearer kim" else {
                throw GatewayError.unauthorized("The token is missing or unknown")
            }
            return .json(["user": "kim"])
        }
        gateway.get("/carts/{user}") { _ in .json(items.withLock { $0 }) }
        gateway.post("/carts/{user}/items") { request in
            let item = try request.json(as: Item.self)
            items.withLock { items in
                // A demo keeps the last hundred.
                items = items.suffix(99) + [item]
            }
            return .json(item).status(.created)
        }
    }
}

struct Item: Codable, Sendable {
    var product: Int
    var count: Int
}
