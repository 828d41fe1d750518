import GatewayCore
import Glibc
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Streamed answers over sockets", .timeLimit(.minutes(1)))
struct AnswerStreamTests {
    private struct Failure: Error {}

    /// An endless body of large pieces, which counts what was taken of it.
    private final class Endless: AsyncSequence, Sendable {
        typealias Element = [UInt8]

        let taken = Lock(0)
        let isReleased = Lock(false)

        final class Iterator: AsyncIteratorProtocol {
            private let body: Endless

            init(_ body: Endless) { self.body = body }

            deinit { body.isReleased.withLock { $0 = true } }

            func next() async throws -> [UInt8]? {
                body.taken.withLock { $0 += 1 << 16 }
                return [UInt8](repeating: 65, count: 1 << 16)
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(self) }
    }

    private func text(_ pieces: [String], failing: Bool = false) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            for piece in pieces { continuation.yield(Array(piece.utf8)) }
            continuation.finish(throwing: failing ? Failure() : nil)
        }
    }

    private func serve(
        _ answer: @escaping @Sendable () -> Answer, gap: Duration = .seconds(30),
        configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        _ body: (GatewayServer) throws -> Void
    ) throws -> [JSONFragment] {
        let messages = RawPipe()
        defer {
            close(messages.writer)
            close(messages.reader)
        }
        return try withLoggedGateway(
            stops: true, errors: messages.writer,
            configure: {
                $0.limits.streamGap = gap
                configure(&$0)
            },
            declare: { gateway in gateway.get("/page") { _ in answer() } }, body)
    }

    @Test("A failure after the first piece resets the connection, and the log says aborted")
    func failure() throws {
        let lines = try serve {
            .stream(text(["a"], failing: true), contentType: "text/csv")
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.readToEnd().end == .reset)
        }
        #expect(lines.map { $0[member: "end"]?.stringValue } == ["aborted"])
    }

    private static let large = String(repeating: "b", count: 10_000)

    /// Bodies that fail before any of them was sent: pieces, length, and whether they end with an error.
    private static let early: [String: (pieces: [String], length: Int?, failing: Bool)] = [
        "without a piece": ([], nil, true),
        "short, after its first piece": (["a"], 2, true),
        "shorter than its length": (["a", "b"], 3, false),
        "longer than its length": (["a", "bc"], 2, false),
        "empty in spite of its length": ([], 3, false),
        "empty in spite of a large length": ([], 10_000, false),
        "with a first piece that exceeds its length": ([large], 9_000, false),
    ]

    @Test(
        "A body that fails before its first byte is sent is answered with 500, and the connection goes on",
        arguments: early.keys, ["GET", "HEAD"])
    func beforeTheFirstByte(name: String, method: String) throws {
        let body = try #require(Self.early[name])
        let lines = try serve {
            .stream(text(body.pieces, failing: body.failing), contentType: "text/csv", length: body.length)
        } _: { server in
            let client = try RawClient(port: server.port)
            for _ in 1...2 {
                client.send("\(method) /page HTTP/1.1\r\nHost: test\r\n\r\n")
                let reply = try client.reply(toHead: method == "HEAD")
                #expect(reply.status == 500)
                #expect(reply.value("Content-Type")?.hasPrefix("application/json") == true)
                if method == "GET" { #expect(code(of: reply) == "INTERNAL") }
            }
        }
        #expect(lines.statuses == [500, 500])
        #expect(lines.ends == ["complete", "complete"])
    }

    @Test(
        "A body that turns out to miss its length after its first byte was sent resets the connection",
        arguments: [10_001, 20_001])
    func length(length: Int) throws {
        let lines = try serve {
            .stream(text(["a", Self.large, "bc"]), contentType: "text/csv", length: length)
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            let (bytes, end) = client.readToEnd()
            #expect(end == .reset)
            #expect(bytes.starts(with: "HTTP/1.1 200 OK\r\n".utf8))
        }
        #expect(lines.ends == ["aborted"])
    }

    @Test("An empty body of unknown length is an empty answer, and the connection goes on")
    func empty() throws {
        _ = try serve {
            .stream(text([]), contentType: "text/csv")
        } _: { server in
            let client = try RawClient(port: server.port)
            for _ in 1...2 {
                client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.text == "")
            }
        }
    }

    @Test("The head of a short body whose end takes long reaches the client before that end")
    func slowEnd() throws {
        let subject = ReplaySubject<[UInt8]>.create(bufferSize: 2)
        subject.onNext([65])
        // Its connection stays open until the server has stopped.
        var clients: [RawClient] = []
        let lines = try serve {
            .stream(subject, contentType: "text/csv", length: 2)
        } _: { server in
            let client = try RawClient(port: server.port)
            clients.append(client)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try client.read(through: "\r\n\r\nA").contains("Content-Length: 2"))
            subject.onNext([66])
            subject.onCompleted()
            #expect(try client.read(count: 1) == [66])
        }
        #expect(lines.ends == ["complete"] && clients.count == 1)
    }

    @Test("A piece that takes longer than the gap breaks the answer off")
    func gap() throws {
        let subject = ReplaySubject<[UInt8]>.create(bufferSize: 1)
        subject.onNext([65])
        let lines = try serve({ .stream(subject, contentType: "text/csv") }, gap: .milliseconds(50)) {
            server in
            let client = try RawClient(port: server.port)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.readToEnd().end == .reset)
        }
        #expect(lines.map { $0[member: "end"]?.stringValue } == ["aborted"])
    }

    @Test(
        "A sequence of empty pieces that never suspends is broken off by its gap, and leaves its loop to others"
    )
    func emptyPieces() throws {
        let made = Lock(0)
        let pieces = AsyncStream<[UInt8]>(unfolding: {
            made.withLock { made in
                made += 1
                return made == 1 ? [65] : []
            }
        })
        let lines = try serve({ .stream(pieces, contentType: "text/csv") }, gap: .milliseconds(50)) {
            server in
            let client = try RawClient(port: server.port)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            let other = try RawClient(port: server.port)
            #expect(other.get("/health/live")?.status == 200)
            #expect(client.readToEnd().end == .reset)
        }
        #expect(lines.compactMap { $0[member: "end"]?.stringValue } == ["aborted"])
    }

    @Test("The body is chunked, or has its length; HEAD has none, and the connection goes on")
    func framing() throws {
        for (length, field) in [(nil, "Transfer-Encoding: chunked"), (3, "Content-Length: 3")]
            as [(Int?, String)]
        {
            let lines = try serve {
                .stream(text(["a", "", "bc"]), contentType: "text/csv", length: length)
            } _: { server in
                let client = try RawClient(port: server.port)
                for _ in 1...2 {
                    client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
                    let reply = try client.reply()
                    #expect(reply.status == 200)
                    #expect(reply.text == "abc")
                    #expect(reply.head.contains(field))
                    #expect(reply.value("Content-Type") == "text/csv")
                }
                client.send("HEAD /page HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try client.reply(toHead: true).status == 200)
                client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try client.reply().text == "abc")
            }
            #expect(lines.map { $0[member: "code"]?.stringValue } == ["OK", "OK", "OK", "OK"])
        }
    }

    @Test("A status that forbids a body has none, and the connection goes on", arguments: [204, 205, 304])
    func withoutBody(code: Int) throws {
        let status = try #require(HTTPStatus(code: code))
        _ = try serve {
            .stream(text(["abc"]), contentType: "text/csv").status(status)
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == code)
            #expect(reply.text == "")
            #expect(!reply.head.contains("chunked"))
            #expect(client.get("/health/live")?.status == 200)
        }
    }

    @Test("A body is made no faster than its client reads, and its work is cancelled when the client leaves")
    func backpressure() throws {
        let endless = Endless()
        let lines = try serve {
            .stream(endless, contentType: "application/octet-stream")
        } _: { server in
            let client = try RawClient(port: server.port, receiveBuffer: 1 << 16)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            _ = try client.read(count: 1 << 20)
            // In each round of the loop an unbounded body would be made further.
            let other = try RawClient(port: server.port)
            for _ in 1...1000 { #expect(other.get("/health/live")?.status == 200) }
            // The sockets' buffers and the high watermark hold a few MiB.
            #expect(endless.taken.withLock { $0 } < 16 << 20)
            client.reset()
            try spin(while: endless.isReleased.withLock { !$0 }) {
                "the stream is alive, \(endless.taken.withLock { $0 }) bytes were taken"
            }
        }
        #expect(
            lines.compactMap { $0[member: "end"]?.stringValue }.filter { $0 != "complete" } == ["client_gone"]
        )
    }

    @Test("The piece that waits for a slow client counts, until the client leaves")
    func waitingPiece() throws {
        let size = 4 << 20
        let pieces = AsyncStream<[UInt8]>(unfolding: { [UInt8](repeating: 65, count: size) })
        _ = try serve {
            .stream(pieces, contentType: "application/octet-stream")
        } configure: {
            $0.inbound.spoolDirectory = nil
            $0.inbound.waitingAnswers = 4 * size
        } _: { server in
            let client = try RawClient(port: server.port, receiveBuffer: 1 << 16)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            _ = try client.read(through: "\r\n\r\n")
            // One piece is on its way, and the next one waits. The kernel has less than half of one.
            try spin(while: server.settled.waitingAnswerBytes < size + size / 2) {
                "\(server.settled.waitingAnswerBytes) bytes"
            }
            let bytes = #"answer_bytes_waiting{place="memory"}"#
            #expect((server.metric(bytes) ?? 0) >= Double(size + size / 2))
            #expect(server.metric(#"answer_bytes_waiting{place="file"}"#) == 0)
            let used = #"limit_used_ratio{limit="answers"}"#
            #expect(server.metric(used).map { (0.375...0.75).contains($0) } == true)
            // Both move on.
            _ = try client.read(count: 2 * size)
            client.reset()
            try spin(while: server.settled.waitingAnswerBytes > 0) {
                "\(server.settled.waitingAnswerBytes) bytes"
            }
            #expect(server.metric(bytes) == 0)
            #expect(server.metric(used) == 0)
        }
    }

    @Test("Pieces for which there is no memory reset their client")
    func tooLargePiece() throws {
        let pieces = AsyncStream<[UInt8]>(unfolding: { [UInt8](repeating: 65, count: 3 << 20) })
        let lines = try serve {
            .stream(pieces, contentType: "application/octet-stream")
        } configure: {
            $0.inbound.spoolDirectory = nil
            $0.inbound.waitingAnswers = 5 << 20
        } _: { server in
            let client = try RawClient(port: server.port, receiveBuffer: 1 << 16)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            try spin(while: server.settled.connections > 0) {
                "\(server.settled.waitingAnswerBytes) bytes wait"
            }
            #expect(client.readToEnd().end == .reset)
        }
        #expect(lines.ends == ["stalled"])
    }

    @Test("An upstream's stream that pauses is never too far ahead of a slow client")
    func slowClient() throws {
        let size = 16 << 20
        let upstream = try ScriptedUpstream([
            .readRequest,
            .sendBytes(
                Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8)
                    + [UInt8](repeating: 65, count: size)),
        ])
        defer { upstream.stop() }
        _ = try withLoggedGateway(
            configure: { $0.upstreams["parts"] = "http://127.0.0.1:\(upstream.port)" },
            declare: { gateway in
                let parts = gateway.provider(PartsAPI.self, upstream: "parts")
                gateway.get("/page", .deadline(.seconds(60))) { _ in
                    .stream(parts.rx.stream(.first), contentType: "text/csv", length: size)
                }
            }
        ) { server in
            let client = try RawClient(port: server.port, receiveBuffer: 1 << 16)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            _ = try client.read(through: "\r\n\r\n")
            // Meanwhile the loop takes from the upstream what it can.
            let other = try RawClient(port: server.port)
            for _ in 1...1000 { #expect(other.get("/health/live")?.status == 200) }
            #expect(try client.read(count: size).count == size)
        }
    }
}
