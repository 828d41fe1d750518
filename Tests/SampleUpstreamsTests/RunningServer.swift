import Dispatch
import EventIO
import Locking
import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

/// Runs a server of the sample APIs, at a given day and hour in UTC, while `body` runs. Stops the server
/// afterwards.
func withServer(
    scratch: ScratchFolder = ScratchFolder(), today: String = "2026-11-20", hour: Int = 0,
    hasLatency: Bool = false, trickleInterval: TimeAmount = TrickledAnswer.interval,
    _ body: (RunningServer) throws -> Void
) throws {
    let now = try #require(CalendarDate(today)).daysSince1970 * 86_400 + hour * 3600
    let events = EventRecorder()
    let samples = try SampleAPIs(database: scratch.diary, now: { now }, hasLatency: hasLatency)
    var configuration = GatewayServerConfiguration()
    samples.configure(&configuration)
    configuration.port = 0
    configuration.hosts = .any
    configuration.accessLog = false
    configuration.logLevel = .error
    configuration.faultSender = {
        FaultSender(trickleInterval: trickleInterval).send($0, to: $1, on: $2)
    }
    let observer = configuration.observer
    configuration.observer = { request in
        observer?(request)
        events.record(request)
    }
    let server = try GatewayServer.start(configuration) { samples.declare(on: $0) }
    defer {
        server.stop()
        server.waitUntilStopped()
    }
    try body(RunningServer(samples: samples, port: server.port, events: events))
}

struct RunningServer {
    let samples: SampleAPIs
    let port: Int
    let events: EventRecorder

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
        let length =
            body.map { "Content-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n" } ?? ""
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

/// The requests that are over, with a way to wait for them.
final class EventRecorder: Sendable {
    private let requests = Lock<[FinishedRequest]>([])
    private let came = DispatchSemaphore(value: 0)

    func record(_ request: FinishedRequest) {
        requests.withLock { $0.append(request) }
        came.signal()
    }

    /// Waits for the next request to end and returns it.
    func next() throws -> FinishedRequest {
        try #require(came.wait(timeout: .now() + 10) == .success, "no request has ended")
        return try #require(requests.withLock { $0.isEmpty ? nil : $0.removeFirst() })
    }
}

extension SampleVisitor {
    init(_ id: String) throws { self = try #require(SampleVisitor(requestText: id)) }
}

extension CalendarDate {
    static let first = CalendarDate(number: -719_162)
    static let last = CalendarDate(number: 2_932_896)

    /// - Parameter number: days since 1970-01-01.
    init(number: Int) {
        guard let day = CalendarDate(daysSince1970: number) else {
            preconditionFailure("there is no day \(number)")
        }
        self = day
    }

    func advanced(by days: Int) -> CalendarDate { CalendarDate(number: daysSince1970 + days) }
}

extension DiaryStore {
    /// A diary with its own file.
    convenience init(path: String, busyTimeout: Int32 = 2000) throws(SampleDataError) {
        try self.init(SampleDatabase(path: path, busyTimeout: busyTimeout))
    }
}
