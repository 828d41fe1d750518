import Foundation
import GatewayCore
import TestSupport
import Testing

@testable import GatewayHTTP

/// A gateway that serves a file, which its test changes.
final class FileGateway {
    let scratch = ScratchFolder()
    let path: String
    let server: GatewayServer

    /// - Parameters:
    ///   - text: the contents of the file.
    ///   - log: the descriptor for messages, instead of the standard streams.
    ///   - configure: changes what the file does not set.
    ///   - unknownKeyPause: the time between two fetches of signing keys for unknown ones.
    ///   - declare: declares the endpoints beside the file.
    init(
        _ text: String, prepare: (ScratchFolder) throws -> Void = { _ in }, log: Int32? = nil,
        configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        unknownKeyPause: Duration = .seconds(30), declare: @escaping @Sendable (Gateway) throws -> Void
    ) throws {
        path = scratch.file("sluice.yaml")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try prepare(scratch)
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.accessLog = false
        configuration.logLevel = .error
        configuration.drainDelay = .zero
        configuration.hosts = .any
        configure(&configuration)
        let logs = log.map { Logs(configuration, output: $0, errors: $0) }
        server = try GatewayServer(
            ServedFile(path, configuration, beside: declare), logs: logs,
            access: AccessState(unknownKeyPause: unknownKeyPause))
        server.accept()
    }

    /// A test that forgets to stop its gateway, or stops its server without waiting, leaves no thread or
    /// descriptor behind.
    deinit { stop() }

    /// A gateway that serves a file alone.
    convenience init(
        _ text: String, prepare: (ScratchFolder) throws -> Void = { _ in }, log: Int32? = nil,
        configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        unknownKeyPause: Duration = .seconds(30)
    ) throws {
        try self.init(
            text, prepare: prepare, log: log, configure: configure, unknownKeyPause: unknownKeyPause,
            declare: { _ in })
    }

    /// A gateway with endpoints in Swift beside its file.
    static func beside(
        _ text: String, _ declare: @escaping @Sendable (Gateway) throws -> Void
    ) throws -> FileGateway {
        try FileGateway(text, declare: declare)
    }

    func write(_ text: String, to name: String = "sluice.yaml") throws {
        try text.write(toFile: scratch.file(name), atomically: true, encoding: .utf8)
    }

    /// Writes the file and reloads it.
    func reload(_ text: String) throws {
        try write(text)
        try server.reload()
    }

    /// Returns the problems of a reload that fails.
    func problems(of text: String) throws -> [String] {
        try write(text)
        do {
            try server.reload()
        } catch let error as GatewayReloadError {
            return error.problems.map { $0.replacing(scratch.path + "/", with: "") }
        }
        Issue.record("the file was accepted")
        return []
    }

    /// Sends a request over a connection of its own.
    func get(_ target: String) throws -> RawClient.Reply {
        let client = try RawClient(port: server.port)
        defer { client.close() }
        return try #require(client.get(target))
    }

    func stop() {
        server.stop()
        server.waitUntilStopped()
    }

    /// One endpoint for each upstream, at its name, which calls `/x` there.
    ///
    /// - Parameter upstreams: their ports, and what else the file says about each.
    static func text(
        _ upstreams: KeyValuePairs<String, (port: UInt16, rest: String)>, more: String = ""
    ) -> String {
        var text = "version: 1\n" + more
        text += "upstreams:\n"
        for (name, upstream) in upstreams {
            text += "  \(name): {url: \"http://127.0.0.1:\(upstream.port)\"\(upstream.rest)}\n"
        }
        text += "endpoints:\n"
        for (name, _) in upstreams {
            text += "- get: /\(name)\n  parts: {part: {upstream: \(name), get: /x}}\n"
        }
        return text
    }

    static func ok(_ json: String = "1") -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)"
    }
}
