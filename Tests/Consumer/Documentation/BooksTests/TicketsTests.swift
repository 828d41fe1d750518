import Foundation
import Testing

/// Runs the program of the recipe for the main thread.
@Suite("The recipe for code of the main thread", .timeLimit(.minutes(1)))
struct TicketsTests {
    /// What the recipe shows.
    private static let pair = """
        "data":{"mine":101,"yours":102}
        """

    /// Starts the program, and returns its address.
    private static func start(_ words: [String], _ errors: Pipe) throws -> (process: Process, url: String) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("Tickets")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SLUICE_") }
            .merging(["SLUICE_ADMIN": "off"]) { $1 }
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let byte = output.fileHandleForReading.readData(ofLength: 1)
            if byte.isEmpty { break }
            line += byte
        }
        let announced = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return (process, String(announced.last ?? ""))
    }

    /// Posts nothing to an address. Returns the answer, or an empty text if it takes longer than 20 s.
    private static func post(_ url: String) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["curl", "-sS", "--max-time", "20", "--request", "POST", url]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    @Test(
        "While its main thread waits, it runs the main actor and the main scheduler, in hooks and handlers",
        arguments: [["--port", "0", "--loops", "1", "--drain-delay", "0"], ["run"]])
    func serves(words: [String]) throws {
        let errors = Pipe()
        let (process, url) = try Self.start(words, errors)
        // Ends a program whose hook of the start never ends, too.
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect(try Self.post(url + "/tickets").contains(#""data":100"#))
        #expect(try Self.post(url + "/tickets/pair").contains(Self.pair))
        #expect(try Self.post(url + "/tickets").contains(#""data":103"#))
        process.terminate()
        let log = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = log.split(separator: "\n").filter { $0.contains(#""message":"main queue used""#) }
        #expect(lines.count { $0.contains(#""by":"POST /tickets""#) } == 1)
        #expect(lines.count { $0.contains(#""by":"POST /tickets/pair""#) } == 1)
        #expect(
            lines.allSatisfy {
                $0.contains("changes to the main thread and back, and all loops share that thread")
            })
    }
}
