import GatewayCore
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Compiles and runs the recipe about the budget of retries.
@Suite("The recipe for a budget of retries", .timeLimit(.minutes(1)))
struct RetryBudgetRecipeTests {
    @Test("Without a budget for retries, a call has one attempt, and the answer says why")
    func budget() throws {
        _ = try withLoggedGateway { configuration in
            configuration.retryBudget = RetryBudget(floor: 0, percentage: 10)
        } declare: { gateway in
            // Nobody listens on its port.
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server in
            let text = try RawClient(port: server.port).ask("/page").text
            #expect(text.contains(#""attempts":1,"notRetried":"budget""#), "\(text)")
        }
    }
}
