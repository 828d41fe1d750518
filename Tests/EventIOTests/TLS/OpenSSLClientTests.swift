import EventIO
import Foundation
import TestSupport
import Testing

/// Tests with `openssl s_client`.
@Suite("OpenSSL's client", .timeLimit(.minutes(1)), .enabled(if: OpenSSLServer.isInstalled))
struct OpenSSLClientTests {
    /// Answers each request with a line.
    private final class Answering: StreamHandler {
        private let stream: SocketStream

        init(_ stream: SocketStream) { self.stream = stream }

        func streamReceived(_ bytes: UnsafeRawBufferPointer) {
            stream.write(utf8("answered\n")[...])
            stream.shutdownWrite()
        }
        func streamReachedEnd() { stream.close() }
        func streamFailed(_ error: SocketError) {}
    }

    /// Returns what `openssl s_client` prints about its connection.
    private func ask(
        _ context: TLSServerContext, _ arguments: String..., input: String = "hello\n"
    ) async throws -> String {
        try await withLoop { loop in
            let listener = try Listener(bind: .loopback())
            try await loop.perform {
                listener.start(loop: loop) { stream in
                    stream.start(handler: Answering(stream))
                    stream.acceptTLS(context)
                }
            }
            let port = listener.address.port ?? 0
            let output = try await onThread {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: OpenSSLServer.program ?? "")
                process.arguments = ["s_client", "-connect", "127.0.0.1:\(port)"] + arguments
                let (output, feed) = (Pipe(), Pipe())
                process.standardOutput = output
                process.standardError = output
                process.standardInput = feed
                try process.run()
                feed.fileHandleForWriting.write(Data(input.utf8))
                let text = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                // It ends with its input, which is kept open until here.
                try feed.fileHandleForWriting.close()
                return String(decoding: text, as: UTF8.self)
            }
            try await loop.perform { listener.close() }
            return output
        }
    }

    private static let identity = TestAuthority.shared.issue("DNS:app.example.com", name: "app")

    @Test("It gets TLS 1.3 with X25519, and HTTP/1.1 by ALPN")
    func version13() async throws {
        let output = try await ask(
            .serving(Self.identity), "-alpn", "http/1.1", "-servername", "app.example.com")
        #expect(output.contains("New, TLSv1.3, Cipher is TLS_AES_256_GCM_SHA384"))
        #expect(output.contains("Server Temp Key: X25519"))
        #expect(output.contains("ALPN protocol: http/1.1"))
        #expect(output.contains("subject=CN = app"))
        #expect(output.contains("Compression: NONE"))
        #expect(output.contains("Early data was not sent"))
        #expect(output.contains("answered"))
        #expect(output.components(separatedBy: "Post-Handshake New Session Ticket").count == 2, "one ticket")
    }

    @Test("It gets its own order of suites and groups")
    func order() async throws {
        let output = try await ask(
            .serving(Self.identity), "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256",
            "-groups", "P-384:X25519")
        #expect(output.contains("Cipher is TLS_CHACHA20_POLY1305_SHA256"))
        #expect(output.contains("Server Temp Key: ECDH, secp384r1") || output.contains("ECDH, P-384"))
    }

    @Test(
        "What is not in Mozilla's intermediate profile is refused",
        arguments: [
            ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"],
            ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"],
            ["-tls1_2", "-cipher", "AES128-GCM-SHA256"], ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"],
            ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-CCM"], ["-groups", "P-521"],
        ])
    func refused(arguments: [String]) async throws {
        let rsa = TestAuthority.shared.issue("DNS:app.example.com", key: .rsa(bits: 2048))
        let context = try TLSServerContext.serving(Self.identity, rsa)
        let output = try await ask(context, arguments)
        #expect(output.contains("Cipher is (NONE)"), "\(arguments): \(output)")
    }

    private func ask(_ context: TLSServerContext, _ arguments: [String]) async throws -> String {
        switch arguments.count {
        case 2: try await ask(context, arguments[0], arguments[1])
        default: try await ask(context, arguments[0], arguments[1], arguments[2])
        }
    }

    @Test(
        "TLS 1.2 serves each suite of the profile, with a secure renegotiation extension",
        arguments: [
            "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
            "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
        ])
    func version12(cipher: String) async throws {
        let rsa = TestAuthority.shared.issue("DNS:app.example.com", key: .rsa(bits: 2048))
        let output = try await ask(.serving(Self.identity, rsa), "-tls1_2", "-cipher", cipher)
        #expect(output.contains("New, TLSv1.2, Cipher is \(cipher)"))
        #expect(output.contains("Secure Renegotiation IS supported"))
    }

    @Test("It resumes a session that it has kept in a file", arguments: ["-tls1_2", "-tls1_3"])
    func resumption(version: String) async throws {
        let folder = ScratchFolder()
        defer { withExtendedLifetime(folder) {} }
        let session = folder.file("session.pem")
        let first = try await ask(.serving(Self.identity), version, "-sess_out", session)
        #expect(first.contains("New, TLS"))
        let second = try await ask(.serving(Self.identity), version, "-sess_in", session)
        #expect(second.contains("Reused, TLS"))
    }

    @Test("By TLS 1.2 a request to renegotiate is refused")
    func renegotiation() async throws {
        let output = try await ask(.serving(Self.identity), "-tls1_2", input: "R\n")
        #expect(output.contains("RENEGOTIATING"))
        #expect(output.contains("no renegotiation") || output.contains("alert"))
    }
}
