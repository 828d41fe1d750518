import Foundation
import Glibc

/// tinyproxy, on a free port of 127.0.0.1.
package final class Tinyproxy: Sendable {
    /// The path of tinyproxy; nil if it is not installed.
    package static let program = PeerProcess.find("tinyproxy")
    package static var isInstalled: Bool { program != nil }
    /// Why a test is skipped.
    package static let isMissing = "tinyproxy is not installed: make setup"

    package let folder: ScratchFolder
    package let port: UInt16
    private let process: PeerProcess

    package var log: String { process.log }

    /// - Parameter directives: further directives, such as `BasicAuth user password`.
    package init(_ directives: String = "", in folder: ScratchFolder = ScratchFolder()) async throws {
        guard let program = Self.program else { throw PeerFailure(description: Self.isMissing) }
        self.folder = folder
        // It cannot inherit a socket, so it gets a port that is free now.
        let socket = try PeerSocket()
        port = socket.port
        socket.close()
        let configuration = """
            Port \(port)
            Listen 127.0.0.1
            Timeout 60
            MaxClients 50
            LogLevel Connect
            Allow 127.0.0.1
            \(directives)
            """
        try (configuration + "\n").write(
            toFile: folder.file("tinyproxy.conf"), atomically: true, encoding: .utf8)
        process = try PeerProcess(program, ["-d", "-c", folder.file("tinyproxy.conf")], in: folder)
        try spin(while: !PeerSocket.listens(at: port)) { "nothing listens at port \(port): \(process.log)" }
    }

    package func stop() { process.stop() }
}
