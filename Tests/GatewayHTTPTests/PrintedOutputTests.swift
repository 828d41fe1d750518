import GatewayCore
import Glibc
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("What the program prints", .timeLimit(.minutes(1)))
struct PrintedOutputTests {
    /// Returns the lines of a log that a stream has.
    private func lines(_ stream: [UInt8]?) throws -> [JSONFragment] {
        try #require(stream).split(separator: UInt8(ascii: "\n"))
            .filter { $0.first == UInt8(ascii: "{") }
            .map { try JSONFragment(validating: $0) }
    }

    @Test("Whatever a handler prints, all lines of both logs can be parsed, and what it printed is in one")
    func printingHandler() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let configuration = try adminConfiguration {
                $0.accessLog = .on
                $0.logLevel = .info
            }
            let server = try GatewayServer(configuration) { gateway in
                gateway.get("/{number}") { request in
                    let number = try request.path("number", as: Int.self)
                    print("begun ", terminator: "")
                    // Longer than the buffer of standard output.
                    print("and ended", number, String(repeating: "-", count: number == 7 ? 5000 : 0))
                    _ = write(STDOUT_FILENO, "raw\n", 4)
                    return .json(number)
                }
            }
            server.takePrintedLines()
            server.accept()
            let client = try RawClient(port: server.port)
            for number in 0..<300 {
                guard client.get("/\(number)")?.status == 200 else { exit(1) }
            }
            print("no line feed", terminator: "")
            server.drain()
            server.waitUntilStopped()
            print(#"{"after":true}"#)
            exit(0)
        }
        let access = try lines(result?.standardOutputContent)
        #expect(access.count { $0[member: "path"] != nil } == 300)
        #expect(access.last?.description == #"{"after":true}"#)
        #expect(access.count == 301)
        let printed = try lines(result?.standardErrorContent).filter {
            $0[member: "message"]?.stringValue == "printed"
        }.compactMap { $0[member: "text"]?.stringValue }
        // A raw write comes before what the buffer of `print` holds, so both may share a line.
        #expect(printed.joined().matches(of: /and ended/).count == 300)
        #expect(printed.joined().matches(of: /raw/).count == 300)
        #expect(printed.last == "no line feed")
    }

    @Test("Printed text is divided at line feeds, in whatever pieces it comes, and long lines are divided")
    func division() {
        var lines = PrintedLines()
        #expect(lines.end() == nil)
        #expect(lines.add(Array("one\n\ntw".utf8)[...]) == ["one"])
        #expect(lines.add([]) == [])
        #expect(lines.add(Array("o\nthree".utf8)[...]) == ["two"])
        #expect(lines.end() == "three")
        #expect(lines.end() == nil)
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 2 * PrintedLines.longestLine + 3)
        #expect(
            lines.add(long[...]).map(\.utf8.count) == [PrintedLines.longestLine, PrintedLines.longestLine])
        #expect(lines.add(Array("\n".utf8)[...]) == ["xxx"])
    }
}
