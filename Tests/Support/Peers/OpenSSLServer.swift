import Foundation

/// `openssl s_server`, on a free port of 127.0.0.1.
package final class OpenSSLServer: Sendable {
    /// The path of openssl; nil if it is not installed.
    package static let program = PeerProcess.find("openssl")
    package static var isInstalled: Bool { program != nil }
    /// Why a test is skipped.
    package static let isMissing = "openssl is not installed: make setup"

    package let folder: ScratchFolder
    package let port: UInt16
    private let process: PeerProcess

    package var log: String { process.log }

    /// Starts a server that answers each request with a page about its connection, in HTTP/1.0, unless
    /// `arguments` change that.
    ///
    /// - Parameters:
    ///   - identity: its certificate and key.
    ///   - arguments: further arguments: `-tls1_2`, `-cipher`, `-Verify`.
    ///   - clientAuthority: the authority whose certificates `-Verify` accepts.
    package init(
        _ identity: TestIdentity = TestAuthority.shared.issue(), _ arguments: String...,
        clientAuthority: TestAuthority? = nil, page: Bool = true, in folder: ScratchFolder = ScratchFolder()
    ) async throws {
        guard let program = Self.program else { throw PeerFailure(description: Self.isMissing) }
        self.folder = folder
        for (name, text) in [
            ("certificate.pem", identity.certificate), ("key.pem", identity.key),
            ("clients.pem", clientAuthority?.pem ?? ""),
        ] {
            try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }
        var all = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", folder.file("certificate.pem"), "-key",
            folder.file("key.pem"),
        ]
        if clientAuthority != nil { all += ["-CAfile", folder.file("clients.pem")] }
        if page { all.append("-www") }
        let process = try PeerProcess(program, all + arguments, in: folder)
        self.process = process
        // It prints the port on which it listens.
        func readPort() throws -> UInt16? {
            let log = process.log
            if log.contains("error") { throw PeerFailure(description: log) }
            let line = log.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
            return line.flatMap { UInt16($0.split(separator: ":").last ?? "") }
        }
        try await poll(while: try readPort() == nil) { "no port in the log: \(process.log)" }
        port = try readPort() ?? 0
    }

    package func stop() { process.stop() }
}
