import Foundation
import TestTools
import Testing

@Suite("What is counted, logged and kept", .timeLimit(.minutes(2)))
struct AgreementTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardized
    /// The test bundle and `sluice` are in the same build folder.
    private static let program = Bundle.main.bundleURL.appendingPathComponent("sluice")

    /// So few requests that each loop keeps all that fail.
    private func run(_ words: String...) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["python3", Self.root.appendingPathComponent("Tests/Soak/run").path]
            + ["--program", Self.program.path, "--requests", "150"] + words
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitForEnd()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test("An unknown proof of the soak is wrong usage")
    func usage() throws {
        let (status, output) = try run("record")
        #expect(status == 2)
        #expect(output.contains("Unknown proof record. Proofs: mixups "), "\(output)")
    }

    @Test("Counters, log lines, kept records and clients agree about faults, retries, reloads and cuts")
    func agreement() throws {
        let (status, output) = try run("--seed", "7", "records")
        #expect(status == 0, "\(output)")
        #expect(output.contains("    150 requests of seed 7\n"))
        #expect(output.contains("\nrecords holds "))
        #expect(!output.contains("DIFFER"))
    }
}
