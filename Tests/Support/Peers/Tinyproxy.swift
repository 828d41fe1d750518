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
        try spin(while: !Self.listens(port)) { "nothing listens at port \(port): \(process.log)" }
    }

    package func stop() { process.stop() }

    private static func listens(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
