import Foundation
import TestSupport
import Testing

@testable import GatewayHTTP

/// The files that the watch of a gateway looks at, and the watch itself.
@Suite("The files behind a reload", .timeLimit(.minutes(2)))
struct ReloadedFilesTests {
    /// Moves a link to another target as Kubernetes does: it makes a new one and renames it over the old one.
    private static func link(_ path: String, to target: String) throws {
        let fresh = path + ".new"
        try FileManager.default.createSymbolicLink(atPath: fresh, withDestinationPath: target)
        #expect(rename(fresh, path) == 0)
    }

    private static let root = """
        version: 1
        include: [parts/*.yaml]
        endpoints:
        - get: /root
          parts: {is: {value: 1}}

        """

    private static func included(_ name: String, _ value: String = "1") -> String {
        "endpoints:\n- get: /\(name)\n  parts: {is: {value: \(value)}}\n"
    }

    private func gateway() throws -> FileGateway {
        try FileGateway(
            Self.root,
            prepare: { scratch in
                try FileManager.default.createDirectory(
                    atPath: scratch.file("parts"), withIntermediateDirectories: true)
                try Self.included("a").write(
                    toFile: scratch.file("parts/a.yaml"), atomically: true, encoding: .utf8)
            })
    }

    @Test("Rule 11: a change of an included file and a new file of a pattern are noticed")
    func includes() throws {
        let gateway = try gateway()
        defer { gateway.stop() }
        #expect(gateway.server.reloads.stamps.areCurrent)
        try gateway.write(Self.included("a", "22"), to: "parts/a.yaml")
        #expect(!gateway.server.reloads.stamps.areCurrent)
        try gateway.server.reload()
        #expect(gateway.server.reloads.stamps.areCurrent)
        #expect(try gateway.get("/a").text.contains("22"))
        try gateway.write(Self.included("b"), to: "parts/b.yaml")
        #expect(!gateway.server.reloads.stamps.areCurrent)
        try gateway.server.reload()
        #expect(gateway.server.reloads.stamps.areCurrent)
        #expect(try gateway.get("/b").status == 200)
        try FileManager.default.removeItem(atPath: gateway.scratch.file("parts/b.yaml"))
        #expect(!gateway.server.reloads.stamps.areCurrent)
    }

    @Test("Rule 11: contents of the same length are noticed even if the time of the last write is set back")
    func sameLengthAndTime() throws {
        let gateway = try gateway()
        defer { gateway.stop() }
        let path = gateway.scratch.file("parts/a.yaml")
        let written = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        // In place, so that the file keeps its number.
        try Data(Self.included("a", "2").utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.modificationDate: written as Any], ofItemAtPath: path)
        #expect(!gateway.server.reloads.stamps.areCurrent)
    }

    @Test("Rule 11: the watch reads a file that is written in pieces once it is complete")
    func pieces() throws {
        let gateway = try gateway()
        defer { gateway.stop() }
        let reloads = gateway.server.reloads
        #expect(!reloads.findsChange())
        // The first half is a valid file.
        try gateway.write("version: 1\n")
        #expect(!reloads.findsChange())
        try gateway.write(Self.root)
        #expect(!reloads.findsChange())
        #expect(reloads.findsChange())
        try gateway.server.reload()
        #expect(!reloads.findsChange())
        #expect(try gateway.get("/a").status == 200)
    }

    @Test("Rule 11: a watched file is reloaded at each change, and a broken one is reported once")
    func watch() throws {
        let pipe = RawPipe()
        func text(_ value: String) -> String { "version: 1\n" + Self.included("a", value) }
        let gateway = try FileGateway(text("1"), log: pipe.writer) { $0.logLevel = .info }
        gateway.server.watchFile(every: .milliseconds(20))
        func report() -> ConfigurationReport? { gateway.server.settled.configuration }
        func value() throws -> String { try gateway.get("/a").text }
        try gateway.write(text("2"))
        try spin(while: report()?.reloads == 0) { "\(String(describing: report()))" }
        #expect(try value().contains(#""is":2"#))
        try gateway.write("version: 1\nendpo")
        try spin(while: report()?.failedReloads == 0) { "\(String(describing: report()))" }
        #expect(try value().contains(#""is":2"#))
        try gateway.write(text("3"))
        try spin(while: report()?.reloads == 1) { "\(String(describing: report()))" }
        #expect(try value().contains(#""is":3"#))
        gateway.stop()
        close(pipe.writer)
        let lines = pipe.readAll().split(separator: "\n")
        close(pipe.reader)
        #expect(lines.count { $0.contains("the old one stays in use") } == 1, "\(lines)")
        #expect(lines.count { $0.contains(#""trigger":"watch""#) } == 3, "\(lines)")
    }

    @Test("Rule 11: the watch reads files that change at each look after ten looks")
    func restless() throws {
        let gateway = try gateway()
        defer { gateway.stop() }
        let reloads = gateway.server.reloads
        for look in 1...FileWatch.mostLooks {
            try gateway.write(Self.root + String(repeating: "#", count: look))
            #expect(reloads.findsChange() == (look == FileWatch.mostLooks))
        }
        // The count begins again.
        try gateway.write(Self.root + "# and on")
        #expect(!reloads.findsChange())
        #expect(reloads.findsChange())
    }

    @Test("Rule 11: the watch forgets a change that is taken back")
    func takenBack() throws {
        let gateway = try gateway()
        defer { gateway.stop() }
        let reloads = gateway.server.reloads
        let other = gateway.scratch.file("parts/b.yaml")
        try Self.included("b").write(toFile: other, atomically: true, encoding: .utf8)
        #expect(!reloads.findsChange())
        try FileManager.default.removeItem(atPath: other)
        #expect(!reloads.findsChange())
        #expect(!reloads.findsChange())
    }

    @Test("Rule 11: a file with an error is read again only when a file has changed")
    func errorOnce() throws {
        let gateway = try gateway()
        defer { gateway.stop() }
        try gateway.write("endpoints:\n- get: /a\n  par", to: "parts/a.yaml")
        #expect(throws: GatewayReloadError.self) { try gateway.server.reload() }
        #expect(gateway.server.reloads.stamps.areCurrent)
        #expect(try gateway.get("/a").status == 200)
        try FileManager.default.removeItem(atPath: gateway.path)
        #expect(throws: GatewayReloadError.self) { try gateway.server.reload() }
        // The file is missing, as it was when it was read.
        #expect(gateway.server.reloads.stamps.areCurrent)
        try gateway.write(Self.root)
        #expect(!gateway.server.reloads.stamps.areCurrent)
    }

    @Test("Rule 11: a secret and a file behind swapped links are noticed")
    func links() throws {
        let seen = try ScriptedUpstream([.answer { _ in FileGateway.ok() }])
        defer { seen.stop() }
        let scratch = ScratchFolder()
        let folder = scratch.path
        for (number, secret) in [(1, "first"), (2, "other")] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(number)", withIntermediateDirectories: true)
            try "\(secret)\n".write(toFile: "\(folder)/\(number)/key", atomically: true, encoding: .utf8)
        }
        // As Kubernetes mounts secrets: the name of the file is a link into a folder that is a link.
        try Self.link("\(folder)/..data", to: "1")
        try Self.link("\(folder)/key", to: "..data/key")
        let gateway = try FileGateway(
            FileGateway.text(["a": (seen.port, ", headers: {X-Key: \"${file:\(folder)/key}\"}")]))
        defer { gateway.stop() }
        #expect(try gateway.get("/a").status == 200)
        #expect(seen.requests.last?.contains("X-Key: first\r\n") == true)
        try Self.link("\(folder)/..data", to: "2")
        #expect(!gateway.server.reloads.stamps.areCurrent)
        try gateway.server.reload()
        #expect(gateway.server.reloads.stamps.areCurrent)
        #expect(try gateway.get("/a").status == 200)
        #expect(seen.requests.last?.contains("X-Key: other\r\n") == true)
    }

    @Test("Rule 11: the gateway's own file is noticed when the folder behind its mount is swapped")
    func mountedFolder() throws {
        // As Kubernetes mounts a ConfigMap: `sluice.yaml` leads into the folder to which `..data` leads.
        let gateway = try FileGateway(
            "version: 1\n",
            prepare: { scratch in
                for number in 1...2 {
                    try FileManager.default.createDirectory(
                        atPath: scratch.file("\(number)"), withIntermediateDirectories: true)
                    try ("version: 1\n" + Self.included("a", "\(number)")).write(
                        toFile: scratch.file("\(number)/sluice.yaml"), atomically: true, encoding: .utf8)
                }
                try Self.link("\(scratch.path)/..data", to: "1")
                try Self.link(scratch.file("sluice.yaml"), to: "..data/sluice.yaml")
            })
        defer { gateway.stop() }
        #expect(try gateway.get("/a").text.contains(#""is":1"#))
        try Self.link("\(gateway.scratch.path)/..data", to: "2")
        #expect(!gateway.server.reloads.stamps.areCurrent)
        try gateway.server.reload()
        #expect(gateway.server.reloads.stamps.areCurrent)
        #expect(try gateway.get("/a").text.contains(#""is":2"#))
    }

    @Test("Rule 11: renewed authorities are noticed and used, and the connections to other upstreams stay")
    func certificates() throws {
        let secure = try ScriptedUpstream(tls: TLSServer(), [.answer { _ in FileGateway.ok() }])
        let plain = try ScriptedUpstream([.answer { _ in FileGateway.ok() }])
        defer {
            secure.stop()
            plain.stop()
        }
        let scratch = ScratchFolder()
        let authorities = scratch.file("ca.pem")
        try TestAuthority.other.pem.write(toFile: authorities, atomically: true, encoding: .utf8)
        let text = FileGateway.text([
            "plain": (plain.port, ""), "a": (secure.port, ", tls: {ca: \(authorities)}"),
        ])
        .replacing("http://127.0.0.1:\(secure.port)", with: "https://127.0.0.1:\(secure.port)")
        let gateway = try FileGateway(text)
        defer { gateway.stop() }
        #expect(try gateway.get("/plain").status == 200)
        #expect(try gateway.get("/a").text.contains("tls_certificate_error"))
        try TestAuthority.shared.pem.write(toFile: authorities, atomically: true, encoding: .utf8)
        #expect(!gateway.server.reloads.stamps.areCurrent)
        try gateway.server.reload()
        #expect(try gateway.get("/a").status == 200)
        try "no certificate".write(toFile: authorities, atomically: true, encoding: .utf8)
        #expect(throws: GatewayReloadError.self) { try gateway.server.reload() }
        try TestAuthority.shared.pem.write(toFile: authorities, atomically: true, encoding: .utf8)
        let connections = secure.connections
        // The same authorities, so the connection is the same.
        try gateway.server.reload()
        #expect(try gateway.get("/a").status == 200)
        #expect(secure.connections == connections)
        #expect(try gateway.get("/plain").status == 200)
        #expect(plain.connections == 1)
    }
}
