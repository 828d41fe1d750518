import COpenSSL
import TestSupport
import Testing

@testable import EventIO

@Suite("TLS sessions", .timeLimit(.minutes(1)))
struct TLSSessionTests {
    /// Connects once and waits for a byte that the server sends after its tickets.
    private func connect(_ server: ScriptedUpstream, _ context: TLSContext, _ host: String, _ loop: EventLoop)
        async throws
    {
        let driven = try await StreamDriver.securing(server, by: context, host: host, loop: loop)
        #expect(try await driven.next() == .connected)
        #expect(try await driven.bytes(1) == utf8("x"))
        try await driven.on { $0.close() }
        try await driven.forget()
    }

    @Test(
        "The second connection resumes the session of the first",
        arguments: [true, false])
    func resumed(isOnly12: Bool) async throws {
        var options = TLSServer.Options()
        options.isOnly12 = isOnly12
        try await withServer(options, .send("x"), .awaitEnd) { server, loop in
            let context = try TLSContext(.trusting())
            for _ in 0..<3 { try await connect(server, context, "localhost", loop) }
            #expect(server.handshakes.map(\.isResumed) == [false, true, true])
        }
    }

    @Test("A session is not used for another server or another configuration")
    func apart() async throws {
        try await withServer(.init(), .send("x"), .awaitEnd) { server, loop in
            let context = try TLSContext(.trusting())
            try await connect(server, context, "localhost", loop)
            try await connect(server, context, "127.0.0.1", loop)
            try await connect(server, TLSContext(.trusting()), "localhost", loop)
            #expect(server.handshakes.map(\.isResumed) == [false, false, false])
        }
    }

    @Test("A TLS 1.3 ticket is used once")
    func once() async throws {
        try await withServer(.init(), .send("x"), .awaitEnd) { server, loop in
            let context = try TLSContext(.trusting())
            try await connect(server, context, "localhost", loop)
            let taken = takeAll(from: context.sessions, for: "localhost")
            #expect((1...TLSSessionCache.sessionLimit).contains(taken))
        }
    }

    /// Takes and frees the sessions of a server, and returns their number.
    private func takeAll(from cache: TLSSessionCache, for server: String) -> Int {
        var count = 0
        while count < 100, let session = cache.take(for: server) {
            SSL_SESSION_free(session)
            count += 1
        }
        return count
    }

    @Test(
        "The cache limits the sessions per server, and evicts the server that has gone longest without a new one"
    )
    func bounded() async throws {
        try await withServer(.init(), .send("x"), .awaitEnd) { server, loop in
            let context = try TLSContext(.trusting())
            try await connect(server, context, "localhost", loop)
            let session = try #require(context.sessions.take(for: "localhost"))
            let cache = TLSSessionCache()
            for number in 0..<300 {
                for _ in 0..<6 {
                    SSL_SESSION_up_ref(session)
                    cache.insert(session, for: "host\(number)")
                }
            }
            #expect(cache.take(for: "host0") == nil)
            let counts = (0..<300).map { takeAll(from: cache, for: "host\($0)") }.filter { $0 > 0 }
            #expect(counts.count == TLSSessionCache.serverLimit)
            #expect(counts.allSatisfy { $0 == TLSSessionCache.sessionLimit })
            SSL_SESSION_free(session)
        }
    }

    @Test("A thousand handshakes leave no engine and no descriptor behind")
    func thousand() async throws {
        try await withServer(.init(), .send("x"), .awaitEnd) { server, loop in
            let context = try TLSContext(.trusting())
            let port = Int(server.port)
            let left = Left()
            for _ in 0..<1000 {
                let driven = try await StreamDriver.connecting(loop: loop) { handler in
                    let stream = SocketStream.connect(
                        to: .loopback(port: port), loop: loop, timeout: patience, handler: handler)
                    stream.startTLS(context, host: "localhost", deadline: loop.now + patience)
                    left.engine = stream.tls
                    return stream
                }
                #expect(try await driven.next() == .connected)
                #expect(try await driven.bytes(1) == utf8("x"))
                try await driven.on { stream in
                    #expect(left.engine != nil)
                    stream.close()
                }
                try await driven.forget()
                try await loop.perform { #expect(left.engine == nil, "the engine outlives its stream") }
            }
            #expect(server.handshakes.count == 1000)
            #expect(try await loop.perform { loop.members.open.count } == 0)
            #expect(await timerCount(of: loop) ?? 2 <= 1)
        }
    }

    private final class Left: @unchecked Sendable {
        // Used on the loop only.
        weak var engine: TLSEngine?
    }
}
