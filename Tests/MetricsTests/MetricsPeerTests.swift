import Foundation
import Metrics
import TestTools
import Testing

/// Reads what we write with the programs of others.
@Suite("Metrics in other programs", .timeLimit(.minutes(3)))
struct MetricsPeerTests {
    static let promtool = PeerProcess.find("promtool")

    private func text(_ format: MetricsFormat) -> [UInt8] {
        let table = MetricTable()
        let page = table.makePage()
        for path in ["/users/{name}", "/a\\b\"c\nd", "/größe", "_none"] {
            let route = table.name(.route, path)
            route.counter(Families.requests, ["GET", "200"], on: page).add(3)
            let times = route.histogram(Families.durations, on: page)
            for time in 0..<100 { times.observe(nanoseconds: Int64(time) * 33_000_000) }
        }
        table.name(.upstream, "diary").gauge(Families.open, on: page).set(4)
        table.name().shared(Families.lookups, ["success"]).add(2)
        for amount in [-1, 0.5, 1e300] {
            table.name().sharedHistogram(Families.amounts, ["book"]).observe(amount)
        }
        return table.text(format, [MetricReading(Families.memory, 1e-7)])
    }

    @Test(
        "promtool accepts the rules and alerts, fires each alert and keeps it silent",
        .enabled(if: promtool != nil, "promtool is not installed: make setup"))
    func alerts() throws {
        let promtool = try #require(Self.promtool)
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().appending(path: "../../docker/prometheus").standardized.path
        for arguments in [
            ["check", "rules", "\(folder)/rules.yaml", "\(folder)/alerts.yaml"],
            ["check", "config", "\(folder)/prometheus.yaml"],
            ["test", "rules", "\(folder)/tests.yaml"],
        ] {
            let (status, output) = try MetricsReader.run(promtool, arguments, input: [])
            #expect(status == 0, "\(output)")
        }
    }

    @Test(
        "Each query of the dashboard is one that Prometheus understands",
        .enabled(if: promtool != nil, "promtool is not installed: make setup"))
    func dashboard() throws {
        let promtool = try #require(Self.promtool)
        let file = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().appending(path: "../../docker/grafana/sluice.json").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        let queries = text.matches(of: /"expr": ("(?:[^"\\]|\\.)*")/).map { match in
            // A JSON string is a YAML string.
            String(match.output.1).replacing("$__rate_interval", with: "5m")
        }
        #expect(queries.count > 40)
        let rules = queries.enumerated().map {
            "      - {record: \"query\($0.offset)\", expr: \($0.element)}\n"
        }
        let folder = ScratchFolder()
        let path = folder.file("rules.yaml")
        let start = "groups:\n  - name: dashboard\n    rules:\n"
        try (start + rules.joined()).write(toFile: path, atomically: false, encoding: .utf8)
        let (status, output) = try MetricsReader.run(promtool, ["check", "rules", path], input: [])
        #expect(status == 0, "\(output)")
    }

    @Test(
        "promtool finds no fault in the text for Prometheus, and sees one if a line is cut",
        .enabled(if: promtool != nil, "promtool is not installed: make setup"))
    func promtoolChecks() throws {
        let promtool = try #require(Self.promtool)
        let text = text(.prometheus)
        let (status, output) = try MetricsReader.run(promtool, ["check", "metrics"], input: text)
        #expect(status == 0, "\(output)")
        #expect(output.isEmpty)
        #expect(try MetricsReader.run(promtool, ["check", "metrics"], input: text.dropLast(3)).0 != 0)
    }

    @Test(
        "prometheus-client reads OpenMetrics, and refuses it without its end",
        .enabled(if: MetricsReader.isInstalled, "\(MetricsReader.isMissing)"))
    func pythonReads() throws {
        let script = """
            families = {f.name: f for f in text_string_to_metric_families(text)}
            for name, family in sorted(families.items()):
                print(name, family.type, family.unit or "-", len(family.samples))
            print(sorted({s.labels["route"] for s in families["test_requests"].samples}))
            """
        let (status, output) = try MetricsReader.run(script, on: text(.openMetrics))
        #expect(status == 0)
        #expect(
            output == #"""
                test_connections gauge - 1
                test_duration_seconds histogram seconds 20
                test_lookups counter - 1
                test_memory_bytes gauge bytes 1
                test_order_amount histogram - 6
                test_requests counter - 4
                ['/a\\b"c\nd', '/größe', '/users/{name}', '_none']

                """#)
        #expect(try MetricsReader.run(script, on: Array(text(.openMetrics).dropLast(6))).status != 0)
    }
}
