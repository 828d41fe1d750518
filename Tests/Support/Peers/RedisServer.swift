import Foundation
import Glibc

/// redis-server on a Unix domain socket and, with TLS, on a free port of 127.0.0.1. It keeps nothing on disk.
package final class RedisServer: Sendable {
    /// The path of redis-server; nil if it is not installed.
    package static let program = PeerProcess.find("redis-server", "valkey-server")
    package static var isInstalled: Bool { program != nil }
    /// Why a test is skipped.
    package static let isMissing = "redis-server is not installed: make setup"

    package let folder: ScratchFolder
    package let unixPath: String
    /// The port; 0 without TCP and TLS.
    package let port: UInt16
    private let password: String?
    private let process: PeerProcess

    package var processID: Int32 { process.processID }
    package var log: String { process.log }

    /// Where it listens, besides its socket.
    package enum Port: Sendable {
        case none
        case tcp
        /// With a certificate of `TestAuthority.shared` for localhost and 127.0.0.1.
        case tls
    }

    /// - Parameters:
    ///   - arguments: further arguments, such as `--maxmemory 1mb`, one word each.
    ///   - password: what clients have to send.
    ///   - folder: the same for a server that takes the place of a stopped one.
    package init(
        _ arguments: String..., listens: Port = .none, password: String? = nil,
        in folder: ScratchFolder = ScratchFolder()
    ) throws {
        guard let program = Self.program else { throw PeerFailure(description: Self.isMissing) }
        self.folder = folder
        self.password = password
        unixPath = folder.file("redis.socket")
        var all = [
            "--unixsocket", unixPath, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
            "--daemonize",
            "no", "--dir", folder.path,
        ]
        if let password { all += ["--requirepass", password] }
        switch listens {
        case .none:
            port = 0
            all += ["--port", "0"]
        case .tcp:
            port = try PeerSocket.freePort()
            all += ["--port", "\(port)"]
        case .tls:
            port = try PeerSocket.freePort()
            let identity = TestAuthority.shared.issue()
            for (name, text) in [("certificate.pem", identity.certificate), ("key.pem", identity.key)] {
                try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
            }
            all += [
                "--port", "0", "--tls-port", "\(port)", "--tls-cert-file", folder.file("certificate.pem"),
                "--tls-key-file", folder.file("key.pem"), "--tls-auth-clients", "no",
            ]
        }
        let process = try PeerProcess(program, all + arguments, in: folder)
        self.process = process
        try spin(while: !process.log.lowercased().contains("ready to accept connections")) {
            "redis-server is not ready: \(process.log)"
        }
    }

    deinit { stop() }

    package func stop() {
        thaw()
        process.stop()
    }

    /// Stops its process, which keeps all connections.
    package func freeze() { kill(processID, SIGSTOP) }

    /// Lets its process go on.
    package func thaw() { kill(processID, SIGCONT) }

    /// Sends a command over a connection of its own. Returns the reply as it is on the wire, without its last
    /// line end.
    @discardableResult
    package func command(_ words: String...) throws -> String { try command(words) }

    @discardableResult
    package func command(_ words: [String]) throws -> String {
        let login = password.map { [["AUTH", $0]] } ?? []
        let commands = login + [words, ["QUIT"]]
        let text = commands.map { words in
            "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
        }
        var reply = try exchange(text.joined())[...]
        let quit = "+OK\r\n"
        if password != nil, reply.hasPrefix(quit) { reply = reply.dropFirst(quit.count) }
        guard reply.hasSuffix(quit) else { throw PeerFailure(description: "\(words) was answered: \(reply)") }
        reply = reply.dropLast(quit.count)
        return String(reply.hasSuffix("\r\n") ? reply.dropLast() : reply)
    }

    private func exchange(_ text: String) throws -> String {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: unixPath.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw PeerFailure(description: "connect to redis: errno \(errno)") }
        var peer = ScriptedPeer(descriptor: descriptor)
        guard peer.send(Array(text.utf8)) else { throw PeerFailure(description: "redis does not read") }
        var bytes: [UInt8] = []
        while let byte = peer.read(1) { bytes += byte }
        return String(decoding: bytes, as: UTF8.self)
    }
}
