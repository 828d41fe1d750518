import Foundation
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

    @Test("A stop may take longer than the drain")
    func patience() throws {
        let drain = Int(GatewayServerConfiguration().drainDeadline / .seconds(1))
        let pod = try Self.text("kubernetes/deployment.yaml")
        let grace = try #require(pod.firstMatch(of: /terminationGracePeriodSeconds: (\d+)/)?.output.1)
        #expect(Int(grace).map { $0 > drain } == true)
        let unit = try Self.text("systemd/sluice.service")
        let stop = try #require(unit.firstMatch(of: /TimeoutStopSec=(\d+)/)?.output.1)
        #expect(Int(stop).map { $0 > drain } == true)
    }
}
