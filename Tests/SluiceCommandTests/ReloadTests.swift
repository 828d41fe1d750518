import Foundation
import TestSupport
import Testing

extension CommandTests {
    /// Reloads of a running program, by signal and by watch.
    @Suite("Reloads of a file by the program", .timeLimit(.minutes(2)))
    struct ReloadTests {
        private let scratch = ScratchFolder()

        private var path: String { scratch.file("sluice.yaml") }

        private func write(_ value: Int, more: String = "") throws {
            let text = "version: 1\n\(more)endpoints:\n- get: /a\n  parts: {is: {value: \(value)}}\n"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }

        private func serve(_ arguments: String..., environment: [String: String] = [:]) throws -> (
            process: SluiceProcess, url: String
        ) {
            let process = try SluiceProcess(
                ["serve", "--config", path, "--port", "0", "--drain-delay", "0"] + arguments,
                environment: environment)
            return (process, "http://127.0.0.1:\(try process.readPort())/a")
        }

        /// Waits until the answer has this value.
        private func wait(for value: Int, at url: String) throws {
            var body = ""
            func next() throws -> String {
                body = try curl(url).body
                return body
            }
            try spin(while: try !next().contains(#""data":{"is":\#(value)}"#)) { "not \(value): \(body)" }
        }

        private func lines(_ output: SluiceProcess.Output, _ text: String) -> Int {
            output.errors.split(separator: "\n").count { $0.contains(text) }
        }

        @Test(
            "Rule 11: SIGHUP reloads the file, flags keep their precedence, and each problem is a line of the log"
        )
        func signal() throws {
            try write(1, more: "name: of-file\n")
            let (process, url) = try serve("--name", "of-flag")
            try wait(for: 1, at: url)
            try write(2, more: "name: of-other-file\n")
            process.signal(SIGHUP)
            try wait(for: 2, at: url)
            try write(
                3,
                more: "limits: {deadline: 5}\n"
                    + "upstreams: {u: {url: \"https://127.0.0.1:9\", tls: {verify: none}}}\n")
            process.signal(SIGHUP)
            try spin(while: process.errorLines(containing: "the old one stays in use") == 0) {
                "no failed reload in the log: \(process.errors)"
            }
            #expect(try curl(url).body.contains(#""is":2"#))
            process.signal(SIGTERM)
            let output = process.finish()
            #expect(output.exitCode == 0)
            let reloaded =
                #""level":"info","message":"configuration reloaded","trigger":"SIGHUP","file":"\#(path)","generation":2,"hash":""#
            #expect(lines(output, reloaded) == 1, "\(output.errors)")
            let problem =
                #""level":"error","message":"configuration problem","what":"\#(path):2:20: error: 5 needs a unit: 5s"}"#
            #expect(lines(output, problem) == 1, "\(output.errors)")
            let warning =
                #""level":"warning","message":"configuration problem","what":"\#(path):3:59: warning: tls.verify"#
            #expect(lines(output, warning) == 1, "\(output.errors)")
            let failed =
                #""message":"configuration not reloaded, the old one stays in use","trigger":"SIGHUP","file":"\#(path)","problems":2}"#
            #expect(lines(output, failed) == 1, "\(output.errors)")
        }

        @Test("Of many SIGHUPs at once, the last one reads the file after it")
        func signals() throws {
            try write(0)
            let (process, url) = try serve()
            for value in 1...30 {
                try write(value)
                process.signal(SIGHUP)
                process.signal(SIGHUP)
            }
            try wait(for: 30, at: url)
            process.signal(SIGTERM)
            let output = process.finish()
            #expect(output.exitCode == 0)
            #expect(lines(output, "configuration problem") == 0, "\(output.errors)")
            #expect(lines(output, "configuration reloaded") >= 1)
        }

        /// `ReloadedFilesTests` follows a watch over several changes, in less time.
        @Test("Rule 11: --watch on reloads a changed file")
        func watch() throws {
            try write(1)
            let (process, url) = try serve(environment: ["SLUICE_WATCH": "on"])
            try wait(for: 1, at: url)
            try write(2)
            try wait(for: 2, at: url)
            process.signal(SIGTERM)
            let output = process.finish()
            #expect(output.exitCode == 0)
            #expect(lines(output, #""trigger":"watch""#) == 1, "\(output.errors)")
        }

        @Test("Reloads leave no descriptor open")
        func descriptors() throws {
            let folder = "public: \(scratch.path)\n"
            try write(0, more: folder)
            let (process, url) = try serve()
            try wait(for: 0, at: url)
            func reload(_ values: ClosedRange<Int>) throws {
                for value in values {
                    try write(value, more: folder)
                    process.signal(SIGHUP)
                    try spin(while: process.errorLines(containing: "configuration reloaded") < value) {
                        "\(process.errorLines(containing: "configuration reloaded")) of \(value) reloads"
                    }
                }
                try wait(for: values.upperBound, at: url)
            }
            func open() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd")
                    .count
            }
            try reload(1...5)
            let before = try open()
            try reload(6...30)
            try spin(while: open() > before) { "\(try open()) open descriptors, \(before) before" }
            process.signal(SIGTERM)
            #expect(process.finish().exitCode == 0)
        }

        @Test("--watch needs --config, and takes on or off")
        func usage() throws {
            let alone = try SluiceProcess.run("serve", "--watch", "on")
            #expect(alone.exitCode == 2)
            #expect(alone.errors.contains("--watch needs --config FILE"))
            try write(1)
            let other = try SluiceProcess.run("serve", "--config", path, "--watch", "yes")
            #expect(other.exitCode == 2)
            #expect(other.errors.contains("--watch takes on or off, not 'yes'"))
        }
    }
}
