import GatewayCore
import GatewayTesting
import HTTPModel
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

    @Test("Nothing, in virtual time and on sockets", arguments: [GatewayWorld.virtualTime, .sockets])
    func freed(world: GatewayWorld) async throws {
        let owned = try await serve(world)
        try spin(while: owned() != nil) { "the endpoint is alive" }
    }
}
