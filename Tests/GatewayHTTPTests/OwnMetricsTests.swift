import GatewayCore
import JSONBytes
import Metrics
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Metrics of a gateway's own code", .timeLimit(.minutes(1)))
struct OwnMetricsTests {
    private func faults(_ declare: (Gateway) -> Void) -> [String] {
        do {
            _ = try withLoggedGateway(configure: { _ in }, declare: declare) { _ in }
            return []
        } catch let error as GatewayDeclarationError {
            return error.faults
        } catch {
            return ["\(error)"]
        }
    }

    @Test("Invalid names, labels and bounds are declaration faults, all of them at once")
    func invalid() {
        let found = faults { gateway in
            _ = gateway.counter("orders")
            _ = gateway.counter("sluice_orders_total")
            _ = gateway.counter("1_total")
            _ = gateway.counter("größe_total")
            _ = gateway.counter("a_total", labels: ["le", "b", "b", "__c", ""])
            _ = gateway.histogram("none", bounds: [])
            _ = gateway.histogram("falling", bounds: [2, 1])
            _ = gateway.histogram("endless", bounds: [1, .infinity])
            _ = gateway.counter("twice_total")
            _ = gateway.counter("twice_total", labels: ["kind"])
        }
        let name = "must be a name of letters, digits and _ that does not begin with sluice_ or process_"
        #expect(
            found == [
                "the counter 'orders' must end with _total",
                "the metric 'sluice_orders_total' \(name)", "the metric '1_total' \(name)",
                "the metric 'größe_total' \(name)",
                "the metric a_total cannot have the label 'le'",
                "the metric a_total cannot have the label '__c'",
                "the metric a_total cannot have the label ''", "the metric a_total has a label twice",
                "the histogram 'none' needs 1 to 20 rising bounds",
                "the histogram 'falling' needs 1 to 20 rising bounds",
                "the histogram 'endless' needs 1 to 20 rising bounds",
                "the metric twice_total is declared with another kind or other labels, too",
            ])
    }

    @Test("Handlers count by label on any loop, the 257th series and later ones as _other")
    func counts() throws {
        _ = try withLoggedGateway { configuration in
            configuration.loops = 2
        } declare: { gateway in
            let orders = gateway.counter("orders_total", labels: ["kind", "place"], help: "Orders.")
            let amounts = gateway.histogram("order_amount_euros", bounds: [10, 50], help: "Amounts.")
            gateway.get("/orders/{kind}") { request in
                let kind = try request.path("kind", as: String.self)
                orders.add(2, kind)
                orders.add(-5, kind)
                amounts.observe(12.5)
                amounts.observe(.nan)
                return .parts(kind: JSONFragment(string: kind))
            }
        } _: { server in
            let client = try RawClient(port: server.port)
            for number in 0..<300 { #expect(client.get("/orders/k\(number)")?.status == 200) }
            let text = String(decoding: server.metrics.text(.prometheus), as: UTF8.self)
            let lines = Set(text.split(separator: "\n"))
            #expect(lines.contains("# HELP orders_total Orders."))
            #expect(lines.contains(#"orders_total{kind="k0",place=""} 2"#))
            #expect(lines.contains(#"orders_total{kind="k255",place=""} 2"#))
            #expect(lines.contains(#"orders_total{kind="_other",place="_other"} 88"#))
            #expect(lines.contains(#"order_amount_euros_bucket{le="10.0"} 0"#))
            #expect(lines.contains(#"order_amount_euros_bucket{le="50.0"} 300"#))
            #expect(lines.contains("order_amount_euros_sum 3750"))
        }
    }
}
