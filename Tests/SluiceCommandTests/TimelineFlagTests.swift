import Foundation
import JSONBytes
import TestSupport
import Testing

extension CommandTests {
    @Suite("The timeline flag")
    struct TimelineFlagTests {
        private let scratch = ScratchFolder()

        /// Starts `sluice` with these flags and returns `meta.timeline` of an answer to `Prefer: timeline`.
        private func timeline(
            _ command: String, _ arguments: [String], environment: [String: String] = [:]
        ) throws -> JSONFragment? {
            let data = command == "demo" ? ["--data", scratch.file("diary.sqlite3")] : []
            let process = try SluiceProcess(
                [command, "--port", "0", "--drain-delay", "0", "--loops", "1"] + data + arguments,
                environment: environment)
            let answer = try curl(
                "--header", "Prefer: timeline", "http://127.0.0.1:\(try process.readPort())/api/tags")
            process.signal(SIGTERM)
            #expect(process.finish().exitCode == 0)
            let json = try JSONFragment(validating: Array(answer.body.utf8)[...])
            return try #require(json[member: "meta"])[member: "timeline"]
        }

        @Test("serve sends no timeline unless the flag or its variable is on")
        func serve() throws {
            let wrong = try SluiceProcess.run("serve", "--port", "0", "--timeline", "yes")
            #expect(wrong.exitCode == 2)
            #expect(wrong.errors.contains("--timeline takes on or off, not 'yes'"))
            #expect(try timeline("serve", []) == nil)
            // The upstream refuses connections: a failure has a timeline too.
            let unreachable = ["--upstream", "tags=http://127.0.0.1:1"]
            for (arguments, environment) in [
                (["--timeline", "on"], [:]), ([], ["SLUICE_TIMELINE": "on"]),
            ] {
                let timeline = try #require(
                    try timeline("serve", arguments + unreachable, environment: environment))
                let attempt = timeline[element: 0]?[member: "calls"]?[element: 0]?[member: "attempts"]?[
                    element: 0]
                #expect(attempt?[member: "reason"]?.stringValue == "connection_refused")
                #expect(attempt?[member: "connection"]?.isNull == true)
                #expect(!timeline.description.contains("127.0.0.1"))
            }
        }

        @Test("demo sends timelines unless the flag is off")
        func demo() throws {
            #expect(try timeline("demo", ["--timeline", "off"]) == nil)
            let timeline = try #require(try timeline("demo", []))
            #expect(
                timeline[element: 0]?[member: "calls"]?[element: 0]?[member: "upstream"]?.stringValue
                    == "tags")
        }
    }
}
