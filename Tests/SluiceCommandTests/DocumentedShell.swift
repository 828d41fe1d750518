import Foundation
import TestSupport
import Testing

/// Runs the commands of an article as a reader's shell does, in a copy of `docker/examples`.
///
/// A command that ends with ` &` starts a server. It listens on a free port, which stands for the port that
/// the article names. The program reads the addresses of the others from `API` and `SESSION`.
final class DocumentedShell {
    private let folder = ScratchFolder()
    private let environment: [String: String]
    /// The ports of the servers by the ports in the article.
    private var ports: [String: String] = [:]
    private var servers: [PeerProcess] = []

    /// - Parameter variables: further variables of the commands' environment.
    init(examples: String, _ variables: [String: String] = [:]) throws {
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: examples) {
            try files.copyItem(atPath: "\(examples)/\(name)", toPath: folder.file(name))
        }
        try files.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
        try files.createSymbolicLink(
            atPath: folder.file("bin/sluice"),
            withDestinationPath: Bundle.main.bundleURL.appendingPathComponent("sluice").path)
        let inherited = ProcessInfo.processInfo.environment
        environment = inherited.filter { !$0.key.hasPrefix("SLUICE_") }.merging([
            "PATH": "\(folder.file("bin")):\(inherited["PATH"] ?? "/usr/bin:/bin")", "SLUICE_ADMIN": "off",
        ]) { $1 }.merging(variables) { $1 }
    }

    /// Returns a path in the folder in which the commands run.
    func file(_ name: String) -> String { folder.file(name) }

    /// The port of the server at this port of the article.
    func port(of shown: String) throws -> Int {
        try #require(ports[shown].flatMap { Int($0) }, "no server is at port \(shown)")
    }

    /// Installs a script that replaces or wraps a program.
    func install(_ name: String, _ script: String) throws {
        let path = folder.file("bin/\(name)")
        try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    /// Runs a command and returns its output; a server's is empty.
    ///
    /// - Parameter isPatient: Whether to repeat the command until it succeeds.
    func run(_ command: String, isPatient: Bool = false) throws -> String {
        if command.hasSuffix(" &") {
            try start(String(command.dropLast(2)))
            return ""
        }
        var result = try end(of: command)
        // A log is written a little after the answer.
        if isPatient || command.hasPrefix("grep ") {
            try spin(
                while: try {
                    if result.status != 0 { result = try end(of: command) }
                    return result.status != 0
                }()
            ) { "exit status \(result.status) of: \(command)" }
        }
        guard result.status == 0 else {
            throw DocumentedSession.Failure(description: "exit status \(result.status) of: \(command)")
        }
        return result.output
    }

    private func end(of command: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.environment = environment
        let curl = "curl() { command curl --silent --show-error --max-time 20 \"$@\"; }; "
        process.arguments = ["-c", curl + withPorts(command)]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForEnd()
        let shown = ports.reduce(output) {
            $0.replacingOccurrences(of: "127.0.0.1:\($1.value)", with: "127.0.0.1:\($1.key)")
        }
        return (process.terminationStatus, shown)
    }

    private func withPorts(_ command: String) -> String {
        ports.reduce(command) {
            $0.replacingOccurrences(of: "127.0.0.1:\($1.key)", with: "127.0.0.1:\($1.value)")
        }
    }

    private func start(_ command: String) throws {
        let words = command.firstMatch(of: /(--port|authorizer\.py) (\d+)/)
        let shown = words.map { String($0.2) } ?? "8080"
        var command = command
        if let words { command.replaceSubrange(words.2.startIndex..<words.2.endIndex, with: "0") }
        let output = command.firstMatch(of: /> (\S+)/).map { String($0.1) } ?? "server\(servers.count).log"
        if !command.contains("> ") { command += " > \(output) 2>&1" }
        command = command.replacingOccurrences(
            of: "sluice serve",
            with: "sluice serve \(words == nil ? "--port 0 " : "")--drain-delay 0 --loops 1")
        command = command.replacingOccurrences(
            of: "sluice upstream", with: "sluice upstream --data upstream.sqlite3")
        var variables = environment
        if let port = ports["8081"] { variables["API"] = "http://127.0.0.1:\(port)" }
        if let port = ports["4180"] { variables["SESSION"] = "http://127.0.0.1:\(port)" }
        servers.append(
            try PeerProcess("/bin/sh", ["-c", "exec \(command)"], environment: variables, in: folder))
        func log() -> String { (try? String(contentsOfFile: folder.file(output), encoding: .utf8)) ?? "" }
        func port() -> String? {
            log().firstMatch(of: /listening on https?:\/\/127\.0\.0\.1:(\d+)\n/).map { String($0.1) }
        }
        try spin(while: port() == nil) { "\(command) has printed: \(log())" }
        ports[shown] = port()
    }

    func end() {
        for server in servers { server.stop() }
        servers = []
    }
}
