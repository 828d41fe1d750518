import EventIO
import Foundation
import Locking
import Resilience
import TestSupport
import Testing

@testable import SharedStore

@Suite("A store that does not do what it should", .timeLimit(.minutes(1)))
struct ScriptedStoreTests {
    private typealias Step = ScriptedUpstream.Step

    private static let limit = StoreLimit.test(10, per: .seconds(10))
    private static let name = "0123456789abcdef0123456789abcdef01234567"

    private static func byteCount(_ words: StoreWords) -> Int {
        var count = 0
        StoreCommandText(words).withBytes { count = $0.count }
        return count
    }

    /// Reads the script and tells its name.
    private static let greeting: [Step] = [
        .read(byteCount(LimitScript.load)), .send("$40\r\n\(name)\r\n"),
    ]
    /// Reads the command of one limit.
    private static let command = Step.read(
        byteCount(LimitScript.run(Array(name.utf8), for: [limit], prefix: "sluice:")))
    /// A decision after which this many requests are left.
    private static func reply(_ left: Int) -> String { "*2\r\n:1\r\n:\(10 - left)000000000\r\n" }

    private func withStore(
        _ scripts: [Step]..., timeout: TimeAmount = .seconds(10),
        _ body: (StoreClient, ScriptedUpstream) async throws -> Void
    ) async throws {
        try await withStore(scripts, timeout: timeout, body)
    }

    private func withStore(
        _ scripts: [[Step]], timeout: TimeAmount = .seconds(10),
        _ body: (StoreClient, ScriptedUpstream) async throws -> Void
    ) async throws {
        let server = try ScriptedUpstream(.open, scripts)
        defer { server.stop() }
        let client = try await StoreClient(.port(server.port, timeout: timeout))
        try await body(client, server)
        try await client.close()
    }

    @Test("A reply that is cut anywhere is put together")
    func cut() async throws {
        let reply = Self.reply(7)
        let script = Self.greeting + [Self.command] + reply.utf8.map { .sendBytes([$0]) } + [.awaitEnd]
        try await withStore(script) { client, _ in
            let decisions = try await client.take([Self.limit]).get()
            #expect(decisions.map(\.remaining) == [7])
        }
    }

    @Test("A greeting that comes byte by byte, and late, delays the first command only")
    func slowGreeting() async throws {
        let mayGreet = Signal()
        let script: [Step] =
            [.read(Self.byteCount(LimitScript.load)), .wait(mayGreet)]
            + "$40\r\n\(Self.name)\r\n".utf8.map { .sendBytes([$0]) }
            + [Self.command, .send(Self.reply(9)), Self.command, .send(Self.reply(8)), .awaitEnd]
        try await withStore(script) { client, _ in
            let results = Inbox<Result<[LimitDecision], StoreFailure>>()
            client.begin([Self.limit]) { results.put($0) }
            try await poll(while: try await client.perform { $0.waitingCount } < 2) { "no command waits" }
            mayGreet.fire()
            #expect(try await results.next().get()[0].remaining == 9)
            #expect(try await client.take([Self.limit]).get()[0].remaining == 8)
            #expect(client.changes.isEmpty)
        }
    }

    @Test("A late reply is dropped, and the next command gets its own")
    func lateReply() async throws {
        let isLate = Signal()
        // Each command is answered with its number, but none before the first one has failed.
        let answers = (2...9).flatMap { [Self.command, .send(Self.reply($0))] }
        let script =
            Self.greeting + [Self.command, .wait(isLate), .send(Self.reply(1))] + answers + [.awaitEnd]
        try await withStore(script, timeout: .milliseconds(20)) { client, _ in
            try client.connected()
            // On a slow machine a timer may be so late that it says nothing about the store.
            var sent = 0
            repeat {
                sent += 1
                #expect(try await client.take([Self.limit]).failure == .noReply)
            } while client.changes.isEmpty && sent < 5
            #expect(client.changes == [.lost(.noReply)])
            let missed = sent
            isLate.fire()
            try spin(while: client.availability.status.lateReplies < missed) {
                "\(client.availability.status)"
            }
            // A reply that a slow machine reads too late is dropped, too.
            var answer: LimitDecision?
            while answer == nil, sent < 9 {
                sent += 1
                answer = try? await client.take([Self.limit]).get()[0]
            }
            #expect(answer?.remaining == sent)
            #expect(client.availability.status.lateReplies == sent - 1)
            // Nothing else happens, and still the end is noticed.
            try spin(while: client.changes.count < 2) { "\(client.changes)" }
            let failures = client.availability.status.failures
            #expect(Array(failures.keys) == [.timeout])
            // Usually the first command alone.
            #expect((1..<sent).contains(failures[.timeout] ?? 0), "\(failures) of \(sent)")
        }
    }

    @Test("A request with less time than the store may take says nothing about the store")
    func shortRequest() async throws {
        let commands = 40
        let mayAnswer = Signal()
        let script =
            Self.greeting + Array(repeating: Self.command, count: commands + 1)
            + [.wait(mayAnswer), .send(String(repeating: Self.reply(1), count: commands) + Self.reply(2))]
            + [.awaitEnd]
        try await withStore(script) { client, _ in
            try client.connected()
            let short = Inbox<Result<[LimitDecision], StoreFailure>>()
            try await client.perform { connection in
                for _ in 0..<commands {
                    connection.take([Self.limit], within: .milliseconds(1)) { short.put($0) }
                }
            }
            #expect(try await short.next(commands).allSatisfy { $0.failure == .noReply })
            #expect(client.changes.isEmpty)
            #expect(client.availability.status.failures.isEmpty)
            // The breaker is closed.
            let result = Inbox<Result<[LimitDecision], StoreFailure>>()
            client.begin([Self.limit]) { result.put($0) }
            mayAnswer.fire()
            #expect(try await result.next().get()[0].remaining == 2)
        }
    }

    @Test("A store that ends each connection after the greeting is tried less and less often")
    func shortConnections() async throws {
        let last = Self.greeting + [Self.command, .send(Self.reply(3)), .awaitEnd]
        try await withStore(Self.greeting + [.close], Self.greeting + [.close], last) { client, server in
            try spin(while: server.connections < 3) { "\(server.connections) connections" }
            try client.connected()
            #expect(try await client.perform { $0.backoff.next } == .milliseconds(400))
            _ = try await client.take([Self.limit]).get()
            #expect(try await client.perform { $0.backoff.next } == Backoff.shortest)
        }
    }

    @Test(
        "Only a replica is left, because the name may belong to another server by now",
        arguments: [
            ("READONLY You can't write against a read only replica.", true), ("MASTERDOWN no link", true),
            ("ERR Error running script: @user_script:21: -READONLY You can't write", true),
            ("NOREPLICAS Not enough good replicas to write.", false),
            ("MISCONF Redis is configured to save RDB snapshots", false),
        ])
    func replica(_ error: String, _ isLeft: Bool) async throws {
        let refusal = Self.greeting + [Self.command, .send("-\(error)\r\n")]
        let answer = [Self.command, .send(Self.reply(3)), .awaitEnd]
        let scripts =
            isLeft ? [refusal + [.awaitEnd], Self.greeting + answer] : [refusal + answer]
        try await withStore(scripts) { client, server in
            try client.connected()
            #expect(try await client.take([Self.limit]).failure?.kind == .readonly)
            try spin(while: server.connections < scripts.count) { "\(server.connections) connections" }
            try client.connected()
            #expect(try await client.take([Self.limit]).get()[0].remaining == 3)
            #expect(server.connections == scripts.count)
        }
    }

    @Test("A reply to one command after another that is late goes to its own command")
    func lateAndInTime() async throws {
        let mayAnswer = Signal()
        let script =
            Self.greeting + [Self.command, Self.command, .wait(mayAnswer)]
            + [.send(Self.reply(1) + Self.reply(2)), .awaitEnd]
        try await withStore(script, timeout: .seconds(10)) { client, _ in
            try client.connected()
            let results = Inbox<Result<[LimitDecision], StoreFailure>>()
            let isOver = Signal()
            try await client.perform { connection in
                connection.take([Self.limit], within: .milliseconds(1)) { _ in isOver.fire() }
                connection.take([Self.limit]) { results.put($0) }
            }
            try await isOver.wait()
            mayAnswer.fire()
            #expect(try await results.next().get()[0].remaining == 2)
        }
    }

    @Test(
        "What is not Redis fails the requests and the connection, with a clear text",
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", StoreFailure.Kind.protocol, "is not a Redis server"),
            ("$1000000\r\n" + String(repeating: "x", count: 40_000), .protocol, "longer than 16384 bytes"),
            ("*1000000\r\n", .protocol, "more than 64 elements"),
            ("*1\r\n*1\r\n*1\r\n:1\r\n", .protocol, "nested"), ("+OK\r\n", .protocol, "not a decision"),
            (":1\r\n", .protocol, "not a decision"), ("*1\r\n:1\r\n", .protocol, "not a decision"),
            ("*2\r\n:1\r\n:-5\r\n", .protocol, "not a decision"), ("-ERR sesame\r\n", .error, "(ERR)"),
            ("-LOADING Redis is loading\r\n", .loading, "still reading its data"),
        ])
    func nonsense(_ reply: String, _ kind: StoreFailure.Kind, _ text: String) async throws {
        try await withStore(Self.greeting + [Self.command, .send(reply), .awaitEnd]) { client, _ in
            let failure = try #require(try await client.take([Self.limit]).failure)
            #expect(failure.kind == kind)
            #expect(failure.description.contains(text), "\(failure)")
            #expect(!failure.description.contains("sesame"))
            #expect(client.changes == [.lost(failure)])
        }
    }

    @Test(
        "A greeting that fails lets no request through",
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", StoreFailure.Kind.protocol), ("+OK\r\n", .protocol),
            ("$3\r\nabc\r\n", .protocol), ("-LOADING Redis is loading\r\n", .loading),
            ("-ERR max number of clients reached\r\n", .unreachable), ("-NOPERM no\r\n", .credentials),
            ("", .unreachable),
        ])
    func badGreeting(_ reply: String, _ kind: StoreFailure.Kind) async throws {
        try await withStore([.read(10), .send(reply), .close]) { client, _ in
            #expect(try await client.take([Self.limit]).failure?.kind == kind)
            try spin(while: client.changes.isEmpty) { "\(client.availability.status)" }
            guard case .lost(let failure)? = client.changes.first else {
                Issue.record("\(client.changes)")
                return
            }
            #expect(failure.kind == kind)
        }
    }

    @Test("A server that repeats the password in its error does not bring it into a text")
    func repeatedPassword() async throws {
        let server = try ScriptedUpstream(
            [
                .read(10), .send("-ERR unknown command 'AUTH', with args beginning with: 'open sesame'\r\n"),
                .awaitEnd,
            ])
        defer { server.stop() }
        var settings = StoreSettings.port(server.port)
        settings.password = "open sesame"
        let client = try await StoreClient(settings)
        let failure = try #require(try await client.take([Self.limit]).failure)
        #expect(failure.description == "the store lacks a command: Redis 6 or later is needed")
        try await client.close()
    }

    @Test("A reply that nothing asked for ends the connection")
    func unasked() async throws {
        try await withStore(Self.greeting + [.send("+PONG\r\n"), .awaitEnd], Self.greeting + [.awaitEnd]) {
            client, server in
            try spin(while: server.connections < 2) { "\(server.connections) connections" }
        }
    }

    @Test("A connection that ends fails what waits for it, once each, and is made again")
    func cutConnection() async throws {
        let mayClose = Signal()
        let next = Self.greeting + [Self.command, .send(Self.reply(3)), .awaitEnd]
        try await withStore(Self.greeting + [Self.command, Self.command, .wait(mayClose), .reset], next) {
            client, _ in
            try client.connected()
            let results = Inbox<Result<[LimitDecision], StoreFailure>>()
            for _ in 0..<2 { client.begin([Self.limit]) { results.put($0) } }
            try await poll(while: try await client.perform { $0.waitingCount } < 2) { "not sent" }
            mayClose.fire()
            #expect(try await results.next(2).allSatisfy { $0.failure?.kind == .unreachable })
            try await poll(
                while: try await client.perform { if case .ready = $0.state { false } else { true } }
            ) {
                "\(client.availability.status)"
            }
            #expect(try await client.take([Self.limit]).get()[0].remaining == 3)
        }
    }

    @Test("A script that is unknown is sent itself, once")
    func noScript() async throws {
        let whole = Step.read(Self.byteCount(LimitScript.run(nil, for: [Self.limit], prefix: "sluice:")))
        let unknown = "-NOSCRIPT No matching script. Please use EVAL.\r\n"
        let script =
            Self.greeting + [Self.command, .send(unknown), whole, .send(Self.reply(4)), Self.command]
            + [.send(unknown), whole, .send(unknown), .awaitEnd]
        try await withStore(script) { client, server in
            let decisions = try await client.take([Self.limit]).get()
            #expect(decisions.map(\.remaining) == [4])
            #expect(server.requests.last?.hasPrefix("*6\r\n$4\r\nEVAL\r\n") == true)
            #expect(try await client.take([Self.limit]).failure?.kind == .error)
        }
    }

    @Test(
        "A connection that rests after a failed attempt connects at once when another loop reaches the store")
    func wakes() async throws {
        let server = try ScriptedUpstream(.closed, [Self.greeting + [.awaitEnd]])
        defer { server.stop() }
        let client = try await StoreClient(.port(server.port))
        func isResting() async throws -> Bool {
            try await client.perform { if case .resting = $0.state { true } else { false } }
        }
        // The later it is, the longer it rests.
        try await poll(while: try await client.perform { $0.backoff.next } < .milliseconds(800)) { "" }
        try await poll(while: try await !isResting()) { "it does not rest" }
        server.open()
        let availability = client.availability
        try await client.perform {
            _ = availability.connected(ObjectIdentifier(server), at: $0.loop.wakeTime)
        }
        #expect(try await !isResting())
        availability.disconnected()
        try client.connected()
        try await client.close()
    }

    @Test("User, password, database and script are sent in this order")
    func order() async throws {
        let words = [StoreWords("AUTH", "sluice", "open sesame"), StoreWords("SELECT", "7")]
        let server = try ScriptedUpstream(
            [.read(words.reduce(0) { $0 + Self.byteCount($1) }), .send("+OK\r\n+OK\r\n")] + Self.greeting
                + [.awaitEnd])
        defer { server.stop() }
        var settings = StoreSettings.port(server.port)
        (settings.user, settings.password, settings.database) = ("sluice", "open sesame", 7)
        let client = try await StoreClient(settings)
        try client.connected()
        #expect(
            server.requests.first
                == "*3\r\n$4\r\nAUTH\r\n$6\r\nsluice\r\n$11\r\nopen sesame\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n7\r\n"
        )
        try await client.close()
    }

    @Test("No more than 1000 commands wait")
    func waiting() async throws {
        try await withStore(Self.greeting + [.awaitEnd]) { client, _ in
            try client.connected()
            let results = Inbox<Result<[LimitDecision], StoreFailure>>()
            for _ in 0..<1001 { client.begin([Self.limit]) { results.put($0) } }
            #expect(try await results.next().failure?.kind == .busy)
            #expect(try await client.perform { $0.waitingCount } == 1000)
            try await client.perform { $0.close() }
            #expect(try await results.next(1000).allSatisfy { $0.failure == .ended })
            #expect(try await client.take([Self.limit]).failure == .ended)
            #expect(client.availability.status.failures == [.busy: 1])
        }
    }

    @Test("A server that accepts connections and says nothing fails requests by their own time")
    func silent() async throws {
        try await withStore([.awaitEnd], timeout: .milliseconds(5)) { client, server in
            for _ in 0..<10 {
                let result = try await client.take([Self.limit])
                #expect(result.failure == .noReply)
            }
            #expect(client.changes == [.lost(.noReply)])
            #expect(server.connections == 1)
        }
    }

    @Test("The owner may close the connection while it gets a decision")
    func closeWithin() async throws {
        let script =
            Self.greeting + [Self.command, Self.command, .send(Self.reply(1) + Self.reply(2)), .awaitEnd]
        try await withStore(script) { client, _ in
            try client.connected()
            let results = Inbox<Result<[LimitDecision], StoreFailure>>()
            try await client.perform { connection in
                connection.take([Self.limit]) {
                    results.put($0)
                    connection.close()
                }
                connection.take([Self.limit]) { results.put($0) }
            }
            #expect(try await results.next().get()[0].remaining == 1)
            #expect(try await results.next().failure == .ended)
        }
    }

    @Test("Nothing is retained after the end")
    func release() async throws {
        let isFreed = Signal()
        try await withStore(Self.greeting + [.awaitEnd]) { client, _ in
            try client.connected()
            let witness = Witness(isFreed)
            client.begin([Self.limit]) { _ in withExtendedLifetime(witness) {} }
        }
        try await isFreed.wait()
    }

    private final class Witness: Sendable {
        private let isFreed: Signal
        init(_ isFreed: Signal) { self.isFreed = isFreed }
        deinit { isFreed.fire() }
    }
}
