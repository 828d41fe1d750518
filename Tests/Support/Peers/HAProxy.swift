import Foundation

/// HAProxy on a free port of 127.0.0.1, in front of one server.
package final class HAProxy: Sendable {
    /// The path of haproxy; nil if it is not installed.
    package static let program = PeerProcess.find("haproxy")
    package static var isInstalled: Bool { program != nil }
    /// Why a test is skipped.
    package static let isMissing = "haproxy is not installed: make setup"

    package let folder: ScratchFolder
    package let port: UInt16
    private let process: PeerProcess

    package var log: String { process.log }

    /// - Parameters:
    ///   - port: the server's, on 127.0.0.1.
    ///   - mode: `tcp` or `http`.
    ///   - server: parameters of `server`, such as `send-proxy-v2`.
    ///   - frontend: further lines of the frontend, such as `option forwardfor`.
    package init(
        before port: Int, mode: String = "tcp", server: String = "", frontend: String = "",
        in folder: ScratchFolder = ScratchFolder()
    ) throws {
        guard let program = Self.program else { throw PeerFailure(description: Self.isMissing) }
        self.folder = folder
        let socket = try PeerSocket()
        defer { socket.close() }
        self.port = socket.port
        let configuration = """
            defaults
                mode \(mode)
                timeout connect 60s
                timeout client 60s
                timeout server 60s
            frontend clients
                bind fd@3
                \(frontend)
                default_backend servers
            backend servers
                server server 127.0.0.1:\(port) \(server)

            """
        try configuration.write(toFile: folder.file("haproxy.cfg"), atomically: true, encoding: .utf8)
        process = try PeerProcess(
            program, ["-db", "-f", folder.file("haproxy.cfg")], listener: socket.descriptor, in: folder)
    }

    package func stop() { process.stop() }
}
