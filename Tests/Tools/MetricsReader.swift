import Foundation

/// prometheus-client of Python, whose parser of OpenMetrics refuses what the standard does not allow.
package enum MetricsReader {
    private static let packages = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appending(path: "../../.build/yaml").standardized.path
    package static let isInstalled = hasPackage("prometheus_client")

    /// Whether `Tests/yaml` has installed a package.
    package static func hasPackage(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: path(folder))
    }

    /// Returns the path of what a package brings.
    package static func path(_ file: String) -> String { "\(packages)/\(file)" }

    /// Why a test is skipped.
    package static let isMissing = "prometheus-client is not installed: Tests/yaml"

    /// Runs a script that reads the input as `text`, with `text_string_to_metric_families` of OpenMetrics.
    /// Returns its exit code, which is not 0 if the parser refuses the text, and what it prints.
    package static func run(_ script: String, on text: [UInt8]) throws -> (status: Int32, output: String) {
        let head = """
            import json, sys
            from prometheus_client.openmetrics.parser import text_string_to_metric_families
            text = sys.stdin.buffer.read().decode()

            """
        guard let python = PeerProcess.find("python3") else {
            throw PeerFailure(description: "python3 is not installed")
        }
        return try run(python, ["-c", head + script], input: text)
    }

    /// Runs a program with this standard input. Returns what it prints, on standard error, too.
    package static func run(
        _ program: String, _ arguments: [String], input: [UInt8]
    ) throws -> (status: Int32, output: String) {
        let folder = ScratchFolder()
        try Data(input).write(to: URL(fileURLWithPath: folder.file("input")))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ["PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"]
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.file("input")))
        process.standardInput = source
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitForEnd()
        try source.close()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
