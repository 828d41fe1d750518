import Glibc
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

    @Test("A resumed connection knows the client's certificate")
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

    /// What expires first in a client's chain.
    enum Expiring: CaseIterable {
        case certificate, intermediate, authority
    }

    @Test(
        "No ticket, renewed or not, carries a client past the end of a certificate in its chain",
        arguments: Expiring.allCases, [true, false])
    func chainExpires(what: Expiring, is12: Bool) async throws {
        func days(_ part: Expiring) -> ClosedRange<Int> { part == what ? -1...2 : -1...30 }
        let authority = TestAuthority(name: "Root", days: days(.authority))
        let intermediate = TestAuthority(
            name: "Intermediate", issuer: authority, days: days(.intermediate))
        let shown = intermediate.issue("DNS:partner.example.com", days: days(.certificate))
        let client = TLSClient {
            ($0.identity, $0.chain, $0.isOnly12) = (shown, [intermediate.pem], is12)
        }
        let began = time(nil)
        let now = Lock(began)
        let context = try TLSServerContext.serving(
            Self.identity, tickets: TicketKeys(wallClock: { now.withLock { $0 } })
        ) { $0.clients = .init(authorities: .text(authority.pem)) }
        #expect(try await !connect(client, to: context))
        #expect(try await connect(client, to: context))
        // The certificates were made within the last minute.
        now.withLock { $0 = began + 2 * 86_400 - 60 }
        #expect(try await connect(client, to: context), "the last ticket came with a resumption")
        now.withLock { $0 = began + 2 * 86_400 + 1 }
        #expect(try await !connect(client, to: context))
    }

    @Test("A client without a certificate resumes for as long as its ticket lives")
    func anonymous() async throws {
        let context = try TLSServerContext.serving(
            Self.identity, tickets: TicketKeys(wallClock: { .max })
        ) { $0.clients = .init(authorities: .text(TestAuthority.shared.pem), isRequired: false) }
        let client = TLSClient { _ in }
        #expect(try await !connect(client, to: context))
        #expect(try await connect(client, to: context))
    }
}

/// In a process of its own, whose memory no other test uses.
@Suite("Floods of tickets", .timeLimit(.minutes(2)))
struct TLSTicketFloodTests {
    @Test(
        "Thousands of resumptions leave no memory, and a handshake gives one ticket",
        .enabled(if: !Sanitizer.isOn))
    func flood() async {
        await #expect(processExitsWith: .success) { try await TLSTicketFloodTests.flood(with: 5000) }
    }

    static func flood(with count: Int) async throws {
        let context = try TLSServerContext.serving(TestAuthority.shared.issue()) {
            $0.clients = .init(authorities: .text(TestAuthority.shared.pem))
        }
        let shown = TestAuthority.shared.issue("DNS:partner.example.com")
        let client = TLSClient { $0.identity = shown }
        try await withLoop { loop in
            let listener = try Listener(bind: .loopback())
            try await loop.perform {
                listener.start(loop: loop) { stream in
                    stream.start(handler: Greeting(stream))
                    stream.acceptTLS(context)
                }
            }
            func resume(_ count: Int, isFirst: Bool = false) throws {
                for _ in 0..<count {
                    let raw = try RawClient(port: listener.address.port ?? 0)
                    try raw.startTLS(client)
                    #expect(try raw.read(count: 1) == utf8("y"))
                    #expect(raw.tls?.isResumed == !isFirst)
                    #expect(raw.tls?.ticketCount == 1)
                    raw.tls?.keepSession()
                }
            }
            try resume(1, isFirst: true)
            try resume(count / 10)
            let before = try await used(loop)
            try resume(count)
            let grown = try await used(loop) - before
            // A session with its certificate has more than 1 KiB.
            #expect(grown < 200 * count, "\(grown) bytes after \(count) resumptions")
            try await loop.perform { listener.close() }
        }
    }

    /// The memory of the process, when all connections have ended.
    private static func used(_ loop: EventLoop) async throws -> Int {
        try await poll(while: try await loop.perform { Greeting.open > 0 }) { "open" }
        return ProcessLimits.residentMemory()
    }

    /// Writes a byte, and closes when the client has left.
    private final class Greeting: StreamHandler {
        /// Used on the only loop.
        nonisolated(unsafe) static var open = 0
        private let stream: SocketStream

        init(_ stream: SocketStream) {
            self.stream = stream
            Self.open += 1
        }

        deinit { Self.open -= 1 }

        func streamConnected() { stream.write(utf8("y")[...]) }
        func streamReceived(_ bytes: UnsafeRawBufferPointer) {}
        func streamReachedEnd() { stream.close() }
        func streamFailed(_ error: SocketError) {}
    }
}
