import Dispatch
import EventIO
import Locking
import TestSupport
import Testing

@testable import SampleUpstreams

/// Runs a sample server on its own loops, at a given day and hour in UTC, while `body` runs. Stops the server afterwards.
func withServer(
    scratch: ScratchFolder = ScratchFolder(), today: String = "2026-11-20", hour: Int = 0, loops: Int = 1,
    hasLatency: Bool = false, trickleInterval: TimeAmount = TrickledAnswer.interval,
    _ body: (RunningServer) throws -> Void
) throws {
    let now = try #require(CalendarDay(today)).number * 86_400 + hour * 3600
    let events = EventRecorder()
    let server = try SampleServer(
        database: scratch.diary, now: { now }, hasLatency: hasLatency, trickleInterval: trickleInterval,
        log: { events.record($0) })
    let group = try EventLoopGroup(count: loops)
    let address = try server.start(on: group.loops, at: .loopback())
    let ended = DispatchSemaphore(value: 0)
    defer {
        server.stop { ended.signal() }
        #expect(ended.wait(timeout: .now() + 10) == .success, "the server did not stop")
        group.shutdown()
    }
    try body(
        RunningServer(server: server, port: try #require(address.port), events: events, loop: group.loops[0]))
}

struct RunningServer {
    let server: SampleServer
    let port: Int
    let events: EventRecorder
    let loop: EventLoop

    /// Sends a request on a new connection and reads to the end of the stream.
    @discardableResult
    func send(
        _ method: String, _ target: String, _ body: String? = nil, visitor: String? = nil, field: String = ""
    ) throws -> RawAnswerText {
        RawAnswerText(try sendRaw(method, target, body, visitor: visitor, field: field))
    }

    /// Returns the bytes of the answer up to the end of the stream.
    func sendRaw(
        _ method: String, _ target: String, _ body: String? = nil, visitor: String? = nil, field: String = ""
    ) throws -> [UInt8] {
        let (bytes, end) = try exchange(method, target, body, visitor: visitor, field: field)
        try #require(end == .fin)
        return bytes
    }

    /// Sends a request on a new connection and returns the bytes that follow and the end of the connection.
    func exchange(
        _ method: String, _ target: String, _ body: String? = nil, visitor: String? = nil, field: String = ""
    ) throws -> (bytes: [UInt8], end: RawClient.End) {
        let client = try RawClient(port: port)
        client.send(request(method, target, body, visitor: visitor, field: field))
        return client.readToEnd()
    }

    /// - Parameter field: one more line of the head, such as `If-None-Match: *`.
    func request(
        _ method: String, _ target: String, _ body: String? = nil, visitor: String? = nil, field: String = ""
    ) -> String {
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
        let visitor = visitor.map { "Demo-Visitor: \($0)\r\n" } ?? ""
        let field = field.isEmpty ? "" : "\(field)\r\n"
        return
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(visitor)\(field)\(length)\r\n"
            + (body ?? "")
    }
}

extension ScratchFolder {
    /// The database file, which does not exist until a server opens it.
    var diary: String { file("diary.sqlite3") }
}

/// The server's log events, with a way to wait for them.
final class EventRecorder: Sendable {
    private let answers = Lock<[SampleAnswer]>([])
    private let failures = Lock<[SampleDataError]>([])
    private let came = DispatchSemaphore(value: 0)

    func record(_ event: SampleEvent) {
        switch event {
        case .answered(let answer):
            answers.withLock { $0.append(answer) }
            came.signal()
        case .dataFailed(let error): failures.withLock { $0.append(error) }
        }
    }

    /// Waits for the next answer and returns it.
    func next() throws -> SampleAnswer {
        try #require(came.wait(timeout: .now() + 10) == .success, "no answer was logged")
        return try #require(answers.withLock { $0.isEmpty ? nil : $0.removeFirst() })
    }

    var dataFailures: [SampleDataError] { failures.withLock { $0 } }
}

extension DiaryStore {
    /// A diary with its own file.
    convenience init(path: String, busyTimeout: Int32 = 2000) throws(SampleDataError) {
        try self.init(SampleDatabase(path: path, busyTimeout: busyTimeout))
    }
}
