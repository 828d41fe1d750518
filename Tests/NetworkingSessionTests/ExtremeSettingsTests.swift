import EventIO
import HTTPModel
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

/// A trap would end the process of these tests.
@Suite("No argument stops the client")
struct ExtremeSettingsTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    private final class Count: Sendable {
        private let count = Lock(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    @Test("Calls end, however extreme one setting is", arguments: extremeSettings, Extreme.all)
    func settings(_ setting: ExtremeSetting, _ extreme: Extreme) async throws {
        let answers = Count()
        // The first answer is retried.
        let upstream = try ScriptedUpstream([
            .answer { _ in
                answers.next() == 1 ? "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n" : Self.ok
            }, .awaitEnd,
        ])
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        var policy = CallPolicy()
        // Some settings let calls wait for ever.
        policy.totalTimeout = .milliseconds(300)
        setting.set(&configuration, &policy, extreme)
        let session: Session
        do {
            session = try Session(configuration)
        } catch let error as InvalidDNSSettings {
            #expect(error.description.contains("is not between"))
            return
        }
        defer { session.close() }
        let provider = Provider<Anything>(session: session, policy: policy)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        for _ in 0..<3 { _ = try? await provider.rx.request(target).value }
    }

    @Test(
        "Stubs, plugins, cookies and tokens accept every number and time", arguments: extremeUses,
        Extreme.all)
    func uses(_ use: ExtremeUse, _ extreme: Extreme) throws {
        try use.use(extreme)
    }

    @Test("A connection with a limit of requests below 1 serves one", arguments: [Int.min, -1, 0, 1])
    func requestsPerConnection(_ limit: Int) async throws {
        let upstream = try ScriptedUpstream([.answer { _ in Self.ok }, .awaitEnd])
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        configuration.limits.requestsPerConnection = limit
        let session = try Session(configuration)
        defer { session.close() }
        let provider = Provider<Anything>(session: session, policy: .patient)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        for _ in 0..<2 { #expect(try await provider.rx.request(target).value.statusCode == 200) }
        #expect(upstream.connections == 2)
    }

    @Test("A body with a negative length is sent in chunks", arguments: [-1, Int64.min])
    func unknownLength(_ length: Int64) async throws {
        let upstream = try ScriptedUpstream([
            .readHead, .read("5\r\nhello\r\n0\r\n\r\n".utf8.count), .send(Self.ok), .close,
        ])
        let session = try Session.patient()
        defer { session.close() }
        var policy = CallPolicy.patient
        policy.expectContinueFrom = nil
        let provider = Provider<Anything>(session: session, policy: policy)
        let target = Anything(
            baseURL: "http://127.0.0.1:\(upstream.port)", method: .post,
            task: .stream(Piece(length: length)))
        #expect(try await provider.rx.request(target).value.statusCode == 200)
        let head = try #require(upstream.requests.first).lowercased()
        #expect(head.contains("transfer-encoding: chunked"))
        #expect(!head.contains("content-length"))
    }

    @Test("A stream that two tasks read at once refuses one of the reads, and the other one goes on")
    func twoReaders() async throws {
        let both = Signal()
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .wait(both), .send("{}"),
            .awaitEnd,
        ])
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<Anything>(session: session, policy: .patient)
        let stream = try await provider.stream(Anything(baseURL: "http://127.0.0.1:\(upstream.port)"))
        let read = try await withThrowingTaskGroup(of: Result<[UInt8], any Error>.self) { tasks in
            for _ in 0..<2 {
                tasks.addTask {
                    do {
                        var bytes: [UInt8] = []
                        for try await piece in stream { bytes += piece }
                        return .success(bytes)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            let refused = try await tasks.next()
            #expect(throws: ConcurrentReadError()) { _ = try refused?.get() }
            both.fire()
            return try await tasks.next()
        }
        #expect(try read?.get() == Array("{}".utf8))
    }
}
