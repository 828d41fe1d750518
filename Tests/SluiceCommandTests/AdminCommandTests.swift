import Foundation
import TestSupport
import Testing

extension CommandTests {
    @Suite("Commands that ask a running gateway")
    struct AdminCommandTests {
        private let folder = ScratchFolder()
        private var socket: String { "unix:\(folder.file("admin.sock"))" }
        private var file: String { folder.file("sluice.yaml") }
        /// For the commands as for the gateway.
        private var environment: [String: String] { ["SLUICE_ADMIN": socket] }

        private static let text = "version: 1\ndrain: {delay: 0s}\nendpoints: [{get: /a, data: {value: 1}}]\n"

        private func write(_ text: String) throws {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        }

        private func run(_ words: String...) throws -> SluiceProcess.Output {
            try SluiceProcess(words, environment: environment).finish()
        }

        private func start(_ more: String...) throws -> SluiceProcess {
            try write(Self.text)
            let gateway = try SluiceProcess(
                ["serve", "--config", file, "--port", "0"] + more, environment: environment)
            _ = try gateway.readPort()
            return gateway
        }

        /// Runs a gateway while the body runs.
        private func withGateway(_ body: () throws -> Void) throws {
            let gateway = try start()
            try body()
            gateway.signal(SIGTERM)
            #expect(gateway.finish().exitCode == 0)
        }

        @Test("health asks the running process, so a mistake on disk makes no gateway unhealthy")
        func health() throws {
            let absent = try run("health")
            #expect(absent.exitCode == 1)
            #expect(absent.errors.hasPrefix("sluice: not ready: http+\(socket)/health/ready: "))
            try withGateway {
                for text in [Self.text, "version: [", "", "listen: {port: 1}\n"] {
                    try write(text)
                    let health = try run("health")
                    #expect(health.exitCode == 0, "\(health.errors)")
                    #expect(health.output.isEmpty && health.errors.isEmpty)
                }
                try FileManager.default.removeItem(atPath: file)
                #expect(try run("health").exitCode == 0)
            }
            let gone = try run("health", "--config", file)
            #expect(gone.exitCode == 2)
            #expect(gone.errors.hasPrefix("sluice: --config is gone: health reads no file: it asks "))
            let two = try run("health", "--url", "http://127.0.0.1:1", "http://127.0.0.1:1")
            #expect(two.exitCode == 2)
            #expect(two.errors.hasPrefix("sluice: health takes one URL, not two; run "))
            let off = try SluiceProcess.run("health")
            #expect(off.exitCode == 2)
            #expect(off.errors.hasPrefix("sluice: SLUICE_ADMIN is off: the gateway has no admin listener"))
        }

        @Test("reload prints every complaint as check does and exits with 1, or tells the generation")
        func reload() throws {
            try withGateway {
                try write(Self.text + "limits: {deadline: 5, answr: 1MiB}\n")
                let refused = try run("reload")
                #expect(refused.exitCode == 1)
                let check = try run("check", file)
                #expect(check.output.split(separator: "\n").count == 2)
                #expect(refused.output == check.output)
                #expect(
                    refused.errors
                        == "sluice: http+\(socket)/reload answered 422: The configuration was not reloaded; "
                        + "the old one stays in use\n")
                try write(Self.text + "upstreams: {unused: {url: \"http://127.0.0.1:1\"}}\n")
                let accepted = try run("reload")
                #expect(accepted.exitCode == 0)
                let problems = try run("check", file).output.split(separator: "\n").dropLast()
                #expect(problems.count == 1)
                #expect(accepted.output == problems.joined() + "\nreloaded: generation 2\n")
                #expect(accepted.errors.isEmpty)
            }
            #expect(try run("reload").exitCode == 1)
        }

        @Test("drain ends the gateway, and a token is needed if there is one")
        func drain() throws {
            let token = folder.file("token")
            try "0123456789abcdef\n".write(toFile: token, atomically: true, encoding: .utf8)
            let gateway = try start("--admin-token-file", token)
            let refused = try run("drain")
            #expect(refused.exitCode == 1)
            #expect(refused.errors.contains("/drain answered 401: This address needs the admin token"))
            #expect(try run("health").exitCode == 0)
            let drained = try run("drain", "--admin-token-file", token)
            #expect(drained.exitCode == 0, "\(drained.errors)")
            #expect(drained.output.hasPrefix("draining sluice at http://127.0.0.1:"))
            #expect(drained.errors.isEmpty)
            #expect(gateway.finish().exitCode == 0)
        }

        @Test("A token file that is missing or has no token ends the start, and the token is not shown")
        func tokens() throws {
            let missing = try run("serve", "--port", "0", "--admin-token-file", folder.file("none"))
            #expect(missing.exitCode == 1)
            #expect(
                missing.errors
                    == "sluice: --admin-token-file: \(folder.file("none")) cannot be read: no such file\n")
            let token = folder.file("token")
            try "0123456789 abcdef\n".write(toFile: token, atomically: true, encoding: .utf8)
            let wrong = try run("serve", "--port", "0", "--admin-token-file", token)
            #expect(wrong.exitCode == 1)
            #expect(
                wrong.errors
                    == "sluice: --admin-token-file: \(token) is not 16 to 256 visible ASCII characters\n")
        }

        @Test("A named admin address that is taken ends the start")
        func taken() throws {
            try withGateway {
                let second = try run("serve", "--port", "0")
                #expect(second.exitCode == 1)
                #expect(
                    second.errors == "sluice: --admin \(socket) is taken: another program listens there\n")
            }
        }
    }
}
