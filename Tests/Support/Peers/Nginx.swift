import Foundation

/// nginx on a free port of 127.0.0.1 or a Unix domain socket, with its own configuration, root and logs.
package final class Nginx: Sendable {
    /// The path of nginx; nil if it is not installed.
    package static let program = PeerProcess.find("nginx")
    package static var isInstalled: Bool { program != nil }
    /// Why a test is skipped.
    package static let isMissing = "nginx is not installed: make setup"

    /// The path of the brotli module; nil if it is not installed.
    package static let brotliModule: String? = ["/usr/lib/nginx/modules", "/usr/lib64/nginx/modules"]
        .map { $0 + "/ngx_http_brotli_filter_module.so" }.first { access($0, R_OK) == 0 }

    package let folder: ScratchFolder
    /// 0 on a Unix domain socket.
    package let port: UInt16
    package let unixPath: String?
    private let process: PeerProcess

    /// The document root; `file(_:)` returns a path in it.
    package var root: String { folder.file("www") }
    package var processID: Int32 { process.processID }
    /// One line per finished request: status, request line, body bytes sent.
    package var accessLog: String { contents("access.log") }
    package var errorLog: String { contents("error.log") + process.log }

    /// - Parameters:
    ///   - server: directives of the server block, such as `location /slow { limit_rate 10k; }`.
    ///   - listen: parameters of `listen`, such as `ssl`.
    ///   - http: directives of the http block.
    ///   - main: top-level directives, such as `load_module`.
    ///   - files: initial files of the root, by name.
    ///   - onUnixSocket: whether it listens on `unixPath` instead of a port.
    package init(
        _ server: String = "", listen: String = "", http: String = "", main: String = "",
        files: [String: [UInt8]] = [:],
        onUnixSocket: Bool = false, in folder: ScratchFolder = ScratchFolder()
    ) throws {
        guard let program = Self.program else { throw PeerFailure(description: Self.isMissing) }
        self.folder = folder
        unixPath = onUnixSocket ? folder.file("nginx.socket") : nil
        let socket = try unixPath.map { try PeerSocket(unixPath: $0) } ?? PeerSocket()
        defer { socket.close() }
        port = socket.port
        try FileManager.default.createDirectory(
            atPath: folder.file("www"), withIntermediateDirectories: true)
        for (name, bytes) in files {
            try Data(bytes).write(to: URL(fileURLWithPath: folder.file("www/" + name)))
        }
        let address = unixPath.map { "unix:\($0)" } ?? "127.0.0.1:\(port)"
        let path = folder.path
        // The worker has to write to this test's folder. Without root, nginx ignores `user`.
        let configuration = """
            \(main)
            daemon off;
            user root;
            worker_processes 1;
            pid \(path)/nginx.pid;
            error_log \(path)/error.log info;
            events { worker_connections 512; }
            http {
                log_format brief '$status $request $body_bytes_sent';
                access_log \(path)/access.log brief;
                client_body_temp_path \(path)/body;
                proxy_temp_path \(path)/proxy;
                fastcgi_temp_path \(path)/fastcgi;
                uwsgi_temp_path \(path)/uwsgi;
                scgi_temp_path \(path)/scgi;
                default_type application/octet-stream;
                sendfile on;
                \(http)
                server {
                    listen \(address) \(listen);
                    root \(path)/www;
                    \(server)
                }
            }
            """
        try configuration.write(toFile: folder.file("nginx.conf"), atomically: true, encoding: .utf8)
        process = try PeerProcess(
            program, ["-p", path, "-e", folder.file("error.log"), "-c", folder.file("nginx.conf")],
            // nginx takes over the sockets listed in NGINX, as in an upgrade of its binary.
            environment: ["NGINX": "3;"], listener: socket.descriptor, in: folder)
    }

    package func file(_ name: String) -> String { root + "/" + name }

    package func stop() { process.stop() }

    private func contents(_ name: String) -> String {
        (try? String(contentsOfFile: folder.file(name), encoding: .utf8)) ?? ""
    }
}
