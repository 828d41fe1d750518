import Foundation
import JSONBytes
import TestSupport
import Testing

extension CommandTests {
    @Suite("The latency flag")
    struct LatencyFlagTests {
        private let scratch = ScratchFolder()

        /// Starts a demo with these flags and returns the gateway's times of a few answers, in milliseconds,
        /// the shortest first.
        private func times(_ arguments: [String], environment: [String: String] = [:]) throws -> [Double] {
            let demo = try SluiceProcess(
                [
                    "demo", "--port", "0", "--drain-delay", "0", "--loops", "1",
                    "--data", scratch.file("diary.sqlite3"),
                ] + arguments, environment: environment)
            let url = "http://127.0.0.1:\(try demo.readPort())/api/tags"
            let times = try (0..<5).map { _ in
                let answer = try curl(url)
                #expect(answer.status == 200)
                let json = try JSONFragment(validating: Array(answer.body.utf8)[...])
                return try #require(json[member: "meta"]?[member: "elapsedMs"]?.doubleValue)
            }
            demo.signal(SIGTERM)
            #expect(demo.finish().exitCode == 0)
            return times.sorted()
        }

        @Test("A value other than on and off is refused")
        func refused() throws {
            let wrong = try SluiceProcess.run("demo", "--port", "0", "--latency", "maybe")
            #expect(wrong.exitCode == 2)
            #expect(wrong.errors.contains("--latency takes on or off, not 'maybe'"))
            let serve = try SluiceProcess.run("serve", "--latency", "off")
            #expect(serve.exitCode == 2)
            #expect(serve.errors.contains("unknown flag '--latency'"))
        }

        @Test(
            "The upstreams of the demo take 40 ms or more to answer, unless the flag or its variable is off")
        func demo() throws {
            #expect(try #require(try times([]).first) >= 40)
            // A busy machine may delay an answer, so only the fastest counts.
            #expect(try #require(try times(["--latency", "off"]).first) < 40)
            #expect(try #require(try times([], environment: ["SLUICE_LATENCY": "off"]).first) < 40)
        }
    }
}
