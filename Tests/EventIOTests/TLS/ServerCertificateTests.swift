import Foundation
import TestSupport
import Testing

@testable import EventIO

@Suite("The certificates of a server")
struct ServerCertificateTests {
    private let folder = ScratchFolder()

    private func file(_ name: String, _ text: String) throws -> TLSConfiguration.PEM {
        let path = folder.file(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return .file(path)
    }

    private func files(_ name: String, _ identity: TestIdentity, chain: [String] = []) throws
        -> TLSConfiguration.Identity
    {
        try TLSConfiguration.Identity(
            certificateChain: file("\(name).pem", ([identity.certificate] + chain).joined()),
            privateKey: file("\(name).key", identity.key))
    }

    /// The complaint about a configuration, with the folder left out.
    private func complaint(
        _ identities: TLSConfiguration.Identity..., change: (inout TLSServerConfiguration) -> Void = { _ in }
    ) -> String {
        var configuration = TLSServerConfiguration(certificates: identities)
        change(&configuration)
        do throws(TLSError) {
            _ = try TLSServerContext(configuration)
            return "none"
        } catch {
            #expect(error.kind == .configuration)
            return error.reason.replacing(folder.path + "/", with: "")
        }
    }

    // MARK: Faults

    @Test("What is wrong with a certificate or a key is told with its file")
    func faults() throws {
        let good = TestAuthority.shared.issue("DNS:app.example.com")
        let other = TestAuthority.shared.issue("DNS:other.example.com")
        var pair = try files("app", good)
        #expect(complaint(pair) == "none")
        pair.privateKey = .file(folder.file("none.key"))
        #expect(complaint(pair) == "server key none.key: No such file or directory")
        pair.privateKey = try file("wrong.key", other.key)
        #expect(complaint(pair) == "server key wrong.key: does not match server certificate app.pem")
        let secret = TestAuthority.shared.issue("DNS:app.example.com", password: "sesame")
        pair = try files("secret", secret)
        #expect(
            complaint(pair)
                == "server key secret.key: the private key is encrypted, and there is no password for it")
        pair.password = "sesame"
        #expect(complaint(pair) == "none")
        pair.password = "wrong"
        #expect(complaint(pair).hasPrefix("server key secret.key: cannot read the private key: "))
        #expect(complaint(pair).hasSuffix("(wrong password?)"))
        pair.password = nil
        for text in ["", "\u{30}\u{1}\u{2}", good.certificate] {
            pair.privateKey = try file("no.key", text)
            #expect(complaint(pair) == "server key no.key: contains no private key in PEM")
        }
        pair = try files("empty", good)
        pair.certificateChain = try file("empty.pem", "")
        #expect(complaint(pair) == "server certificate empty.pem: contains no certificate")
    }

    @Test("Four times as many names of a certificate take about four times the time")
    func manyNames() throws {
        func seconds(_ count: Int) throws -> Double {
            let names = (0..<count).map { "DNS:h\($0).example.com" }.joined(separator: ",")
            let identity = TestAuthority.shared.issue(names)
            let pair = TLSConfiguration.Identity(
                certificateChain: .text(identity.certificate), privateKey: .text(identity.key))
            let before = Self.processorTime()
            let context = try TLSServerContext(TLSServerConfiguration(certificates: [pair]))
            let used = Self.processorTime() - before
            #expect(context.serves(host: "H\(count - 1).example.com."))
            #expect(!context.serves(host: "h\(count).example.com") && !context.serves(host: "10.0.0.1"))
            return used
        }
        let few = try (0..<3).map { _ in try seconds(2000) }.min() ?? 0
        let many = try seconds(8000)
        #expect(many < 10 * few, "\(few) s, then \(many) s")
    }

    /// The processor time of this thread, in seconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("A file that nobody may read is told with the system's reason", .enabled(if: getuid() != 0))
    func unreadable() throws {
        let pair = try files("app", TestAuthority.shared.issue())
        chmod(folder.file("app.key"), 0)
        #expect(complaint(pair) == "server key app.key: Permission denied")
    }

    @Test("The leaf comes first, and each certificate has issued the one before it")
    func order() throws {
        let intermediate = TestAuthority(name: "Intermediate", issuer: .shared)
        let leaf = intermediate.issue("DNS:app.example.com")
        #expect(complaint(try files("good", leaf, chain: [intermediate.pem])) == "none")
        #expect(
            complaint(try files("root", leaf, chain: [intermediate.pem, TestAuthority.shared.pem])) == "none")
        let text = "did not issue certificate 1; the leaf comes first, then its issuers"
        #expect(
            complaint(try files("other", leaf, chain: [TestAuthority.shared.pem]))
                == "server certificate other.pem: certificate 2 \(text)")
        var turned = try files("turned", leaf)
        turned.certificateChain = try file("turned.pem", intermediate.pem + leaf.certificate)
        #expect(complaint(turned) == "server certificate turned.pem: certificate 2 \(text)")
        // The same name, another key.
        let impostor = TestAuthority(name: "Intermediate", issuer: .shared)
        #expect(
            complaint(try files("impostor", leaf, chain: [impostor.pem]))
                == "server certificate impostor.pem: certificate 2 \(text)")
    }

    @Test("Keys that clients would refuse are refused at the start")
    func keys() throws {
        #expect(
            complaint(try files("short", TestAuthority.shared.issue(key: .rsa(bits: 1024))))
                == "server certificate short.pem: the RSA key has 1024 bits; at least 2048 are needed")
        #expect(
            complaint(try files("curve", TestAuthority.shared.issue(key: .curve("secp256k1"))))
                == "server certificate curve.pem: the curve of the EC key is secp256k1; "
                + "it must be P-256 or P-384")
        #expect(complaint(try files("large", TestAuthority.shared.issue(key: .curve("P-384")))) == "none")
        #expect(complaint(try files("rsa", TestAuthority.shared.issue(key: .rsa(bits: 2048)))) == "none")
        #expect(complaint(try files("ed", TestAuthority.shared.issue(key: .ed25519))) == "none")
    }

    @Test("Two certificates for one name need different types of keys")
    func conflicts() throws {
        let one = try files("a", TestAuthority.shared.issue("DNS:x.example.com,DNS:App.example.com"))
        let other = try files("b", TestAuthority.shared.issue("DNS:app.example.com"))
        let names = "server certificates \(folder.file("a.pem")) and \(folder.file("b.pem"))"
            .replacing(folder.path + "/", with: "")
        #expect(complaint(one, other) == "\(names) are both for app.example.com with an EC key")
        let rsa = try files(
            "rsa", TestAuthority.shared.issue("DNS:app.example.com", key: .rsa(bits: 2048)))
        #expect(complaint(one, rsa) == "none")
        let wild = TLSConfiguration.Identity(TestAuthority.shared.issue("DNS:*.example.com"))
        #expect(
            complaint(wild, wild) == "server certificates 1 and 2 are both for *.example.com with an EC key")
        #expect(complaint(wild, other) == "none", "a name and a wildcard are two names")
    }

    @Test("There are 1 to 64 certificates")
    func number() throws {
        #expect(complaint() == "a server with TLS needs a certificate")
        let one = TLSConfiguration.Identity(TestAuthority.shared.issue(nil))
        let many = TLSServerConfiguration(certificates: Array(repeating: one, count: 64))
        #expect(throws: Never.self) { try TLSServerContext(many) }
        let more = TLSServerConfiguration(certificates: Array(repeating: one, count: 65))
        let error = #expect(throws: TLSError.self) { try TLSServerContext(more) }
        #expect(error?.reason == "65 server certificates are given, more than 64")
    }

    @Test("Certificates that are given as bytes are told by their number")
    func bytes() {
        let good = TLSConfiguration.Identity(TestAuthority.shared.issue("DNS:a"))
        var bad = TLSConfiguration.Identity(TestAuthority.shared.issue("DNS:b"))
        bad.privateKey = good.privateKey
        #expect(complaint(good, bad) == "server key 2: does not match server certificate 2")
        #expect(complaint(bad) == "server key: does not match server certificate")
    }

    @Test("What is wrong with the policy for clients is told")
    func clients() throws {
        let pair = TLSConfiguration.Identity(TestAuthority.shared.issue())
        func complaint(_ clients: TLSServerConfiguration.Clients) -> String {
            self.complaint(pair) { $0.clients = clients }
        }
        #expect(
            complaint(.init(authorities: .file(folder.file("none.pem"))))
                == "client authorities none.pem: No such file or directory")
        #expect(complaint(.init(authorities: .text("x"))) == "client authorities: contains no certificate")
        #expect(
            complaint(.init(authorities: .text(TestAuthority.shared.pem), names: ["a b"]))
                .hasPrefix("the name 'a b' of clients is not a DNS name"))
        #expect(
            complaint(.init(authorities: .text(TestAuthority.shared.pem), names: ["spiffe://x/*"]))
                .hasPrefix("the name 'spiffe://x/*' of clients is a URI with an asterisk"))
    }

    // MARK: Facts

    @Test("A certificate's facts are what it says")
    func facts() throws {
        let now = Int(Date().timeIntervalSince1970)
        let identity = TestAuthority.shared.issue(
            "DNS:App.example.com,DNS:*.example.org,IP:127.0.0.1,IP:::1,URI:spiffe://x/y", name: "The app",
            days: -1...3)
        let context = try TLSServerContext.serving(identity)
        let facts = try #require(context.certificates.first)
        #expect(facts.names == ["app.example.com", "*.example.org", "127.0.0.1", "::1"])
        #expect(facts.subject == "CN = The app")
        #expect(facts.keyKind == "EC" && facts.index == 0)
        #expect(abs(facts.notAfter - (now + 3 * 86_400)) < 60)
        #expect(abs(facts.notBefore - (now - 86_400)) < 60)
        #expect(!facts.hasIssuer && !facts.mustStaple && facts.sha256.count == 64)
        let stapled = try TLSServerContext.serving(TestAuthority.shared.issue(mustStaple: true))
        #expect(stapled.certificates.first?.mustStaple == true)
        #expect(context.serves(host: "APP.example.com.") && context.serves(host: "a.example.org"))
        #expect(context.serves(host: "127.0.0.1") && context.serves(host: "::1"))
        #expect(!context.serves(host: "a.b.example.org") && !context.serves(host: "example.org"))
        #expect(!context.serves(host: "127.0.0.2"))
        let signed = try TLSServerContext.serving(TestAuthority.shared.issue(isSelfSigned: true))
        #expect(signed.certificates[0].hasIssuer, "it is its own issuer")
    }

    @Test("A chain expires with its first certificate")
    func expiry() throws {
        let leaf = TestAuthority.shared.issue("DNS:a", days: -1...90)
        let context = try TLSServerContext(
            TLSServerConfiguration(certificates: [.init(leaf, chain: [TestAuthority.shared.pem])]))
        let days = (context.certificates[0].notAfter - Int(Date().timeIntervalSince1970)) / 86_400
        #expect((28...30).contains(days))
    }

    @Test("Contexts are equal in content if their files and settings are")
    func digests() throws {
        let identity = TestAuthority.shared.issue()
        let clients = TLSServerConfiguration.Clients(authorities: .text(TestAuthority.shared.pem))
        let one = try TLSServerContext.serving(identity)
        let same = try TLSServerContext.serving(identity)
        let other = try TLSServerContext.serving(TestAuthority.shared.issue())
        let strict = try TLSServerContext.serving(identity) { $0.minimumVersion = .tls13 }
        let mutual = try TLSServerContext.serving(identity) { $0.clients = clients }
        #expect(one.contentDigest == same.contentDigest)
        #expect(Set([one, other, strict, mutual].map(\.contentDigest)).count == 4)
        #expect(one.acceptsClients(like: other) && one.acceptsClients(like: strict))
        #expect(!one.acceptsClients(like: mutual))
        #expect(mutual.authorityExpiry != nil && one.authorityExpiry == nil)
    }

    @Test("A self-signed certificate is for the local names and its hosts, for a week, and has curl's pin")
    func selfSigned() throws {
        #expect(throws: TLSError.self) { try SelfSignedCertificate(hosts: ["a,DNS:b"]) }
        let made = try SelfSignedCertificate(hosts: ["Dev.example.com", "192.168.1.7", "localhost"])
        let context = try TLSServerContext(TLSServerConfiguration(certificates: [made.identity]))
        let facts = try #require(context.certificates.first)
        #expect(facts.names == ["localhost", "dev.example.com", "127.0.0.1", "::1", "192.168.1.7"])
        #expect(facts.hasIssuer && facts.keyKind == "EC")
        let left = facts.notAfter - Int(Date().timeIntervalSince1970)
        #expect(abs(left - 7 * 86_400) < 60)
        #expect(made.pin.hasPrefix("sha256//") && made.pin.utf8.count == 52)
        #expect(try SelfSignedCertificate().pin != made.pin)
        var trusting = TLSConfiguration()
        trusting.verification = .insecureNone
        trusting.pins = [made.pin]
        #expect(throws: Never.self) { try TLSContext(trusting) }
    }
}
