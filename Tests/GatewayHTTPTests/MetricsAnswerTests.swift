import GatewayCore
import JSONBytes
import Metrics
import Rx
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

@Suite("The answer of /metrics in a parser of OpenMetrics", .timeLimit(.minutes(1)))
struct MetricsAnswerTests {
    /// Label values that have to be escaped, or only look so.
    private static let kinds = ["a\\b", "a\"b", "a\nb", "a\\nb", "größe {}=,", ""]

    /// The answer of a gateway that has counted a success, a failure, a 404, and these labels.
    private func answer() throws -> [UInt8] {
        let upstream = try ScriptedUpstream([
            .answer { request in
                request.contains("/first")
                    ? "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
                    : "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
            }
        ])
        defer { upstream.stop() }
        var body: [UInt8] = []
        try withAdminGateway {
            $0.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            let orders = gateway.counter("orders_total", labels: ["kind"], help: "Orders \\ \"by\nkind\".")
            let amounts = gateway.histogram("order_amount_euros", labels: ["kind"], bounds: [10, 50.5])
            gateway.get("/page/{name}") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            gateway.get("/broken") { _ in .parts(second: parts.rx.request(.second).fragment()) }
            gateway.get("/order") { _ in
                for (index, kind) in Self.kinds.enumerated() {
                    orders.add(index + 1, kind)
                    for amount in [-1, 10, 1e300] { amounts.observe(amount, kind) }
                }
                return .json(1)
            }
        } _: { server, admin in
            let client = try RawClient(port: server.port)
            for (path, status) in [("/page/ann", 200), ("/broken", 502), ("/none", 404), ("/order", 200)] {
                #expect(client.get(path)?.status == status, "\(path)")
            }
            try spin(while: server.metrics.value(.httpRequests, ["/order", "GET", "200", "OK"]) != 1) {
                "the last request is not counted"
            }
            let reply = try admin.ask("GET /metrics", "Accept: application/openmetrics-text; version=1.0.0")
            #expect(
                reply.value("Content-Type") == "application/openmetrics-text; version=1.0.0; charset=utf-8")
            body = Array(reply.body)
        }
        return body
    }

    @Test(
        "A strict parser refuses it once it is damaged, and reads it with each escaped label and each bucket",
        .enabled(if: MetricsReader.isInstalled, "\(MetricsReader.isMissing)"))
    func read() throws {
        let body = try answer()
        let text = String(decoding: body, as: UTF8.self)
        let escaped = #"orders_total{kind="a\"b"} 2"#
        let last = #"orders_total{kind=""} 6"#
        #expect(text.contains("\n\(escaped)\n"))
        let parse = "list(text_string_to_metric_families(text))"
        for (damage, damaged) in [
            ("no end", text.replacing("# EOF\n", with: "")),
            ("more after the end", text + "a 1\n"),
            ("a quote", text.replacing(escaped, with: #"orders_total{kind="a"b"} 2"#)),
            (
                "a series again behind another one",
                text.replacing("\n\(last)\n", with: "\n\(last)\n\(escaped)\n")
            ),
            (
                "a count that differs from the buckets",
                text.replacing(
                    #"order_amount_euros_count{kind=""} 3"#, with: #"order_amount_euros_count{kind=""} 4"#)
            ),
        ] {
            #expect(damaged != text)
            #expect(try MetricsReader.run(parse, on: Array(damaged.utf8)).status != 0, "\(damage)")
        }
        let script = """
            families = {family.name: family for family in text_string_to_metric_families(text)}
            def samples(name):
                return {json.dumps([sample.name, *sample.labels.values()]): sample.value
                        for sample in families[name].samples}
            print(json.dumps({
                "types": {name: family.type for name, family in families.items()},
                "help": families["orders"].documentation,
                "orders": [[sample.labels["kind"], sample.value] for sample in families["orders"].samples],
                "amounts": [[sample.name, sample.labels.get("le"), sample.value]
                            for sample in families["order_amount_euros"].samples if sample.labels["kind"] == "a\\nb"],
                "requests": [[*sample.labels.values(), sample.value]
                             for sample in families["sluice_http_requests"].samples if sample.value],
                "times": [sample.value for sample in families["sluice_http_request_duration_seconds"].samples
                          if sample.name.endswith("_count") and sample.labels["route"] == "/page/{name}"],
            }))
            """
        let (status, output) = try MetricsReader.run(script, on: body)
        try #require(status == 0, "\(output)")
        let read = try JSONFragment(validating: Array(output.utf8)[...])
        #expect(read[member: "help"]?.stringValue == "Orders \\ \"by\nkind\".")
        let types = read[member: "types"]
        #expect(types?[member: "sluice_http_requests"]?.stringValue == "counter")
        #expect(types?[member: "sluice_http_request_duration_seconds"]?.stringValue == "histogram")
        #expect(types?[member: "sluice_connections"]?.stringValue == "gauge")
        let orders = read[member: "orders"]?.elements ?? []
        #expect(Set(orders.compactMap { $0[element: 0]?.stringValue }) == Set(Self.kinds))
        for (index, kind) in Self.kinds.enumerated() {
            let order = orders.first { $0[element: 0]?.stringValue == kind }
            #expect(order?[element: 1]?.doubleValue == Double(index + 1), "\(kind)")
        }
        let amounts = read[member: "amounts"]?.elements.map(\.description)
        #expect(
            amounts == [
                #"["order_amount_euros_bucket", "10.0", 2]"#,
                #"["order_amount_euros_bucket", "50.5", 2]"#,
                #"["order_amount_euros_bucket", "+Inf", 3]"#,
                #"["order_amount_euros_sum", null, 1e+300]"#,
                #"["order_amount_euros_count", null, 3]"#,
            ])
        let requests = read[member: "requests"]?.elements.map(\.description) ?? []
        #expect(requests.count == 4, "\(requests)")
        #expect(requests.contains(#"["/page/{name}", "GET", "200", "OK", 1]"#))
        #expect(requests.contains(#"["_none", "GET", "404", "NOT_FOUND", 1]"#))
        #expect(read[member: "times"]?[element: 0]?.doubleValue == 1)
    }
}
