import Foundation
import Glibc
import TestSupport

/// A running `sluice serve` that speaks TLS for `app.test` and other names, and redirects to it.
final class SecureGateway: Sendable {
    private let folder = ScratchFolder()
    private let process: PeerProcess
    /// Where the gateway speaks TLS.
    let port: Int
    /// Where it redirects from plain HTTP.
    let redirectPort: Int

    /// - Parameter owner: whom the certificate names.
    init(owner: String) async throws {
        // Free now: the program does not log this port.
        let free = try ScriptedUpstream(.closed, [])
        free.stop()
        redirectPort = Int(free.port)
        try Self.write(owner, to: folder)
        let file = """
            version: 1
            hosts: [app.test, www.app.test, other.test]
            listen:
              tls: {cert: app.pem, key: app.key, hsts: {maxAge: 1h}}
              redirect: {port: \(redirectPort)}
            endpoints:
            - {get: /hello, data: {value: "Hello"}}

            """
        try file.write(toFile: folder.file("sluice.yaml"), atomically: true, encoding: .utf8)
        let process = try PeerProcess(
            Demo.program,
            [
                "serve", "--config", "sluice.yaml", "--port", "0", "--drain-delay", "0", "--admin", "off",
            ], in: folder)
        self.process = process
        port = try await answer("the gateway logs its address") {
            process.log.firstMatch(of: /listening on https:\/\/127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
        }
    }

    /// What the gateway has logged.
    var log: String { process.log }

    /// Serves another certificate from now on.
    func renew(owner: String) async throws {
        try Self.write(owner, to: folder)
        kill(process.processID, SIGHUP)
        try await eventually("the gateway has reloaded") { log.contains("configuration reloaded") }
    }

    private static func write(_ owner: String, to folder: ScratchFolder) throws {
        let identity = TestAuthority.shared.issue(
            "DNS:app.test,DNS:www.app.test,DNS:other.test", name: owner)
        for (name, text) in [("app.pem", identity.certificate), ("app.key", identity.key)] {
            try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }
    }

    func stop() {
        kill(process.processID, SIGTERM)
        process.stop()
    }
}
