import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// A stream of an upstream.
private struct Feed: TargetType {
    var baseURL: String { "http://feed.test" }
    var path: RequestPath { "/feed" }
    var method: HTTPMethod = .get
    var headers = HTTPFields()
    var attemptLimits: AttemptLimits?
}

/// Collects the values and the end of a stream.
private final class Received<Element: Sendable>: Sendable {
    private struct State {
        var values: [Element] = []
        var error: (any Error)?
        var isCompleted = false
    }

    /// Separate to avoid a retain cycle: the subscription retains this.
    private final class Record: Sendable {
        let state = Lock(State())
    }

    private let record = Record()
    private let bag = DisposeBag()

    var values: [Element] { record.state.withLock { $0.values } }
    var error: NetworkError? { record.state.withLock { $0.error } as? NetworkError }
    var isCompleted: Bool { record.state.withLock { $0.isCompleted } }

    init(_ stream: Observable<Element>) {
        stream.subscribe(
            onNext: { [record] value in record.state.withLock { $0.values.append(value) } },
            onError: { [record] error in record.state.withLock { $0.error = error } },
            onCompleted: { [record] in record.state.withLock { $0.isCompleted = true } }
        ).disposed(by: bag)
    }
}

@Suite("Lines and events", .noLeaks)
struct EventStreamTests {
    private let time = VirtualTime()
    private let transport: StubTransport
    private let provider: Provider<Feed>

    init() {
        transport = StubTransport(scheduler: time)
        var policy = CallPolicy()
        policy.retry = .never
        provider = Provider<Feed>(transport: transport, policy: policy, jitter: { _ in .zero })
    }

    private func answer(_ bodies: String...) {
        let responses = bodies.map { body in
            StubTransport.Answer.response(200, fields: [.contentType: "text/event-stream"], body: body)
        }
        let next = Lock(0)
        transport.answer { _ in
            let index = next.withLock { next in
                defer { next += 1 }
                return next
            }
            return index < responses.count ? responses[index] : .response(204)
        }
    }

    private var lastEventIDs: [String?] { transport.attempts.map { $0.call.fields["Last-Event-ID"] } }

    // MARK: - Errors

    @Test("A status below 500, another media type and a call of an unsafe method end the events")
    func ends() {
        transport.answer(.response(404))
        let missing = Received(provider.rx.events(Feed()))
        #expect(missing.error?.statusCode == 404)

        transport.answer(.json(#"{"a":1}"#))
        let other = Received(provider.rx.events(Feed()))
        #expect(other.error?.reason == .decodeError)
        #expect(other.error?.message == "the response is not an event stream")

        answer("data: a\n\n")
        let posted = Received(provider.rx.events(Feed(method: .post)))
        #expect(posted.values.map(\.data) == ["a"])
        #expect(posted.isCompleted)
        // Also replaces the closure, which would answer first.
        transport.answer { _ in .failure(.connectionTerminated) }
        #expect(Received(provider.rx.events(Feed(method: .post))).error?.reason == .connectionTerminated)
        #expect(time.pending == 0)
    }

    @Test("A line that is not JSON and a line of more than 1 MiB end the lines, after the lines before them")
    func badLines() {
        transport.answer(.response(200, body: "{}\nnot json\n{}\n"))
        let broken = Received(provider.rx.lines(Feed()))
        #expect(broken.values.count == 1)
        #expect(broken.error?.reason == .decodeError)
        #expect(broken.error?.underlying is JSONError)

        transport.answer(.response(200, body: "1\n\"" + String(repeating: "a", count: 1 << 20) + "\"\n2\n"))
        let long = Received(provider.rx.lines(Feed()))
        #expect(long.values.map(\.description) == ["1"])
        #expect(long.error?.reason == .responseBodySize)
        #expect(long.error?.message == "a line of the response has more than 1048576 bytes")

        transport.answer(.response(503))
        #expect(Received(provider.rx.lines(Feed())).error?.statusCode == 503)
    }

    @Test("An event of more than 1 MiB ends the events, whatever its lines, after the events before it")
    func longEvent() {
        let line = "data: " + String(repeating: "a", count: 300_000) + "\n"
        answer("data: first\n\n" + line + line + line + line + "\ndata: last\n\n")
        let events = Received(provider.rx.events(Feed()))
        #expect(events.error?.reason == .responseBodySize)
        #expect(events.values.map(\.data) == ["first"])
    }

    // MARK: - Lines

    @Test("Lines are JSON, blank ones are skipped, and the last one needs no end")
    func lines() {
        let long = String(repeating: "x", count: 3_000)
        transport.answer(.response(200, body: "{\"a\":1}\r\n\n \t\n[\"\(long)\"]\n3"))
        let lines = Received(provider.rx.lines(Feed()))
        #expect(lines.values.map(\.description) == [#"{"a":1}"#, "[\"\(long)\"]", "3"])
        #expect(lines.isCompleted)
    }

    @Test("Streams of records may be silent for a minute, unless the target or the policy says otherwise")
    func silence() {
        answer()
        _ = Received(provider.rx.events(Feed()))
        _ = Received(provider.rx.lines(Feed()))
        var limits = AttemptLimits()
        limits.between = .seconds(7)
        _ = Received(provider.rx.events(Feed(attemptLimits: limits)))
        var policy = CallPolicy()
        policy.attemptLimits.between = .seconds(9)
        _ = Received(Provider<Feed>(transport: transport, policy: policy).rx.lines(Feed()))
        #expect(
            transport.attempts.map { $0.call.limits.between } == [
                .seconds(60), .seconds(60), .seconds(7), .seconds(9),
            ])
        #expect(transport.attempts.first?.call.fields[.accept] == "text/event-stream")
        #expect(transport.attempts.first?.call.fields[.cacheControl] == "no-store")
    }

    // MARK: - Events

    /// Returns the events of a body, in pieces of this size.
    private func parsed(_ body: String, by size: Int) throws -> [ServerSentEvent] {
        var parser = EventParser(limit: 100)
        var rest = Array(body.utf8)[...]
        var events: [ServerSentEvent] = []
        while !rest.isEmpty {
            var piece = rest.prefix(size)
            while let event = try parser.nextEvent(in: &piece) { events.append(event) }
            #expect(piece.isEmpty)
            rest = rest.dropFirst(size)
        }
        return events
    }

    @Test(
        "An event stream is read as in a browser, whole, in pieces and byte by byte",
        arguments: [
            ("data: a\n\n", [ServerSentEvent("a")]),
            ("\u{feff}data:a\r\n\r\ndata\r\rdata:\n\n", [.init("a"), .init(""), .init("")]),
            ("data: a\ndata:  b\ndata\n\n", [.init("a\n b\n")]),
            (
                ": comment\nid: 1\nevent: add\ndata: x\n\ndata: y\n\n",
                [
                    .init("x", event: "add", id: "1"), .init("y", id: "1"),
                ]
            ),
            (
                "id: 1\ndata: x\n\nid\ndata: y\n\nid: a\0b\ndata: z\n\n",
                [
                    .init("x", id: "1"), .init("y"), .init("z"),
                ]
            ),
            ("event: none\n\ndata: a\n\ndata: cut off\n", [.init("a")]),
            ("DATA: a\nother: b\n\n: only\n\n", []),
        ] as [(String, [ServerSentEvent])])
    func parsing(body: String, events: [ServerSentEvent]) throws {
        for size in [1, 2, 3, 1_000] {
            let read = try parsed(body, by: size)
            #expect(read == events, "pieces of \(size)")
        }
        let glued = try parsed("data: 0\n\n" + body, by: 1_000)
        #expect(glued.first?.data == "0")
    }

    @Test("The time to wait is a number, and at most an hour")
    func retryField() throws {
        var parser = EventParser(limit: 100)
        for (line, retry) in [
            ("retry: 5", 5), ("retry: x", 5), ("retry: -1", 5), ("retry:", 5),
            ("retry: 99999999999999999999", 3_600_000),
        ] {
            var piece = Array("\(line)\n".utf8)[...]
            let event = try parser.nextEvent(in: &piece)
            #expect(event == nil)
            #expect(parser.retry == retry)
        }
    }

    @Test(
        "Events connect again with the last id until a 204, after a second or the time that the server says")
    func reconnects() {
        answer("id: 1\ndata: a\n\n", "retry: 200\ndata: b\n\n", "id\ndata: c\n\n")
        let events = Received(provider.rx.events(Feed()))
        #expect(events.values.map(\.data) == ["a"])
        time.advance(by: .milliseconds(999))
        #expect(transport.attempts.count == 1)
        time.advance(by: .milliseconds(1))
        #expect(events.values == [ServerSentEvent("a", id: "1"), ServerSentEvent("b", id: "1")])
        time.advance(by: .milliseconds(200))
        #expect(events.values.map(\.data) == ["a", "b", "c"])
        #expect(!events.isCompleted)
        time.advance(by: .milliseconds(200))
        #expect(events.isCompleted)
        #expect(lastEventIDs == [nil, "1", "1", nil])
        #expect(time.pending == 0)
    }

    @Test("A target's own id is sent until an event has another one")
    func firstID() {
        answer("retry: 100\ndata: a\n\n", "id: 8\ndata: b\n\n")
        let events = Received(provider.rx.events(Feed(headers: ["Last-Event-ID": "7"])))
        time.advance(by: .milliseconds(200))
        #expect(events.values.map(\.data) == ["a", "b"])
        #expect(events.isCompleted)
        #expect(lastEventIDs == ["7", "7", "8"])
    }

    @Test("The wait doubles up to 30 seconds while no event comes, and starts again after one")
    func doubling() {
        let isUp = Lock(false)
        transport.answer { _ in
            isUp.withLock { $0 }
                ? .response(200, fields: [.contentType: "text/event-stream"], body: "data: a\n\n")
                : .response(500)
        }
        let events = Received(provider.rx.events(Feed()))
        for (index, seconds) in [1, 2, 4, 8, 16, 30, 30].enumerated() {
            let count = transport.attempts.count
            time.advance(by: .milliseconds(seconds * 1_000 - 1))
            #expect(transport.attempts.count == count)
            if index == 6 { isUp.withLock { $0 = true } }
            time.advance(by: .milliseconds(1))
            #expect(transport.attempts.count == count + 1)
        }
        #expect(events.values.map(\.data) == ["a"])
        let count = transport.attempts.count
        time.advance(by: .seconds(1))
        #expect(transport.attempts.count == count + 1)
    }

    @Test("A server that asks for no wait at all is left alone for 100 ms, and longer while no event comes")
    func impatientServer() {
        transport.answer { _ in
            .response(200, fields: [.contentType: "text/event-stream"], body: "retry: 0\n\n")
        }
        let events = Received(provider.rx.events(Feed()))
        var waits: [Int] = []
        for _ in 0..<4 {
            let count = transport.attempts.count
            var wait = 0
            while transport.attempts.count == count, wait < 60_000 {
                time.advance(by: .milliseconds(1))
                wait += 1
            }
            waits.append(wait)
        }
        #expect(waits == [100, 1_000, 2_000, 4_000])
        #expect(events.error == nil)
    }

    @Test("Up to a quarter is added to a doubled wait")
    func jitter() {
        transport.answer { _ in .response(500) }
        var policy = CallPolicy()
        policy.retry = .never
        let provider = Provider<Feed>(transport: transport, policy: policy, jitter: { $0 })
        let events = Received(provider.rx.events(Feed()))
        time.advance(by: .milliseconds(1_000))
        #expect(transport.attempts.count == 2)
        time.advance(by: .milliseconds(2_499))
        #expect(transport.attempts.count == 2)
        time.advance(by: .milliseconds(1))
        #expect(transport.attempts.count == 3)
        #expect(events.error == nil)
    }

    @Test(
        "An id that no field can have is not sent back",
        arguments: ["a\tb", String(repeating: "i", count: 1_025)])
    func unsendableID(id: String) {
        answer("id: \(id)\ndata: a\n\n", "data: b\n\n")
        let events = Received(provider.rx.events(Feed()))
        time.advance(by: .seconds(2))
        #expect(events.values.map(\.data) == ["a", "b"])
        #expect(events.isCompleted)
        #expect(lastEventIDs == [nil, nil, nil])
    }

    @Test("Later connections of a stream that was made outside of a request are made for the request, too")
    func laterConnections() {
        answer("data: a\n\n", "data: b\n\n")
        let stream = provider.rx.events(Feed())
        let context = CallContext(requestID: "r-1")
        let events = CallContext.$current.withValue(context) { Received(stream) }
        time.advance(by: .seconds(2))
        #expect(events.isCompleted)
        #expect(transport.attempts.map { $0.call.allFields[.xRequestID] } == ["r-1", "r-1", "r-1"])
    }

    @Test("Disposal ends the wait for the next connection")
    func disposal() {
        answer("data: a\n\n")
        do {
            let events = Received(provider.rx.events(Feed()))
            #expect(events.values.count == 1)
            #expect(time.pending == 1)
        }
        #expect(time.pending == 0)
    }

    @Test("The data of an event is decoded as JSON")
    func json() throws {
        let event = ServerSentEvent(#"{"name":"GREEN"}"#)
        #expect(try event.json(as: [String: String].self) == ["name": "GREEN"])
        #expect(try event.fragment().description == #"{"name":"GREEN"}"#)
        #expect(throws: JSONError.self) { _ = try ServerSentEvent("no").json(as: Int.self) }
    }
}
