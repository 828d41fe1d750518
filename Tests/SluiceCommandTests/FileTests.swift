import Foundation
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP
@testable import SluiceCommand

extension CommandTests {
    /// Serves files beside the endpoints in Swift, over the same sample upstreams.
    @Suite("Gateways from files")
    struct FileTests {
        private let scratch = ScratchFolder()

        /// The folder of the examples in the repository.
        private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../docker/examples").standardized.path

        private func write(_ name: String, _ text: String) throws -> String {
            let path = scratch.file(name)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }

        private static let charts = """
            version: 1
            upstreams:
              diary: {url: "http://127.0.0.1:1", envelope: generic}
            endpoints:
            - get: /charts
              query: {date: date}
              parts:
                total: {upstream: diary, get: /food-diary/weights, query: {fddDate: "{query.date}"}}

            """

        @Test("check prints all problems with their places, as text and as JSON, and exits with 1")
        func check() throws {
            let path = try write(
                "broken.yaml",
                Self.charts.replacing("total: {", with: "total: {optinal: true, ").replacing(
                    "{query.date}", with: "{query.dat}"))
            let text = try SluiceProcess.run("check", path)
            #expect(text.exitCode == 1)
            let lines = text.output.split(separator: "\n")
            // An error leaves no number of series.
            #expect(lines.count == 2)
            #expect(
                lines[0]
                    == "\(path):8:13: error: a part has no member \"optinal\"; did you mean \"optional\"?")
            #expect(lines[1].hasPrefix("\(path):8:"))
            #expect(lines[1].hasSuffix("did you mean \"date\"?"))
            let json = try SluiceProcess.run("check", "--format", "json", path)
            #expect(json.exitCode == 1)
            let document = try JSONFragment(validating: Array(json.output.utf8)[...])
            #expect(document[member: "errors"]?.intValue == 2)
            #expect(document[member: "problems"]?.elements.first?[member: "line"]?.intValue == 8)
        }

        @Test("check tells what only the gateway itself can refuse: addresses, patterns, paths")
        func checkOfValues() throws {
            let path = try write(
                "refused.yaml",
                Self.charts.replacing("{date: date}", with: "{date: {type: string, pattern: '('}}"))
            let checked = try SluiceProcess.run("check", path)
            #expect(checked.exitCode == 1)
            #expect(checked.output.contains("\(path):6:"), "\(checked.output)")
            #expect(
                checked.output.contains("error: pattern: a parenthesis is not closed"), "\(checked.output)")
            let served = try SluiceProcess.run("serve", "--config", path, "--port", "0")
            #expect(served.exitCode == 1)
            #expect(served.errors == checked.output)
        }

        @Test("A good file has no problem, only a number of series; a warning fails only with --strict on")
        func goodFile() throws {
            let good = try write("good.yaml", Self.charts)
            #expect(try SluiceProcess.run("check", good).exitCode == 0)
            // As JSON says, too.
            let json = try SluiceProcess.run("check", "--format", "json", good)
            let document = try JSONFragment(validating: Array(json.output.utf8)[...])
            let series = try #require(document[member: "series"]?.intValue)
            #expect(series > 100)
            let text = try SluiceProcess.run("check", good).output
            #expect(text == "\(good): the metrics have up to \(series) series\n")
            let unused = try write(
                "unused.yaml",
                Self.charts.replacing("endpoints:", with: "  other: {url: \"http://a.test\"}\nendpoints:"))
            let checked = try SluiceProcess.run("check", unused)
            #expect(checked.exitCode == 0)
            let lines = checked.output.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first?.contains("warning: ") == true)
            #expect(lines.last?.hasSuffix(" series") == true)
            #expect(try SluiceProcess.run("check", "--strict", "on", unused).exitCode == 1)
        }

        @Test("check without a file, or with another format, is wrong usage")
        func usage() throws {
            let none = try SluiceProcess.run("check")
            #expect(none.exitCode == 2)
            #expect(none.errors.contains("check needs a file"))
            let good = try write("good.yaml", Self.charts)
            #expect(try SluiceProcess.run("check", "--format", "xml", good).exitCode == 2)
            let pin = try SluiceProcess.run("serve", "--config", good, "--upstream-ca", "diary=/a.pem")
            #expect(pin.exitCode == 2)
            #expect(pin.errors.contains("--upstream-ca does not go with --config"))
        }

        @Test("A flag has precedence over the file, and the file over a variable")
        func precedence() throws {
            let path = try write("named.yaml", "name: of-file\nlisten: {port: 0}\n" + Self.charts)
            func via(_ arguments: [String], _ environment: [String: String]) throws -> String {
                let process = try SluiceProcess(
                    ["serve", "--config", path, "--drain-delay", "0"] + arguments, environment: environment)
                let port = try process.readPort()
                // The upstream is down; its failure names the gateway.
                let (_, text) = try curl("--include", "http://127.0.0.1:\(port)/charts?date=2026-11-20")
                process.signal(SIGTERM)
                #expect(process.finish().exitCode == 0)
                return text
            }
            #expect(try via([], ["SLUICE_NAME": "of-variable"]).contains("Proxy-Status: of-file;"))
            #expect(try via(["--name", "of-flag"], [:]).contains("Proxy-Status: of-flag;"))
        }

        @Test("A Kubernetes Service named sluice does not stop the start, nor the health check")
        func serviceLinks() throws {
            let links = [
                "SLUICE_SERVICE_HOST": "10.96.3.4", "SLUICE_SERVICE_PORT": "8080",
                "SLUICE_PORT": "tcp://10.96.3.4:8080", "SLUICE_PORT_8080_TCP": "tcp://10.96.3.4:8080",
                "SLUICE_PORT_8080_TCP_PROTO": "tcp", "SLUICE_PORT_8080_TCP_PORT": "8080",
                "SLUICE_PORT_8080_TCP_ADDR": "10.96.3.4",
            ]
            let file = try write("linked.yaml", "listen: {port: 0}\n" + Self.charts)
            let process = try SluiceProcess(
                ["serve", "--config", file, "--drain-delay", "0"], environment: links)
            let port = try process.readPort()
            let health = try SluiceProcess.run(
                "health", "--url", "http://127.0.0.1:\(port)", environment: links)
            #expect(health.exitCode == 0, "\(health.errors)")
            process.signal(SIGTERM)
            #expect(process.finish().exitCode == 0)
        }

        @Test("A variable that the file overrides is not read, however broken it is")
        func overriddenVariables() throws {
            var broken: [String: String] = [:]
            // `ServeTLSTests` has the variables of TLS.
            let ofTLS = ["tls", "hsts", "redirect-"]
            for flag in CommandSpecification.serve.flags
            where !flag.name.hasPrefix("upstream-") && !ofTLS.contains(where: flag.name.hasPrefix) {
                broken[flag.environmentName] = "bro ken"
            }
            broken["SLUICE_UPSTREAM_MEMORY"] = "1GiB"
            broken["SLUICE_UPSTREAM_CONCURRENCY"] = "diary=many"
            let file = try write(
                "settled.yaml",
                """
                name: of-file
                listen: {host: 127.0.0.1, port: 0, loops: 1}
                admin: {listen: off, token: 0123456789abcdef}
                hosts: [app.test]
                log: {level: error, access: on, format: json, slow: 1s, fields: [User-Agent]}
                clients: {trusted: loopback, header: forwarded, forward: none, requestId: any}
                traces: {url: off, ratio: 0, rate: 1, failures: off}
                drain: {delay: 0s}
                timeline: on
                compression: on
                public: \(scratch.path)
                spoolDirectory: \(scratch.path)
                proxy: http://127.0.0.1:1
                limits: {upstreamBodies: 1MiB}

                """
                    + Self.charts.replacing(
                        "diary: {", with: "diary: {concurrency: 5, breaker: off, dns: system, "))
            let process = try SluiceProcess(
                ["serve", "--config", file, "--watch", "off"], environment: broken)
            _ = try process.readPort()
            process.signal(SIGTERM)
            #expect(process.finish().exitCode == 0)
        }

        @Test("A broken variable that nothing overrides ends the start, and the message names it")
        func brokenVariables() throws {
            let file = try write("silent.yaml", Self.charts)
            for (variable, value) in [("SLUICE_PORT", "http"), ("SLUICE_COMPRESSION", "true")] {
                let served = try SluiceProcess.run("serve", "--config", file, environment: [variable: value])
                #expect(served.exitCode == 2)
                #expect(served.errors.hasPrefix("sluice: \(variable) takes "), "\(served.errors)")
            }
            let admin = try SluiceProcess.run(
                "serve", "--config", file, environment: ["SLUICE_ADMIN": "9901"])
            #expect(admin.exitCode == 2)
            #expect(
                admin.errors.hasPrefix(
                    "sluice: SLUICE_ADMIN: \"9901\" is not a numeric HOST:PORT such as 127.0.0.1:9901, "))
            let pin = try SluiceProcess.run(
                "serve", "--config", file, environment: ["SLUICE_UPSTREAM_CA": "diary=/a.pem"])
            #expect(pin.exitCode == 2)
            #expect(pin.errors.hasPrefix("sluice: SLUICE_UPSTREAM_CA does not go with --config"))
        }

        @Test("The variables of a proxy and its exceptions go with the flags of the other, with a file, too")
        func proxyPair() throws {
            let file = try write("paired.yaml", "listen: {port: 0}\ndrain: {delay: 0s}\n" + Self.charts)
            for (flag, variable) in [
                (["--proxy", "http://127.0.0.1:1"], ["SLUICE_NO_PROXY": "a.test"]),
                (["--no-proxy", "a.test"], ["SLUICE_PROXY": "http://127.0.0.1:1"]),
            ] {
                let process = try SluiceProcess(["serve", "--config", file] + flag, environment: variable)
                _ = try process.readPort()
                process.signal(SIGTERM)
                #expect(process.finish().exitCode == 0)
            }
        }

        @Test("The diary from a file has the data and the status of the one in Swift, under each fault")
        func diary() throws {
            let upstream = try SluiceProcess(["upstream", "--port", "0", "--data", scratch.file("d.sqlite3")])
            let base = "http://127.0.0.1:\(try upstream.readPort())"
            let file = try SluiceProcess(
                [
                    "serve", "--config", Self.examples + "/diary.yaml", "--port", "0", "--drain-delay", "0",
                    "--breaker", "off",
                ], environment: ["DIARY": base])
            let swift = try SluiceProcess([
                "serve", "--port", "0", "--drain-delay", "0", "--breaker", "off",
                "--upstream", "diary=\(base)", "--upstream", "users=\(base)/users",
                "--upstream", "weather=\(base)/weather", "--upstream", "tags=\(base)",
            ])
            let ports = [try file.readPort(), try swift.readPort()]
            for fault in ["none", "status:404", "status:500", "status:503", "garbage", "truncate", "drop"] {
                for api in ["recent", "day", "now", "tags", "users", "diary"] {
                    let (status, _) = try curl(
                        "--request", "PUT", "--data", #"{"api":"\#(api)","fault":"\#(fault)"}"#,
                        base + "/faults")
                    try #require(status == 200)
                    for path in ["/api/weights/charts?fddDate=2026-11-20", "/api/home?date=2026-11-20"] {
                        let answers = try ports.map { try curl("http://127.0.0.1:\($0)\(path)") }
                        let data = try answers.map { answer in
                            try JSONFragment(validating: Array(answer.body.utf8)[...])[member: "data"].map {
                                Array($0.bytes)
                            }
                        }
                        #expect(answers[0].status == answers[1].status, "\(fault) of \(api): \(path)")
                        #expect(data[0] == data[1], "\(fault) of \(api): \(path)")
                        #expect(data[0] != nil)
                    }
                    _ = try curl(
                        "--request", "PUT", "--data", #"{"api":"\#(api)","fault":"none"}"#, base + "/faults")
                }
            }
            for process in [file, swift, upstream] {
                process.signal(SIGTERM)
                #expect(process.finish().exitCode == 0)
            }
        }

        @Test("schema prints a JSON Schema")
        func schema() throws {
            let printed = try SluiceProcess.run("schema")
            #expect(printed.exitCode == 0)
            let schema = try JSONFragment(validating: Array(printed.output.utf8)[...])
            #expect(schema[member: "$schema"]?.stringValue == "http://json-schema.org/draft-07/schema#")
            let included = try SluiceProcess.run("schema", "--included", "on")
            #expect(included.exitCode == 0)
            let other = try JSONFragment(validating: Array(included.output.utf8)[...])
            #expect(
                other[member: "properties"]?.members.map(\.name) == ["schemas", "upstreams", "endpoints"])
        }
    }
}
