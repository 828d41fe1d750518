import Foundation

/// Pebble, a certificate authority for tests that speaks ACME, on free ports of 127.0.0.1. It looks for every
/// name at 127.0.0.1.
package final class ACMEServer: Sendable {
    private static let pebble = PeerProcess.find("pebble")
    /// A DNS server that answers each question with 127.0.0.1.
    private static let names = PeerProcess.find("pebble-challtestsrv")
    package static var isInstalled: Bool { pebble != nil && names != nil }
    /// Why a test is skipped.
    package static let isMissing = "pebble is not installed: make setup"

    private let folder = ScratchFolder()
    private let resolver: PeerProcess
    private let process: PeerProcess
    private let administration: UInt16
    /// Where ACME clients begin.
    package let directory: String
    /// The path of the certificate with which ACME clients verify this server. It issues no certificates.
    package let certificate: String
    /// The port at which it asks for the answers to challenges, instead of 80.
    package let challengePort: Int

    package var log: String { process.log }

    package init() throws {
        guard let pebble = Self.pebble, let names = Self.names else {
            throw PeerFailure(description: Self.isMissing)
        }
        var ports: [UInt16] = []
        for _ in 0..<5 { ports.append(try PeerSocket.freePort()) }
        administration = ports[1]
        challengePort = Int(ports[2])
        directory = "https://127.0.0.1:\(ports[0])/dir"
        certificate = folder.file("server.pem")
        let identity = TestAuthority.shared.issue()
        let configuration = """
            {"pebble": {"certificate": "server.pem", "privateKey": "server.key",
             "listenAddress": "127.0.0.1:\(ports[0])", "managementListenAddress": "127.0.0.1:\(ports[1])",
             "httpPort": \(ports[2]), "tlsPort": \(ports[2])}}
            """
        for (name, text) in [
            ("server.pem", identity.certificate + TestAuthority.shared.pem), ("server.key", identity.key),
            ("pebble.json", configuration),
        ] {
            try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }
        resolver = try PeerProcess(
            names,
            [
                "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dns01", "127.0.0.1:\(ports[3])",
                "-management", "127.0.0.1:\(ports[4])", "-http01", "", "-https01", "", "-tlsalpn01", "",
            ], in: folder)
        // It asks for the challenge of each order, and at once, and refuses no request at random.
        let process = try PeerProcess(
            pebble, ["-config", "pebble.json", "-dnsserver", "127.0.0.1:\(ports[3])"],
            environment: ["PEBBLE_AUTHZREUSE": "0", "PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0"],
            in: folder)
        self.process = process
        try spin(while: !process.log.contains("ACME directory available")) {
            "pebble is not ready: \(process.log)"
        }
    }

    deinit { stop() }

    /// Returns the root of the certificates that it issues, in PEM.
    package func root() throws -> String {
        let client = try RawClient(port: Int(administration))
        try client.startTLS()
        client.send("GET /roots/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return try client.reply().text
    }

    package func stop() {
        process.stop()
        resolver.stop()
    }
}
