import Foundation
import JSONBytes
import Locking
import TestSupport
import Testing

extension CommandTests {
    @Suite("plan with a load")
    struct CapacityTests {
        private let folder = ScratchFolder()

        private func file(port: UInt16 = 1) throws -> String {
            let path = folder.file("sluice.yaml")
            try """
            version: 1
            upstreams: {shop: {url: "http://127.0.0.1:\(port)"}}
            endpoints:
            - {get: /items, parts: {item: {upstream: shop, get: /item}}}
            - {get: /a, data: {value: 1}}
            """.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }

        @Test(
            "A flag that says nothing is wrong usage",
            arguments: [
                (["--rate", "0"], "--rate takes a whole number from 1 to 10000000, not '0'"),
                (["--rate", "fast"], "--rate takes a whole number from 1 to 10000000, not 'fast'"),
                (["--latency", "shop=40ms"], "--latency needs --rate"),
                (["--loops", "2"], "--loops needs --rate"),
                (["--seconds", "5"], "--seconds needs --admin"),
                (["--rate", "1", "--loops", "0"], "--loops takes a whole number from 1 to 256, not '0'"),
                (
                    ["--rate", "1", "--latency", "shop=40"],
                    "--latency takes NAME=TIME, from 1ms to 1h, such as diary=40ms, not 'shop=40'"
                ),
                (
                    ["--rate", "1", "--latency", "shpo=40ms"],
                    "--latency: no upstream is named \"shpo\"; did you mean \"shop\"?"
                ),
                (
                    ["--rate", "1", "--latency", "shop=1ms", "--latency", "shop=2ms"],
                    "--latency sets 'shop' twice"
                ),
                (
                    ["--latency", "shop=1ms", "--admin"],
                    "--latency does not go with --admin, which measures it"
                ),
                (["--admin", "nowhere"], "--admin: "), (["--admin", "off"], "--admin is off"),
                (["--seconds", "1", "--admin"], "--seconds takes a whole number from 2 to 3600, not '1'"),
            ])
        func usage(words: [String], message: String) throws {
            let plan = try SluiceProcess(["plan", try file()] + words).finish()
            #expect(plan.exitCode == 2)
            #expect(plan.output.isEmpty)
            #expect(plan.errors.hasPrefix("sluice: \(message)"), "\(plan.errors)")
        }

        @Test("The capacity follows the plans, as text and as JSON")
        func estimate() throws {
            let words = ["--rate", "100", "--latency", "shop=40ms", "--loops", "2"]
            let plan = try SluiceProcess(["plan", try file()] + words).finish()
            #expect(plan.exitCode == 0, "\(plan.errors)")
            #expect(plan.output.contains("\n\n100 requests/s, all endpoints alike; 2 loops\n  cpu          "))
            #expect(
                plan.output.contains(
                    "  shop         50 calls/s of 40 ms: 1 in flight a loop, of 64 connections\n"))
            #expect(plan.output.contains("  if shop is silent: "))
            #expect(plan.output.hasSuffix(" times this load: shop's connections\n"), "\(plan.output)")
            let json = try SluiceProcess(["plan", try file(), "--format", "json"] + words).finish()
            let capacity = try JSONFragment(parsing: json.output)[member: "capacity"]
            #expect(capacity?[member: "upstreams"]?[element: 0]?[member: "callRate"]?.intValue == 50)
            let without = try SluiceProcess.run("plan", try file(), "--format", "json")
            #expect(try JSONFragment(parsing: without.output)[member: "capacity"] == nil)
        }

        @Test("The variable of the demo's latency, and that of the admin listener, do not change a plan")
        func variables() throws {
            let plan = try SluiceProcess.run(
                "plan", try file(), environment: ["SLUICE_LATENCY": "off", "SLUICE_ADMIN": "127.0.0.1:1"])
            #expect(plan.exitCode == 0, "\(plan.errors)")
            #expect(!plan.output.contains("cpu"))
        }

        private func serve(_ path: String, _ environment: [String: String]) throws -> SluiceProcess {
            try SluiceProcess(
                [
                    "serve", "--config", path, "--port", "0", "--loops", "2", "--drain-delay", "0",
                    "--hosts", "any",
                ], environment: environment)
        }

        @Test("--admin measures the requests that come meanwhile, and its last line is the headroom")
        func adminUnderLoad() throws {
            let upstream = try ScriptedUpstream([
                .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1" }
            ])
            defer { upstream.stop() }
            let path = try file(port: upstream.port)
            let socket = ["SLUICE_ADMIN": "unix:\(folder.file("admin.sock"))"]
            let gateway = try serve(path, socket)
            let port = try gateway.readPort()
            let isOver = Lock(false)
            let visitor = DispatchGroup()
            DispatchQueue.global().async(group: visitor) {
                guard let client = try? RawClient(port: port) else { return }
                while !isOver.withLock({ $0 }), client.get("/items")?.status == 200 {}
            }
            let plan = try SluiceProcess.run("plan", path, "--admin", "--seconds", "2", environment: socket)
            isOver.withLock { $0 = true }
            #expect(visitor.wait(timeout: .now() + 10) == .success)
            #expect(plan.exitCode == 0, "\(plan.errors)")
            let output = plan.output
            #expect(output.contains(/\n[\d.]+ requests\/s, measured in [\d.]+ s; 2 loops\n/), "\(output)")
            #expect(output.contains(/\n  shop +[\d.]+ calls\/s of [\d.]+ \w+, measured: [\d.]+/), "\(output)")
            let last = output.split(separator: "\n").last
            #expect(last?.contains(/^\s+first limit at [\d.]+ times this load:/) == true, "\(output)")
            gateway.signal(SIGTERM)
            #expect(gateway.finish().exitCode == 0)
        }

        @Test("--admin measures the running gateway, all since its start if nothing happens")
        func admin() throws {
            let path = try file()
            let socket = ["SLUICE_ADMIN": "unix:\(folder.file("admin.sock"))"]
            let absent = try SluiceProcess.run("plan", path, "--admin", environment: socket)
            #expect(absent.exitCode == 1)
            #expect(absent.output.isEmpty)
            #expect(absent.errors.contains("/metrics: "), "\(absent.errors)")
            let gateway = try serve(path, socket)
            let port = try gateway.readPort()
            let client = try RawClient(port: port)
            for _ in 0..<3 { #expect(client.get("/a")?.status == 200) }
            let plan = try SluiceProcess.run("plan", path, "--admin", "--seconds", "2", environment: socket)
            #expect(plan.exitCode == 0, "\(plan.errors)")
            #expect(plan.output.contains("requests/s, measured since the start, "), "\(plan.output)")
            #expect(plan.output.contains(" us a request, measured\n"))
            #expect(plan.output.contains("  shop         no calls\n"))
            gateway.signal(SIGTERM)
            #expect(gateway.finish().exitCode == 0)
        }
    }
}
