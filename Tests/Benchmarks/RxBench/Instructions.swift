import Foundation

/// Counts user-space instructions of all threads: runs the benchmark twice under callgrind and divides the
/// difference.
enum Instructions {
    static let areCounted: Bool = (try? Child.run(["valgrind", "--version"]).status) == 0

    static func measure(_ row: Row) -> Int? {
        let few = 1_000
        let many = 5_000
        guard let short = total(row, few), let long = total(row, many) else { return nil }
        return (long - short + (many - few) / 2) / (many - few)
    }

    private static func total(_ row: Row, _ count: Int) -> Int? {
        let run = try? Child.run([
            "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", Child.program, "--once",
            row.name,
            String(count),
        ])
        guard let run, run.status == 0 else { return nil }
        // ==1234== Collected : 56789
        let line = run.errors.split(separator: "\n").last { $0.contains(" Collected : ") }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }
}

enum Child {
    static let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""

    static func run(
        _ command: [String], adding environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Reading in turn cannot block: both outputs fit into a pipe.
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let complaints = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: text, as: UTF8.self),
            String(decoding: complaints, as: UTF8.self)
        )
    }
}
