import Foundation

/// The Python packages that `Tests/yaml` installs.
enum PythonTools {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appending(path: "../../../.build/yaml").standardized.path

    static let areInstalled = FileManager.default.fileExists(atPath: "\(folder)/installed")
    static let missing = "the Python packages are not installed: Tests/yaml"

    /// Runs Python and returns its exit code and what it prints, errors included.
    static func run(_ arguments: [String], input: String = "") throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["PYTHONPATH": folder, "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stdout
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
