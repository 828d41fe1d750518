import Foundation
import Glibc
import JSONBytes
import TestSupport
import Testing

extension CommandTests {
    @Suite("explain")
    struct ExplainCommandTests {
        private let scratch = ScratchFolder()

        private static let page = """
            version: 1
            hosts: any
            listen: {host: 127.0.0.1, port: 0, loops: 1}
            drain: {delay: 0s}
            upstreams:
              diary: {url: "http://127.0.0.1:1", envelope: generic}
            endpoints:
            - get: /charts/{day}
              parts:
                total: {upstream: diary, get: "/weights/{path.day}"}

            """

        @Test(
            "What it cannot draw is wrong usage, with what is missing",
            arguments: [
                ([], "needs a path, a URL or --request ID"),
                (["page"], "neither a path such as /page nor a URL"),
                (["/page", "--request", "a"], "only one"),
                (["/page", "--log", "-"], "--log needs --request ID"),
                (["--request", "a/b"], "is not an id"),
            ])
        func usage(words: [String], message: String) throws {
            let output = try SluiceProcess(["explain"] + words).finish()
            #expect(output.exitCode == 2)
            #expect(output.errors.contains(message), "\(output.errors)")
        }

        @Test("A request that failed yesterday is drawn from the lines of a log alone, by both of its ids")
        func yesterday() throws {
            let file = scratch.file("page.yaml")
            try Self.page.write(toFile: file, atomically: true, encoding: .utf8)
            let gateway = try SluiceProcess(["serve", "--config", file])
            let client = try RawClient(port: try gateway.readPort())
            let reply = try #require(client.get("/charts/2026-11-20?secret=1"))
            #expect(reply.status == 502)
            let id = try #require(reply.value("X-Request-Id"))
            #expect(client.get("/health/live")?.status == 200)
            client.close()
            gateway.signal(SIGTERM)
            let output = gateway.finish()
            #expect(output.exitCode == 0)
            let log = scratch.file("log")
            func write(_ line: (Substring) -> String) throws {
                let lines = output.output.split(separator: "\n").map { line($0) + "\n" }
                try lines.joined().write(toFile: log, atomically: true, encoding: .utf8)
            }
            // As Docker's json-file and the journal write lines, then as a container runtime does.
            for member in ["log", "MESSAGE"] {
                try write { line in
                    "{\"\(member)\":\(JSONFragment(string: line + "\n")),\"stream\":\"stdout\"}"
                }
                let drawn = try SluiceProcess.run("explain", "--log", log, "--request", id)
                #expect(drawn.output.hasPrefix("502 BAD_GATEWAY  "), "\(member): \(drawn.errors)")
            }
            try write { "2026-11-27T12:00:00Z stdout F \($0)" }
            let line = try #require(output.output.split(separator: "\n").first { $0.contains(id) })
            let trace = try JSONFragment(parsing: String(line))[member: "traceId"]?.stringValue
            for known in [id, try #require(trace)] {
                let drawn = try SluiceProcess.run("explain", "--log", log, "--request", known)
                #expect(drawn.exitCode == 0, "\(drawn.errors)")
                let text = drawn.output.split(separator: "\n").map(String.init)
                #expect(text[0].hasPrefix("502 BAD_GATEWAY  "), "\(text)")
                #expect(text[0].contains("  GET /charts/{day}  trace "), "\(text)")
                #expect(text[1].hasPrefix("total networkFail"), "\(text)")
                #expect(text.count == 5, "\(text)")
                for (number, attempt) in text[2...].enumerated() {
                    #expect(attempt.hasPrefix("  diary GET \(number + 1) new "), "\(text)")
                    #expect(attempt.contains("x "), "\(text)")
                    #expect(attempt.contains("connection_refused  127.0.0.1:1"), "\(text)")
                }
                #expect(!drawn.output.contains("secret"))
            }
            let piped = ["/bin/sh", "-c", #"cat '\#(log)' | "$0" "$@""#]
            let words = ["explain", "--log", "-", "--request"]
            let drawn = try SluiceProcess(words + [id], starter: piped).finish()
            #expect(drawn.exitCode == 0 && drawn.output.hasPrefix("502 BAD_GATEWAY  "), "\(drawn.errors)")
            let absent = try SluiceProcess(words + ["unknown"], starter: piped).finish()
            #expect(absent.exitCode == 1)
            #expect(absent.errors == "sluice: standard input has no request with the id unknown\n")
            let other = try SluiceProcess.run("explain", "--log", log, "--request", "unknown")
            #expect(other.exitCode == 1)
            #expect(other.errors == "sluice: \(log) has no request with the id unknown\n")
            let missing = try SluiceProcess.run("explain", "--log", "/nonexistent", "--request", id)
            #expect(missing.exitCode == 1)
            #expect(missing.errors == "sluice: /nonexistent: No such file or directory\n")
        }

        @Test("The running gateway is asked for a path and for a request that it has kept, and draws both")
        func running() throws {
            let file = scratch.file("page.yaml")
            try Self.page.write(toFile: file, atomically: true, encoding: .utf8)
            let socket = "unix:" + scratch.file("admin.sock")
            let gateway = try SluiceProcess([
                "serve", "--config", file, "--admin", socket, "--timeline", "on",
            ])
            let port = try gateway.readPort()
            defer {
                gateway.signal(SIGTERM)
                _ = gateway.finish()
            }
            let path = try SluiceProcess.run("explain", "/charts/2026-11-20", "--admin", socket)
            #expect(path.exitCode == 0, "\(path.errors)")
            #expect(path.output.hasPrefix("502 BAD_GATEWAY  "), "\(path.output)")
            #expect(path.output.contains("\n  diary GET 3 new "), "\(path.output)")
            let unknown = try SluiceProcess.run("explain", "/unknown", "--admin", socket)
            #expect(unknown.exitCode == 1)
            #expect(unknown.errors.contains("/explain answered 404: "), "\(unknown.errors)")
            let client = try RawClient(port: port)
            let id = try #require(client.get("/charts/2026-11-20")?.value("X-Request-Id"))
            var kept = try SluiceProcess.run("explain", "--request", id, "--admin", socket)
            for _ in 0..<20 where kept.exitCode != 0 {
                kept = try SluiceProcess.run("explain", "--request", id, "--admin", socket)
            }
            #expect(kept.output.hasPrefix("502 BAD_GATEWAY  "), "\(kept.errors)")
            let url = try SluiceProcess.run("explain", "http://127.0.0.1:\(port)/charts/2026-11-20")
            #expect(url.exitCode == 0, "\(url.errors)")
            #expect(url.output.hasPrefix("502 BAD_GATEWAY  "), "\(url.output)")
            #expect(url.output.contains("\ntotal networkFail"), "\(url.output)")
            #expect(url.output.contains("\n  diary GET 3 "), "\(url.output)")
            let health = try SluiceProcess.run("explain", "http://127.0.0.1:\(port)/health/live")
            #expect(health.exitCode == 1)
            #expect(health.errors.contains("without meta.timeline"), "\(health.errors)")
        }
    }
}
