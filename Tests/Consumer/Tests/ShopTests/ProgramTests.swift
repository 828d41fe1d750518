import Foundation
import Testing

/// Runs the built program, as its operators do.
@Suite("The program of a package that uses Sluice", .timeLimit(.minutes(1)))
struct ProgramTests {
    /// The test bundle and the program are in the same build folder.
    private static let program = Bundle.main.bundleURL.appendingPathComponent("ShopGateway")

    private func process(_ words: [String]) -> (process: Process, output: Pipe, errors: Pipe) {
        let (process, output, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = Self.program
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SLUICE_") }
            .merging(["SLUICE_ADMIN": "off"]) { $1 }
        process.standardOutput = output
        process.standardError = errors
        return (process, output, errors)
    }

    private func finish(_ words: [String]) throws -> (code: Int32, output: String, errors: String) {
        let (process, output, errors) = process(words)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaints = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text, complaints)
    }

    @Test("An unknown flag, and an address for an unknown upstream, end the start with the reason")
    func wrongUsage() throws {
        let flag = try finish(["--prot", "80"])
        #expect(flag.code == 2)
        #expect(
            flag.errors
                == "shop: unknown flag '--prot'; run 'shop --help' to list the flags\n")
        let keys = try finish(["--api-keys", ","])
        #expect(keys.code == 2)
        #expect(keys.errors == "shop: --api-keys names no key; run 'shop --help' to list the flags\n")
        let upstream = try finish(["--port", "0", "--upstream", "shop=http://127.0.0.1:1"])
        #expect(upstream.code == 1)
        #expect(
            upstream.errors.contains(
                "unknown upstream \"shop\" (declared: accounts, catalog, sellers, stock)"))
    }

    @Test("It serves with its flags, answers its health check, and ends by SIGTERM")
    func serves() throws {
        let (process, output, errors) = process(
            ["--port", "0", "--loops", "1", "--drain-delay", "0", "--upstream", "catalog=http://127.0.0.1:1"])
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let byte = output.fileHandleForReading.readData(ofLength: 1)
            if byte.isEmpty { break }
            line += byte
        }
        let url = try #require(
            String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).last)
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect(try finish(["health", String(url)]).code == 0)
        process.terminate()
        _ = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try finish(["health", String(url)]).code == 1)
    }

    @Test("It prints its help and its version")
    func help() throws {
        #expect(try finish(["--help"]).output.hasPrefix("usage: shop [FLAGS]\n"))
        #expect(try finish(["--version"]).output == "shop 1.0.0\n")
    }
}
