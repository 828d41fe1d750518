import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("Resumed sessions of clients", .timeLimit(.minutes(1)))
struct TLSTicketTests {
    private static let identity = TestAuthority.shared.issue()
    private static let shown = TestAuthority.shared.issue("DNS:partner.example.com", name: "Partner")

    /// Connects, exchanges a byte each way, and keeps the session. Returns whether it was resumed.
    private func connect(_ client: TLSClient, to context: TLSServerContext) async throws -> Bool {
        try await withLoop { loop in
            try await withSecured(context, loop: loop) { driven, raw in
                try raw.startTLS(client)
                raw.send("x")
                #expect(try await driven.next() == .connected)
                #expect(try await driven.bytes(1) == utf8("x"))
                try await driven.on { $0.write(utf8("y")[...]) }
                // The ticket arrives before it.
                #expect(try raw.read(count: 1) == utf8("y"))
                raw.tls?.keepSession()
                let isResumed = try await driven.on { $0.isResumed }
                #expect(isResumed == raw.tls?.isResumed)
                return isResumed
            }
        }
    }

    @Test(
        "A ticket is good on every loop and after a reload with another certificate",
        arguments: [true, false])
    func reload(is12: Bool) async throws {
        let client = TLSClient { $0.isOnly12 = is12 }
        #expect(try await !connect(client, to: .serving(Self.identity)))
        #expect(try await connect(client, to: .serving(Self.identity)))
        #expect(try await connect(client, to: .serving(TestAuthority.shared.issue())))
    }

    @Test("A ticket of another process, or of expired keys, leads to a full handshake")
    func expired() async throws {
        let client = TLSClient { _ in }
        let now = Lock(MonotonicTime.clock())
        let keys = TicketKeys { now.withLock { $0 } }
        let context = try TLSServerContext.serving(Self.identity, tickets: keys)
        #expect(try await !connect(client, to: context))
        #expect(try await connect(client, to: context))
        now.withLock { $0 = $0 + .seconds(13 * 3600) }
        #expect(try await connect(client, to: context), "the key before the current one")
        now.withLock { $0 = $0 + .seconds(25 * 3600) }
        #expect(try await !connect(client, to: context))
        #expect(try await !connect(client, to: .serving(Self.identity, tickets: TicketKeys())))
    }

    @Test("No ticket carries a client past a changed minimum, authority, name or requirement")
    func policy() async throws {
        func clients(
            _ authority: TestAuthority = .shared, _ names: [String] = [], isRequired: Bool = true
        ) -> TLSServerConfiguration.Clients {
            .init(authorities: .text(authority.pem), names: names, isRequired: isRequired)
        }
        let client = TLSClient { $0.identity = Self.shown }
        func context(
            _ policy: TLSServerConfiguration.Clients?, _ minimum: TLSConfiguration.Version = .tls12
        ) throws -> TLSServerContext {
            try TLSServerContext.serving(Self.identity) {
                $0.clients = policy
                $0.minimumVersion = minimum
            }
        }
        #expect(try await !connect(client, to: context(clients())))
        #expect(try await connect(client, to: context(clients())))
        #expect(try await !connect(client, to: context(clients(isRequired: false))))
        #expect(try await !connect(client, to: context(clients(.shared, ["partner.example.com"]))))
        #expect(try await connect(client, to: context(clients(.shared, ["partner.example.com"]))))
        #expect(try await !connect(client, to: context(nil)))
        #expect(try await !connect(client, to: context(nil, .tls13)))
        // The authority is removed: the ticket does not help.
        #expect(try await !connect(client, to: context(clients())))
        try await withLoop { loop in
            try await withSecured(context(clients(.other)), loop: loop) { driven, raw in
                try? raw.startTLS(client)
                let error = try await driven.failure()
                #expect(error?.tls?.kind == .certificateError)
            }
        }
    }

    @Test("A resumed connection knows the client's certificate, and a session does not outlast it")
    func certificates() async throws {
        let policy = TLSServerConfiguration.Clients(authorities: .text(TestAuthority.shared.pem))
        let context = try TLSServerContext.serving(Self.identity) { $0.clients = policy }
        let client = TLSClient { $0.identity = Self.shown }
        for isLater in [false, true] {
            #expect(try await connect(client, to: context) == isLater)
            try await withLoop { loop in
                try await withSecured(context, loop: loop) { driven, raw in
                    try raw.startTLS(client)
                    raw.send("x")
                    #expect(try await driven.next() == .connected)
                    let certificate = try await driven.on { $0.clientCertificate }
                    #expect(certificate?.dnsNames == ["partner.example.com"])
                    #expect(try await driven.on { $0.isResumed })
                }
            }
        }
    }
}
