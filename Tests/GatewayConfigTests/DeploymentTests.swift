import EventIO
import Foundation
import GatewayCore
import HTTPInbound
import TestTools
import Testing

@testable import GatewayConfig

/// What a test cannot run is checked against its schema.
@Suite("Files for Kubernetes, Compose and systemd", .timeLimit(.minutes(2)))
struct DeploymentTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appending(path: "../../docker").standardized

    private static func files(_ folder: String, _ ending: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Self.folder.appending(path: folder).path)
            .filter { $0.hasSuffix(ending) }.sorted()
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    /// Returns what it complains of; nil for a valid manifest of a known kind.
    private func complaint(of manifest: String) throws -> String? {
        let scratch = ScratchFolder()
        let path = scratch.file("manifest.yaml")
        try manifest.write(toFile: path, atomically: false, encoding: .utf8)
        let (code, output) = try PythonTools.run(["-m", "kubernetes_validate", "--strict", path])
        return code == 0 && output.contains(" passed for resource ") ? nil : output
    }

    @Test(
        "Each manifest is valid for Kubernetes, which knows its kind and all its keys",
        .enabled(if: PythonTools.areInstalled, "\(PythonTools.missing)"))
    func manifests() throws {
        let files = try Self.files("kubernetes", ".yaml")
        #expect(files.count == 6)
        for file in files {
            let manifest = try Self.text("kubernetes/\(file)")
            #expect(try complaint(of: manifest) == nil)
            let unknownKey = manifest.replacing("\nmetadata:\n", with: "\nmetadata:\n  nmae: other\n")
            #expect(try complaint(of: unknownKey) != nil, "\(file)")
            let unknownKind = manifest.replacing(/\nkind: \w+/, with: "\nkind: Gatewey")
            #expect(try complaint(of: unknownKind) != nil, "\(file)")
        }
    }

    @Test("The file in the ConfigMap is one that the gateway serves")
    func configMap() throws {
        let text = try Self.text("kubernetes/configmap.yaml")
        let start = try #require(text.firstRange(of: "sluice.yaml: |\n")).upperBound
        let file = text[start...].split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.dropFirst(4) }.joined(separator: "\n")
        let reading = ConfigReading.read("sluice.yaml", from: MemorySource(files: ["sluice.yaml": file]))
        #expect(reading.lines == [])
    }

    @Test(
        "Each file for Compose is valid by its specification",
        .enabled(if: PythonTools.areInstalled, "\(PythonTools.missing)"))
    func compose() throws {
        let files = try Self.files(".", ".yaml").filter { $0.hasPrefix("compose") }
        #expect(files.count >= 3)
        let schema = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
        for file in files {
            let path = Self.folder.appending(path: file).path
            let (code, output) = try PythonTools.run(schema + [path])
            #expect(code == 0, "\(file): \(output)")
        }
        let wrong = try PythonTools.run(
            schema + ["--default-filetype", "yaml", "-"], input: "services: {a: {imagee: x}}\n")
        #expect(wrong.code != 0)
    }

    @Test("Each file that Compose mounts is there, and Grafana finds the dashboard and Prometheus")
    func mounts() throws {
        let texts = try Self.files(".", ".yaml").filter { $0.hasPrefix("compose") }.map(Self.text)
        let mounted = texts.flatMap { $0.matches(of: /[ "-]\.\/([\w.\/-]+):\//) }.map { String($0.output.1) }
        #expect(mounted.contains("prometheus") && mounted.contains("collector/collector.yaml"))
        for path in mounted {
            #expect(FileManager.default.fileExists(atPath: Self.folder.appending(path: path).path), "\(path)")
        }
        let operate = try Self.text("compose.operate.yaml")
        let source = try Self.text("grafana/provisioning/datasources/prometheus.yaml")
        #expect(source.contains("url: http://prometheus:9090\n") && operate.contains("\n  prometheus:\n"))
        let provider = try Self.text("grafana/provisioning/dashboards/sluice.yaml")
        #expect(
            provider.contains("path: /etc/sluice\n")
                && operate.contains("sluice.json:/etc/sluice/sluice.json"))
    }

    private static let analyzer = PeerProcess.find("systemd-analyze")

    @Test(
        "The unit is valid for systemd, and exposes little of the machine",
        .enabled(if: analyzer != nil, "systemd-analyze is not installed: make setup"))
    func unit() throws {
        let analyzer = try #require(Self.analyzer)
        let scratch = ScratchFolder()
        let path = scratch.file("sluice.service")
        func analyze(_ unit: String, _ arguments: String...) throws -> (Int32, String) {
            try unit.write(toFile: path, atomically: false, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: analyzer)
            process.arguments = arguments + [path]
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitForEnd()
            return (process.terminationStatus, String(decoding: output, as: UTF8.self))
        }
        // A program that is there.
        let unit = try Self.text("systemd/sluice.service").replacing("/usr/bin/sluice", with: "/bin/true")
        #expect(try analyze(unit, "verify") == (0, ""))
        let wrong = unit.replacing("WatchdogSec=30", with: "WatchdogSecs=30")
        #expect(try analyze(wrong, "verify").1.contains("WatchdogSecs"))
        let (code, output) = try analyze(unit, "security", "--offline=true", "--threshold=20")
        #expect(code == 0, "\(output.suffix(200))")
    }

    @Test("The unit tells systemd when it is ready, is watched, and has 60 s to stop")
    func unitSettings() throws {
        let unit = try Self.text("systemd/sluice.service")
        // The socket of the admin listener is in the folder that systemd makes.
        for line in ["Type=notify", "WatchdogSec=30", "TimeoutStopSec=60", "RuntimeDirectory=sluice"] {
            #expect(unit.contains("\n\(line)\n"), "\(line)")
        }
    }

    @Test("The pod is asked at its admin port, writes only to the spool, and has limits and time to stop")
    func pod() throws {
        let pod = try Self.text("kubernetes/deployment.yaml")
        let probe = /\n +(\w+)Probe:\n +httpGet: \{path: ([\w\/]+), port: (\w+)\}/
        let probes = pod.matches(of: probe).map { "\($0.output.1): \($0.output.2), \($0.output.3)" }
        #expect(
            probes == [
                "startup: /health/ready, admin", "readiness: /health/ready, admin",
                "liveness: /health/live, admin",
            ])
        let spool = try #require(GatewayServerConfiguration().inbound.spoolDirectory)
        let lines = [
            "- {name: admin, containerPort: 9901}", "enableServiceLinks: false",
            "terminationGracePeriodSeconds: 60", "limits: {cpu: \"2\", memory: 2Gi}",
            "readOnlyRootFilesystem: true", "- {name: config, mountPath: /etc/sluice, readOnly: true}",
            "configMap: {name: sluice}", "- {name: spool, mountPath: \(spool)}",
            "emptyDir: {sizeLimit: 2Gi}",
        ]
        for line in lines { #expect(pod.contains(" \(line)\n"), "\(line)") }
        // A file that is mounted by its path never changes.
        for file in try Self.files("kubernetes", ".yaml") {
            #expect(try !Self.text("kubernetes/\(file)").contains("subPath:"), "\(file)")
        }
    }

    @Test("Loops follow the processors that the pod may use, and pods their use, at 60 %")
    func autoscaling() throws {
        #expect(GatewayServerConfiguration().loops == ProcessLimits.usableCores())
        let scaler = try Self.text("kubernetes/horizontalpodautoscaler.yaml")
        #expect(scaler.contains("name: cpu\n        target: {type: Utilization, averageUtilization: 60}\n"))
        #expect(scaler.contains("scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: sluice}\n"))
    }

    @Test("Annotations, the policy and the documented PodMonitor name the pod's labels and admin port")
    func scraping() throws {
        let pod = try Self.text("kubernetes/deployment.yaml")
        let template = try #require(pod.firstRange(of: "\n  template:\n")).upperBound
        let metadata = pod[template...]
        let label = try #require(metadata.firstMatch(of: /labels: (\{[^}]+\})\n/)?.output.1)
        let port = try #require(pod.firstMatch(of: /\{name: admin, containerPort: (\d+)\}/)?.output.1)
        #expect(metadata.contains("  prometheus.io/scrape: \"true\"\n"))
        #expect(metadata.contains("  prometheus.io/port: \"\(port)\"\n"))
        let policy = try Self.text("kubernetes/networkpolicy.yaml")
        #expect(policy.contains("podSelector:\n    matchLabels: \(label)\n"))
        #expect(policy.contains("\n      ports:\n        - {port: admin}\n"))
        let page = try Self.text("../Sources/GatewayCore/GatewayCore.docc/Operating.md")
        let start = try #require(page.firstRange(of: "kind: PodMonitor\n")).upperBound
        let monitor = page[start...].prefix { $0 != "`" }
        #expect(monitor.contains("selector:\n    matchLabels: \(label)\n"))
        #expect(monitor.contains("podMetricsEndpoints: [{port: admin}]\n"))
    }

    @Test("In Compose a visitor asks the gateway, which sends traces to the collector, which has Jaeger")
    func traces() throws {
        let operate = try Self.text("compose.operate.yaml")
        let start = try #require(operate.firstRange(of: "\nservices:")).upperBound
        let end = try #require(operate.firstRange(of: "\nvolumes:\n")).lowerBound
        let services = operate[start..<end].matches(of: /\n  (\w+):\n/).map { String($0.output.1) }
        #expect(services == ["gateway", "visitor", "prometheus", "grafana", "collector", "jaeger"])
        let collector = try Self.text("collector/collector.yaml")
        let traces = try #require(operate.firstMatch(of: /SLUICE_TRACES: http:\/\/(\w+):(\d+)\n/))
        #expect(traces.output.1 == "collector")
        #expect(collector.contains("\n      http:\n        endpoint: 0.0.0.0:\(traces.output.2)\n"))
        // Jaeger takes OTLP over gRPC at this port.
        #expect(collector.contains("exporters:\n  otlp:\n    endpoint: jaeger:4317\n"))
        #expect(collector.contains("    traces:\n      receivers: [otlp]\n"))
        #expect(collector.contains("\n      exporters: [otlp]\n"))
        #expect(operate.contains("[--config=/etc/sluice/collector.yaml]\n"))
        #expect(operate.contains("collector.yaml:/etc/sluice/collector.yaml:ro"))
        #expect(operate.contains("http://gateway:8080$$VISIT"))
        #expect(try Self.text("prometheus/prometheus.yaml").contains("targets: [\"gateway:9901\"]\n"))
    }

    @Test(
        "A stop may take as long as the drain, the end of a cancelled job and a hook of the stop together",
        arguments: [
            "kubernetes/deployment.yaml", "systemd/sluice.service", "compose.yaml", "compose.file.yaml",
            "../Sources/GatewayCore/GatewayCore.docc/RunningRecipes.md",
        ])
    func patience(file: String) throws {
        let grace = /(?:terminationGracePeriodSeconds: |TimeoutStopSec=|stop_grace_period: )(\d+)/
        let found = try Self.text(file).matches(of: grace).compactMap { Int($0.output.1) }
        #expect(found.count == 1)
        let longest = GatewayServerConfiguration().drainDeadline + GatewayLifecycle.endLimit * 2
        #expect(found.allSatisfy { Duration.seconds($0) > longest })
    }
}
