import Foundation
import Testing

/// The rules and alerts for Prometheus, and the runbook.
@Suite("Alerts and their runbook")
struct AlertTests {
    private static let folder = "docker/prometheus/"
    private static let documents = "Sources/GatewayCore/GatewayCore.docc/"

    private func names(_ file: String, _ pattern: Regex<(Substring, Substring)>) throws -> [String] {
        try SourceTree.file(file).text.matches(of: pattern).map { String($0.output.1) }
    }

    private func alerts() throws -> [String] {
        try names(Self.folder + "alerts.yaml", /- alert: (\w+)/)
    }

    @Test(
        "Each alert has a heading in the runbook, to which its annotation points, and each heading an alert")
    func headings() throws {
        let alerts = try alerts()
        #expect(alerts.count >= 20)
        #expect(try names(Self.folder + "alerts.yaml", /runbook: (\w+)/) == alerts)
        #expect(try names(Self.documents + "Runbook.md", /### (Sluice\w+)\n/) == alerts)
    }

    @Test("For each alert there is a test that fires it, and one that keeps it silent")
    func tests() throws {
        let tests = try names(Self.folder + "tests.yaml", /- name: (\w+ (?:fires|is silent))\n/)
        #expect(try tests == alerts().flatMap { ["\($0) fires", "\($0) is silent"] })
    }

    @Test("The runbook has each reason of the reference once, and no other")
    func reasons() throws {
        let reference = try SourceTree.file(Self.documents + "Reference.md").text
        let table = try #require(reference.firstRange(of: "\n## Reasons\n")).upperBound
        let end = try #require(reference[table...].firstRange(of: "\n## ")).lowerBound
        let reasons = reference[table..<end].matches(of: /\n\| `(\w+)`/).map { String($0.output.1) }
        #expect(reasons.count >= 30)
        let runbook = try SourceTree.file(Self.documents + "Runbook.md").text
        let start = try #require(runbook.firstRange(of: "\n## Reasons\n")).upperBound
        let cells = runbook[start...].matches(of: /\n\|((?: `\w+`)+) \|/).map { $0.output.1 }
        let listed = cells.flatMap { $0.split(whereSeparator: { " `".contains($0) }).map(String.init) }
        #expect(listed.sorted() == reasons.sorted())
    }

    @Test("Each alert in the runbook has a meaning, a usual cause, places to look at and a remedy")
    func entries() throws {
        let runbook = try SourceTree.file(Self.documents + "Runbook.md").text
        let start = try #require(runbook.firstRange(of: "\n## Alerts\n")).upperBound
        let end = try #require(runbook.firstRange(of: "\n## Reasons\n")).lowerBound
        let entries = runbook[start..<end].split(separator: "\n### ")
        #expect(try entries.count == alerts().count)
        let form =
            /\w+\n\n\*[^*]+\*\n\n- \*\*Usual cause\*\*: [^*]+\n- \*\*Look at\*\* [^*]+\n- \*\*Remedy\*\*: [^*]+/
        for entry in entries { #expect(entry.wholeMatch(of: form) != nil, "\(entry)") }
    }

    @Test("Each row of reasons has a cause and a remedy, whose keys are in the reference of the file")
    func reasonRows() throws {
        let reference = try SourceTree.file(Self.documents + "FileReference.md").text
        let keys = Set(reference.matches(of: /\n\| `(\w+)` \|/).map { String($0.output.1) })
        #expect(keys.count > 100)
        let runbook = try SourceTree.file(Self.documents + "Runbook.md").text
        let start = try #require(runbook.firstRange(of: "\n## Reasons\n")).upperBound
        let rows = runbook[start...].split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count >= 13)
        var named: [String] = []
        for row in rows {
            let cells = row.matches(of: /\|([^|]+)/).map { $0.output.1 }
            #expect(cells.count == 3 && cells.allSatisfy { $0.contains(/\w/) }, "\(row)")
            // The log's `address` and the program curl are not keys.
            let text = cells.dropFirst().joined(separator: " ")
            let words = text.matches(of: /`([a-z][A-Za-z]*(?:\.[a-z]+)?)`/)
            named += words.map { String($0.output.1) }.filter { !["address", "curl"].contains($0) }
        }
        #expect(named.contains("limits.idle") && named.contains("upstreamBodies"))
        for name in named {
            #expect(name.split(separator: ".").allSatisfy { keys.contains(String($0)) }, "\(name)")
        }
    }

    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            struct Target: Decodable { let expr: String }

            let type: String
            let title: String
            let targets: [Target]?
        }

        let panels: [Panel]
    }

    @Test("The dashboard has rows for routes, parts, upstreams, callers, limits with loops, and changes")
    func dashboardRows() throws {
        let text = try SourceTree.file("docker/grafana/sluice.json").text
        let dashboard = try JSONDecoder().decode(Dashboard.self, from: Data(text.utf8))
        var rows: [(title: String, queries: String)] = []
        for panel in dashboard.panels {
            guard panel.type != "row" else {
                rows.append((panel.title, ""))
                continue
            }
            let last = try #require(rows.indices.last)
            rows[last].queries += (panel.targets ?? []).map(\.expr).joined(separator: "\n") + "\n"
        }
        // Rate, errors and duration; use, saturation and errors; what has changed.
        let expected = [
            (
                "Routes: rate, errors, duration",
                [
                    "sum by (route) (rate(sluice_http_requests_total{", "status!~\"5..\"",
                    "sluice_http_request_duration_seconds_bucket",
                ]
            ),
            (
                "Parts: rate, errors, duration",
                [
                    "sum by (route, part) (rate(sluice_parts_total{", "reason!=\"\"",
                    "sluice_part_duration_seconds_bucket",
                ]
            ),
            (
                "Upstreams: use, waiting, errors",
                [
                    "sluice_upstream_connections{", "sluice_upstream_pool_wait_seconds_bucket",
                    "sluice_upstream_waiting_calls", "sluice_upstream_attempts_total",
                ]
            ),
            (
                "Callers, rate limits, stores",
                [
                    "sum by (entry, result) (rate(sluice_auth_total{",
                    "sum by (limit, result) (rate(sluice_rate_limit_total{",
                    "sum by (store, reason) (rate(sluice_store_errors_total{",
                ]
            ),
            (
                "Limits, loops, clients",
                [
                    "sluice_limit_used_ratio", "sluice_http_refused_total", "sluice_loop_busy_seconds_total",
                    "sluice_loop_wake_duration_seconds_bucket",
                ]
            ),
            (
                "Changes",
                [
                    "sluice_config_reloads_total", "sluice_upstream_circuit_state",
                    "sluice_upstream_ejections_total",
                ]
            ),
        ]
        #expect(rows.map { $0.title } == expected.map { $0.0 })
        for (row, (title, parts)) in zip(rows, expected) {
            for part in parts { #expect(row.queries.contains(part), "\(title): \(part)") }
        }
    }

    @Test("Alerts about callers ask for results that the gateway counts")
    func results() throws {
        let path = "Sources/GatewayCore/Access/Engine/AccessNote.swift"
        let note = try SourceTree.file(path).text
        let known = Set(note.matches(of: /\n        case (\w+)\n/).map { String($0.output.1) })
        #expect(known.isSuperset(of: ["ok", "none", "limited"]))
        let alerts = try SourceTree.file(Self.folder + "alerts.yaml").text
        let asked = alerts.matches(of: /sluice_auth_total\{[^}]*result=~?"([\w|]+)"/).flatMap {
            $0.output.1.split(separator: "|").map(String.init)
        }
        #expect(asked.count >= 4)
        for result in asked { #expect(known.contains(result), "\(result)") }
    }

    @Test("Rules, alerts, the dashboard and the runbook name metrics and labels that the gateway has")
    func metrics() throws {
        let families = try SourceTree.sources.filter { $0.path.hasPrefix("Sources/Metrics/Families/") }
        let declaration = /"(sluice_[a-z_]+)",(.*?)help:/.dotMatchesNewlines()
        let matches = families.flatMap { $0.text.matches(of: declaration) }
        var declared = Dictionary(
            matches.map { (String($0.output.1), String($0.output.2)) },
            uniquingKeysWith: { first, _ in first })
        // Some have the name of another one, and other labels.
        let named = /let (\w+) = MetricFamily\(\s*"(sluice_[a-z_]+)"/
        let names = Dictionary(
            uniqueKeysWithValues: families.flatMap { $0.text.matches(of: named) }.map {
                ($0.output.1, $0.output.2)
            })
        let second = /MetricFamily\(\s*(\w+)\.name,(.*?)help:/.dotMatchesNewlines()
        for match in families.flatMap({ $0.text.matches(of: second) }) {
            declared[String(try #require(names[match.output.1])), default: ""] += match.output.2
        }
        #expect(declared.count > 30)
        let files = ["rules.yaml", "alerts.yaml", "tests.yaml"].map { Self.folder + $0 }
        for path in files + [Self.documents + "Runbook.md", "docker/grafana/sluice.json"] {
            // Quotes are escaped in JSON.
            let text = try SourceTree.file(path).text.replacing("\\\"", with: "\"")
            for use in text.matches(of: /(sluice_[a-z_0-9]+)(?:\{([^}]*)\})?/) {
                let name = String(use.output.1)
                let histogram = name.replacing(/_(bucket|count|sum)$/, with: "")
                let family = declared[name] ?? declared[histogram]
                #expect(family != nil, "\(path): \(name)")
                let labels = use.output.2?.matches(of: /(\w+)(?:=~|!~|!=|=)"/).map { String($0.output.1) }
                for label in labels ?? [] where !["job", "instance", "le"].contains(label) {
                    #expect(Self.hasLabel(label, family ?? ""), "\(path): \(name) has no label \(label)")
                }
            }
        }
    }

    /// Whether the text between a family's name and its help declares a label, by itself or by its scope.
    private static func hasLabel(_ label: String, _ declaration: String) -> Bool {
        let scopes = [
            "of: .route": ["route"], "of: .part": ["route", "part"], "of: .upstream": ["upstream"],
            "of: .entry": ["entry"], "of: .limit": ["limit"], "of: .store": ["store"],
        ]
        return declaration.contains("\"\(label)\"")
            || scopes.contains { declaration.contains($0.key) && $0.value.contains(label) }
    }
}
