import Foundation
import Testing

@Suite("Programs that use Rx alone")
struct ProgramTests {
    /// Runs a program of this package and returns its output.
    private func output(of program: String) throws -> [String] {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent(program)
        process.standardOutput = pipe
        try process.run()
        let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("Closures written on the main actor run on the thread of their stream")
    func closuresLeaveTheMainActor() throws {
        #expect(try output(of: "Isolated") == ["next 2", "completed"])
    }

    @Test("A main thread that waits for a stream serves the main queue and sleeps in between")
    func theMainThreadServesItsQueue() throws {
        #expect(
            try output(of: "MainThread") == [
                "all [1, 2, 3]", "first 1", "last 3", "delayed 4", "timer 0", "nested [10, 20]",
                "late Sequence timeout.", "silent Sequence timeout.", "sleeps true",
                "inside Sequence timeout.", "elsewhere 1",
            ])
    }
}
