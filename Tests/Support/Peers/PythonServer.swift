import Foundation

/// Python's `http.server` on a free port of 127.0.0.1 or a Unix domain socket.
package final class PythonServer: Sendable {
    /// The path of Python; nil if it is not installed.
    package static let program = PeerProcess.find("python3")
    package static var isInstalled: Bool { program != nil }
    /// Why a test is skipped.
    package static let isMissing = "python3 is not installed: make setup"

    /// Serves the files of its folder in HTTP/1.0, as `python3 -m http.server` does.
    package static let files = "class Handler(http.server.SimpleHTTPRequestHandler): pass"

    package let folder: ScratchFolder
    /// 0 on a Unix domain socket.
    package let port: UInt16
    package let unixPath: String?
    private let process: PeerProcess

    package var processID: Int32 { process.processID }
    package var log: String { process.log }

    /// - Parameters:
    ///   - handler: Python that defines `Handler`, a `http.server.BaseHTTPRequestHandler`. `http.server`,
    ///     `socket`, `sys` and `time` are imported.
    ///   - files: the initial files of its folder.
    package init(
        _ handler: String = PythonServer.files, files: [String: [UInt8]] = [:], onUnixSocket: Bool = false,
        in folder: ScratchFolder = ScratchFolder()
    ) throws {
        guard let program = Self.program else { throw PeerFailure(description: Self.isMissing) }
        self.folder = folder
        unixPath = onUnixSocket ? folder.file("python.socket") : nil
        let socket = try unixPath.map { try PeerSocket(unixPath: $0) } ?? PeerSocket()
        defer { socket.close() }
        port = socket.port
        for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name))) }
        let script = """
            import http.server, socket, sys, time
            \(handler)
            class Server(http.server.ThreadingHTTPServer):
                def get_request(self):
                    connection, address = super().get_request()
                    return connection, address or ("unix", 0)
            server = Server(("127.0.0.1", 0), Handler, bind_and_activate=False)
            server.socket.close()
            server.socket = socket.socket(fileno=3)
            server.server_address = server.socket.getsockname()
            server.serve_forever()
            """
        try script.write(toFile: folder.file("server.py"), atomically: true, encoding: .utf8)
        process = try PeerProcess(
            program, [folder.file("server.py")], listener: socket.descriptor, in: folder)
    }

    package func stop() { process.stop() }
}
