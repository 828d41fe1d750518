import Foundation
import HTTPModel
import Networking
import NetworkingSession
import TestSupport
import Testing

@Suite(
    "Calls of a provider to openssl s_server", .timeLimit(.minutes(2)),
    .enabled(if: OpenSSLServer.isInstalled, "openssl is not installed: make setup"))
struct OpenSSLServerTests {
    @Test("An HTML page can be mapped to text but not to JSON")
    func page() async throws {
        let server = try await OpenSSLServer()
        defer { server.stop() }
        try await PeerSession.with("https://127.0.0.1:\(server.port)") { peer async throws in
            let response = try await peer.get()
            #expect(throws: NetworkError.self) { try response.mapJSON() }
            #expect(try response.mapString().contains("New, TLSv1.3"))
            #expect(try await peer.get().mapString().contains("Reused, TLSv1.3"))
            #expect(peer.session.report.opened == 2)
        }
    }

    @Test("A truncated response fails after three attempts, and a complete one succeeds")
    func files() async throws {
        let folder = ScratchFolder()
        for (name, length) in [("short", 100), ("whole", 16)] {
            let head =
                "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n"
            try (head + #"{"name":"GREEN"}"#)
                .write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }
        let server = try await OpenSSLServer(TestAuthority.shared.issue(), "-HTTP", page: false, in: folder)
        defer { server.stop() }
        struct Named: Decodable, Equatable { var name: String }
        try await PeerSession.with("https://127.0.0.1:\(server.port)") { peer async throws in
            let error = try #require(try await peer.failure("/short"))
            #expect(error.reason == .responseIncomplete)
            #expect(error.attempts == 3)
            #expect(try await peer.get("/whole").map(Named.self) == Named(name: "GREEN"))
        }
    }
}
