import Foundation
import TestSupport
import Testing

extension CommandTests {
    @Suite("health with a file")
    struct HealthFileTests {
        private let folder = ScratchFolder()

        private func file(_ text: String) throws -> String {
            let path = folder.file("sluice.yaml")
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }

        /// Runs a gateway on a free port while the body runs.
        private func withGateway(_ body: (_ port: Int) throws -> Void) throws {
            let file = folder.file("served.yaml")
            try "version: 1\nendpoints: [{get: /a, data: {value: 1}}]\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            let gateway = try SluiceProcess([
                "serve", "--config", file, "--port", "0", "--drain-delay", "0",
            ])
            let port = try gateway.readPort()
            try body(port)
            gateway.signal(SIGTERM)
            #expect(gateway.finish().exitCode == 0)
        }

        @Test("health asks where the file says, and loopback for all interfaces")
        func address() throws {
            try withGateway { port in
                for host in ["127.0.0.1", "localhost", "0.0.0.0"] {
                    let path = try file("version: 1\nlisten: {host: \(host), port: \(port)}\n")
                    let health = try SluiceProcess.run("health", "--config", path)
                    #expect(health.exitCode == 0, "\(health.errors)")
                    #expect(health.output.isEmpty && health.errors.isEmpty)
                }
                let path = try file("version: 1\nlisten: {host: \"::\", port: \(port)}\n")
                let health = try SluiceProcess.run("health", "--config", path)
                #expect(health.exitCode == 1)
                #expect(health.errors.hasPrefix("sluice: not ready: http://[::1]:\(port)/health/ready: "))
            }
        }

        @Test("A flag has precedence over the file, the file over a variable, and that over the default")
        func precedence() throws {
            try withGateway { port in
                let good = try file("version: 1\nlisten: {port: \(port)}\n")
                let variables = ["SLUICE_PORT": "1", "SLUICE_HOST": "::1"]
                // The host comes from the variable, the port from the file.
                let mixed = try SluiceProcess.run("health", "--config", good, environment: variables)
                #expect(mixed.errors.hasPrefix("sluice: not ready: http://[::1]:\(port)/"))
                let flagged = try SluiceProcess.run(
                    "health", "--config", good, "--host", "127.0.0.1", environment: variables)
                #expect(flagged.exitCode == 0, "\(flagged.errors)")
                let port1 = try SluiceProcess.run("health", "--config", good, "--port", "1")
                #expect(port1.exitCode == 1)
                #expect(port1.errors.hasPrefix("sluice: not ready: http://127.0.0.1:1/health/ready: "))
                let named = try SluiceProcess.run("health", environment: ["SLUICE_CONFIG": good])
                #expect(named.exitCode == 0, "\(named.errors)")
                let silent = try file("version: 1\n")
                let variable = try SluiceProcess.run(
                    "health", "--config", silent, environment: ["SLUICE_PORT": "\(port)"])
                #expect(variable.exitCode == 0, "\(variable.errors)")
            }
        }

        @Test("A URL has precedence over a variable that names a file, and contradicts a flag that does")
        func url() throws {
            try withGateway { port in
                let url = "http://127.0.0.1:\(port)"
                let asked = try SluiceProcess.run(
                    "health", url, environment: ["SLUICE_CONFIG": "/none/sluice.yaml"])
                #expect(asked.exitCode == 0, "\(asked.errors)")
                let flagged = try SluiceProcess.run(
                    "health", "--host", "127.0.0.1", "--port", "\(port)",
                    environment: ["SLUICE_CONFIG": "/none/sluice.yaml"])
                #expect(flagged.exitCode == 0, "\(flagged.errors)")
                let both = try SluiceProcess.run("health", url, "--config", "/none/sluice.yaml")
                #expect(both.exitCode == 2)
                #expect(both.errors.hasPrefix("sluice: health takes a URL or --config, not both; run "))
            }
        }

        @Test("Missing secrets, variables and included files do not make a running gateway unhealthy")
        func secrets() throws {
            try withGateway { port in
                let path = try file(
                    """
                    version: 1
                    listen: {port: \(port)}
                    include: [none.yaml]
                    upstreams:
                      api: {url: "${NOT_SET}", headers: {X-Key: "${file:\(folder.file("none"))}"}}

                    """)
                #expect(try SluiceProcess.run("check", path).exitCode == 1)
                let health = try SluiceProcess.run("health", "--config", path)
                #expect(health.exitCode == 0, "\(health.errors)")
            }
        }

        @Test("What is wrong with listen is printed with its place, and the exit code is 1")
        func problems() throws {
            for (text, line) in [
                ("listen: {port: \"80\"}", "1:16: error: listen.port: \"80\" is text; remove the quotes"),
                (
                    "listen: {host: example.com}",
                    "1:16: error: host takes a numeric address such as 127.0.0.1 or ::1, or localhost, "
                        + "not \"example.com\""
                ),
            ] {
                let path = try file(text + "\n")
                let health = try SluiceProcess.run("health", "--config", path)
                #expect(health.exitCode == 1)
                #expect(health.errors == "\(path):\(line)\n")
            }
            let missing = try SluiceProcess.run("health", "--config", folder.file("none.yaml"))
            #expect(missing.exitCode == 1)
            #expect(
                missing.errors
                    == "\(folder.file("none.yaml")):1:1: error: the file cannot be read: no such file\n")
        }

        @Test("A gateway on any free port needs a URL or a port")
        func anyPort() throws {
            let path = try file("version: 1\nlisten: {port: 0}\n")
            let health = try SluiceProcess.run("health", "--config", path)
            #expect(health.exitCode == 2)
            #expect(
                health.errors.hasPrefix(
                    "sluice: the gateway listens on any free port (0); give health its URL or --port; run "))
        }
    }
}
