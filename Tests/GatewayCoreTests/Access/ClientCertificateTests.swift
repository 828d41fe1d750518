import HTTPModel
import JSONBytes
import RxTesting
import Testing

@testable import GatewayCore

/// The fourth kind of entry: certificates that the TLS handshake has verified.
@Suite("Certificates of clients", .noLeaks)
struct ClientCertificateTests {
    private let bench: AccessBench
    private let head: HTTPRequestHead

    init() throws {
        bench = try AccessBench()
        head = HTTPRequestHead(method: .get, target: try #require(RequestTarget("/me")), fields: [:])
    }

    private static func certificate(_ dnsNames: [String] = [], uris: [String] = []) -> ClientCertificate {
        ClientCertificate(
            subject: "CN=someone", dnsNames: dnsNames, uris: uris, sha256: String(repeating: "ab", count: 32),
            notAfter: 2_000_000_000)
    }

    private func responder(_ options: EndpointOption) throws -> GatewayResponder {
        try bench.responder(options) { gateway in
            gateway.auth(
                "partners", .clientCertificate(names: ["shop.partner.example", "*.lab.example"]),
                send: ["X-Partner": "{claims.sub}"])
            gateway.auth("mesh", .clientCertificate(names: ["spiffe://example.com/cart"]))
            gateway.auth("anyone", .clientCertificate())
            gateway.auth("mobile", bench.tokens())
        }
    }

    /// Returns what is known of the caller of a request on a connection with this certificate.
    private func admit(
        _ responder: GatewayResponder, _ certificate: ClientCertificate?, _ head: HTTPRequestHead? = nil,
        on loop: AccessLoop? = nil
    ) throws -> RequestAccess {
        let head = head ?? self.head
        guard case .endpoint(let match) = try responder.route(head) else {
            throw GatewayError.notFound()
        }
        let source = AccessSource(client: nil, loop: loop, certificate: certificate)
        return try #require(responder.admit(head, at: match, source))
    }

    @Test("A connection without a certificate is 401, and the log says what was looked for")
    func none() throws {
        let responder = try responder(.require("partners", "anyone"))
        let access = try admit(responder, nil)
        #expect(access.headError?.code == .unauthorized)
        #expect(access.headError?.fields.values(of: .wwwAuthenticate) == ["ClientCertificate"])
        #expect(access.note.result == AccessNote.Result.none)
        #expect(
            access.note.reason
                == "the request has no credential: no certificate with a name of auth.partners, no certificate"
        )
    }

    @Test("An entry ignores a certificate with other names")
    func others() throws {
        let responder = try responder(.require("partners"))
        for names in [[], ["partner.example"], ["a.b.lab.example"]] {
            let access = try admit(responder, Self.certificate(names, uris: ["spiffe://example.com/cart"]))
            #expect(access.headError?.code == .unauthorized, "\(names)")
            #expect(access.identity == nil)
            #expect(access.note.result == .invalid)
            #expect(access.note.reason == "no entry accepts a name of the certificate")
        }
    }

    @Test("A certificate with one of the names is the caller, with the name as sub")
    func known() throws {
        let responder = try responder(.require("partners"))
        let certificate = Self.certificate(["x.example", "a.lab.example"], uris: ["urn:a:b"])
        let access = try admit(responder, certificate)
        #expect(access.headError == nil)
        #expect(access.note.result == .ok)
        #expect(access.identity?.entry == "partners")
        #expect(access.identity?.subject == "a.lab.example")
        #expect(
            access.identity?.claims.description
                == #"{"sub":"a.lab.example","dns":["x.example","a.lab.example"],"uris":["urn:a:b"],"sha256":"\#(certificate.sha256)"}"#
        )
    }

    @Test("The name that matches is sub in lower case without a final dot, and a wildcard matches nothing")
    func spelling() throws {
        let responder = try responder(.require("partners"))
        let access = try admit(responder, Self.certificate(["SHOP.partner.example."]))
        #expect(access.identity?.subject == "shop.partner.example")
        #expect(try admit(responder, Self.certificate(["*.lab.example"])).headError?.code == .unauthorized)
    }

    @Test("Without names, any certificate is the caller, by its first name, or else its subject")
    func anyone() throws {
        let responder = try responder(.require("anyone"))
        #expect(
            try admit(responder, Self.certificate(["b.example", "a.example"])).identity?.subject
                == "b.example")
        #expect(try admit(responder, Self.certificate(uris: ["urn:a:b"])).identity?.subject == "urn:a:b")
        #expect(try admit(responder, Self.certificate()).identity?.subject == "CN=someone")
    }

    @Test("Of several entries, the one that has the certificate's name decides")
    func several() throws {
        let responder = try responder(.require("partners", "mesh"))
        let cart = Self.certificate(uris: ["spiffe://example.com/cart"])
        #expect(try admit(responder, cart).identity?.entry == "mesh")
        #expect(
            try admit(responder, Self.certificate(["shop.partner.example"])).identity?.entry == "partners")
        #expect(try admit(responder, Self.certificate(["shop.example"])).headError?.code == .unauthorized)
    }

    @Test("A token decides for a client whose certificate no entry knows")
    func besideTokens() throws {
        let responder = try responder(.require("partners", "mobile"))
        var head = head
        head.fields = [.authorization: "Bearer x.y.z"]
        let access = try admit(responder, Self.certificate(["shop.example"]), head)
        #expect(access.note.entry == "mobile")
        #expect(access.note.result == .invalid)
    }

    @Test("A claim that the requirement names must be as required")
    func claims() throws {
        let responder = try responder(.require("partners", claims: ["dns": ["a.lab.example"]]))
        let other = try admit(responder, Self.certificate(["b.lab.example"]))
        #expect(other.headError?.code == .forbidden)
        #expect(try admit(responder, Self.certificate(["a.lab.example"])).headError == nil)
    }

    @Test("A page of another site cannot write with the certificate that its browser shows")
    func crossSite() throws {
        let responder = try responder(.require("partners"))
        let certificate = Self.certificate(["a.lab.example"])
        var head = HTTPRequestHead(method: .post, target: try #require(RequestTarget("/me")), fields: [:])
        head.fields = [.host: "api.example", .origin: "https://evil.example"]
        #expect(try admit(responder, certificate, head).note.result == .crossSite)
        head.fields = [.host: "api.example"]
        #expect(try admit(responder, certificate, head).headError == nil)
    }

    @Test("The claims of a certificate are made once for its connection, and few are kept")
    func kept() throws {
        let responder = try responder(.require("partners"))
        let loop = AccessLoop()
        let certificate = Self.certificate(["a.lab.example"])
        let first = try admit(responder, certificate, on: loop).identity
        #expect(try admit(responder, certificate, on: loop).identity === first)
        // Another connection has another one, even with equal names.
        #expect(try admit(responder, Self.certificate(["a.lab.example"]), on: loop).identity !== first)
        var known = KnownCertificates()
        let settings = CertificateEntry(ClientCertificateSettings())
        let entry = AuthEntry(name: "anyone", kind: .certificate(settings), send: [])
        for _ in 0..<(KnownCertificates.capacity + 10) {
            #expect(known.identity(of: Self.certificate(["a"]), by: entry, settings) != nil)
        }
        #expect(known.count == 10)
    }

    @Test("A name that no certificate can have, and a gateway that asks for none, are faults")
    func faults() throws {
        let gateway = bench.gateway()
        gateway.auth("partners", .clientCertificate(names: ["a b"]))
        #expect(throws: GatewayDeclarationError.self) { try gateway.responder() }
        var environment = GatewayEnvironment(transport: bench.transport)
        environment.seesCertificates = false
        let blind = Gateway(environment)
        blind.auth("partners", .clientCertificate())
        blind.get("/me", .require("partners")) { _ in .json(1) }
        do {
            _ = try blind.responder()
            Issue.record("the gateway starts")
        } catch {
            #expect(
                "\(error)".contains(
                    "auth.partners.clientCertificate: the gateway asks no client for a certificate: set the "
                        + "authorities of clients, with --tls-client-ca or listen.tls.clients"))
        }
    }
}
