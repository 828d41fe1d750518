import EventIO
import Foundation
import TestSupport
import Testing

@Suite("TLS contexts")
struct TLSContextTests {
    private let folder = ScratchFolder()

    private func failure(_ change: (inout TLSConfiguration) throws -> Void) throws -> String {
        var configuration = TLSConfiguration.trusting()
        try change(&configuration)
        do throws(TLSError) {
            _ = try TLSContext(configuration)
            return "none"
        } catch {
            #expect(error.kind == .configuration)
            return error.description
        }
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder.file(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test("A missing file is reported with its path and the system's reason")
    func missing() throws {
        let path = folder.file("none.pem")
        #expect(
            try failure { $0.trust = .authorities(.file(path)) }
                == "TLS configuration: trusted certificates \(path): No such file or directory")
        let identity = TestAuthority.shared.issue()
        #expect(
            try failure {
                $0.identity = .init(certificateChain: .text(identity.certificate), privateKey: .file(path))
            } == "TLS configuration: client key \(path): No such file or directory")
    }

    @Test("A path that is not a regular file is refused without waiting for its content")
    func notAFile() throws {
        let pipe = folder.file("pipe.pem")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in ["/dev/null", folder.path, pipe] {
            #expect(
                try failure { $0.trust = .authorities(.file(path)) }
                    == "TLS configuration: trusted certificates \(path): not a regular file")
        }
    }

    @Test("A file without a certificate is reported")
    func noCertificate() throws {
        let path = try file("empty.pem", "nothing of the kind\n")
        #expect(
            try failure { $0.trust = .authorities(.file(path)) }
                == "TLS configuration: trusted certificates \(path): contains no certificate")
        #expect(
            try failure { $0.trust = .authorities(.text("")) }
                == "TLS configuration: trusted certificates: contains no certificate")
    }

    @Test("A broken certificate is reported by its position")
    func brokenCertificate() throws {
        let good = TestAuthority.shared.pem
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let message = try failure { $0.trust = .authorities(.text(good + broken)) }
        #expect(message == "TLS configuration: trusted certificates: certificate 2 is not valid")
    }

    @Test("A key of another certificate is rejected, and the error names both files")
    func otherKey() throws {
        let one = TestAuthority.shared.issue()
        let key = try file("key.pem", TestAuthority.shared.issue().key)
        let chain = try file("chain.pem", one.certificate)
        #expect(
            try failure { $0.identity = .init(certificateChain: .file(chain), privateKey: .file(key)) }
                == "TLS configuration: client key \(key): does not match client certificate \(chain)")
    }

    @Test("An encrypted key needs the right password", arguments: [nil, "wrong", "right"])
    func password(given: String?) throws {
        let identity = TestAuthority.shared.issue(password: "right")
        let message = try failure {
            $0.identity = .init(
                certificateChain: .text(identity.certificate), privateKey: .text(identity.key),
                password: given)
        }
        if given == "right" {
            #expect(message == "none")
        } else if given == nil {
            #expect(
                message
                    == "TLS configuration: client key: the private key is encrypted, and there is no password for it"
            )
        } else {
            #expect(
                message.hasPrefix("TLS configuration: client key: cannot read the private key: "),
                "\(message)")
        }
    }

    @Test(
        "An invalid pin is rejected",
        arguments: [
            "", "sha256//", "abc", String(repeating: "A", count: 44), String(repeating: "?", count: 43) + "=",
            "sha256//\(String(repeating: "A", count: 43))=;",
        ])
    func pins(text: String) throws {
        let message = try failure { $0.pins = [text] }
        #expect(message.contains("pin"), "\(message)")
    }

    @Test("One string may hold several pins, with or without curl's prefix")
    func severalPins() throws {
        let pin = TestAuthority.shared.identity.pin
        #expect(try failure { $0.pins = ["sha256//\(pin);\(pin)", pin] } == "none")
    }

    @Test(
        "The name of an ALPN protocol must have 1 to 255 bytes",
        arguments: ["", String(repeating: "a", count: 256)])
    func protocols(name: String) throws {
        #expect(try failure { $0.applicationProtocols = [name] }.hasSuffix("expected 1 to 255 bytes"))
        #expect(try failure { $0.applicationProtocols = [] } == "none")
    }

    @Test("An invalid server name is rejected", arguments: ["", "a b", "a/b", "ä.example", "a\0b"])
    func serverName(name: String) throws {
        #expect(try failure { $0.serverName = name }.hasSuffix("is not a server name"))
    }

    @Test("Equal configurations share one context while it is in use")
    func shared() throws {
        var configuration = TLSConfiguration.trusting()
        configuration.serverName = "shared.example"
        let one = try TLSContext.shared(for: configuration)
        #expect(try TLSContext.shared(for: configuration) === one)
        #expect(try TLSContext(configuration) == one)
        configuration.minimumVersion = .tls13
        #expect(try TLSContext.shared(for: configuration) != one)
    }

    @Test(
        "A context is shared while the content of its files is the same, and new content leads to a new context"
    )
    func rotated() throws {
        let folder = ScratchFolder()
        let (one, other) = (TestAuthority.shared.issue(), TestAuthority.shared.issue())
        func write(_ identity: TestIdentity, _ authority: TestAuthority = .shared) throws {
            try identity.certificate.write(toFile: folder.file("chain"), atomically: true, encoding: .utf8)
            try identity.key.write(toFile: folder.file("key"), atomically: true, encoding: .utf8)
            try authority.pem.write(toFile: folder.file("authorities"), atomically: true, encoding: .utf8)
        }
        var configuration = TLSConfiguration()
        configuration.trust = .authorities(.file(folder.file("authorities")))
        configuration.identity = .init(
            certificateChain: .file(folder.file("chain")), privateKey: .file(folder.file("key")))
        try write(one)
        let first = try TLSContext.shared(for: configuration)
        // Write the same content again.
        try write(one)
        #expect(try TLSContext.shared(for: configuration) === first)
        try write(other)
        let second = try TLSContext.shared(for: configuration)
        #expect(second !== first)
        #expect(second != first)
        try write(other, .other)
        let third = try TLSContext.shared(for: configuration)
        #expect(third != second)
        try write(one)
        #expect(try TLSContext.shared(for: configuration) === first)
        try "not a key".write(toFile: folder.file("key"), atomically: true, encoding: .utf8)
        #expect(throws: TLSError.self) { try TLSContext.shared(for: configuration) }
        withExtendedLifetime((first, second, third)) {}
    }

    @Test("An unused context is released")
    func released() throws {
        var configuration = TLSConfiguration.trusting()
        configuration.serverName = "released.example"
        var context: TLSContext? = try TLSContext.shared(for: configuration)
        weak let kept = context
        #expect(kept != nil)
        context = nil
        #expect(kept == nil)
    }

    @Test("The system's roots are trusted by default")
    func system() throws {
        #expect(try TLSContext().configuration == TLSConfiguration())
    }
}
