import GatewayCore
import GatewayTesting
import HTTPModel
import Locking
import TestSupport
import Testing

@Suite("What is left of a gateway after its test", .timeLimit(.minutes(1)))
struct LifetimeTests {
    private final class Owned: Sendable {}

    /// Serves an endpoint that owns something, and returns a weak reference to it.
    private func serve(_ world: GatewayWorld) async throws -> () -> Owned? {
        let owned = Owned()
        try await withGateway(
            world,
            declare: { gateway in
                gateway.get("/page") { _ in .parts(alive: withExtendedLifetime(owned) { true }) }
            }
        ) { client in
            let response = try await client.get("/page")
            #expect(response.status == .ok)
        }
        return { [weak owned] in owned }
    }

    @Test(
        "Not the gateway either, although middleware, handlers and jobs refer to it",
        arguments: GatewayWorld.allCases)
    func freedGateway(world: GatewayWorld) async throws {
        let gateways = Gateways()
        try await withGateway(
            world,
            declare: { gateway in
                gateways.keep(gateway)
                gateway.before { _ in withExtendedLifetime(gateway) {} }
                gateway.group("/shop") { shop in
                    gateways.keep(shop)
                    shop.before { _ in withExtendedLifetime(shop) {} }
                    shop.get("/page") { _ in .parts(alive: withExtendedLifetime(shop) { true }) }
                }
                gateway.every(.seconds(60)) { withExtendedLifetime(gateway) {} }
            }
        ) { client in
            let response = try await client.get("/shop/page")
            #expect(response.status == .ok)
        }
        try spin(while: gateways.isAnyAlive) { "a gateway is alive" }
    }

    private final class Gateways: Sendable {
        private let areAlive = Lock<[@Sendable () -> Bool]>([])

        func keep(_ gateway: Gateway) {
            areAlive.withLock { $0.append({ [weak gateway] in gateway != nil }) }
        }

        var isAnyAlive: Bool { areAlive.withLock { $0 }.contains { $0() } }
    }

    @Test("Nothing, in virtual time and on sockets", arguments: [GatewayWorld.virtualTime, .sockets])
    func freed(world: GatewayWorld) async throws {
        let owned = try await serve(world)
        try spin(while: owned() != nil) { "the endpoint is alive" }
    }
}
