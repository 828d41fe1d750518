import Dispatch
import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import TestWaiting
import Testing

private struct Failure: Error {}

/// A model.
private struct Weight: Encodable, Sendable {
    var kilograms: Double
    var date: String
}

/// Returns these values as a sequence.
private func sequence<Value: Sendable>(
    _ values: Value..., failing: Bool = false
) -> AsyncThrowingStream<Value, any Error> {
    AsyncThrowingStream { continuation in
        for value in values { continuation.yield(value) }
        continuation.finish(throwing: failing ? Failure() : nil)
    }
}

@Suite("Answers of events and lines", .noLeaks)
struct RecordStreamTests {
    private let bench = Bench()

    private func read(_ reply: Reply) async throws -> String {
        var read: [UInt8] = []
        for try await piece in try #require(reply.response.stream) { read += piece }
        return String(decoding: read, as: UTF8.self)
    }

    @Test("A failure before the first event is answered like a handler's own")
    func early() async throws {
        bench.gateway.get("/own") { _ in .events(sequence(1, failing: true).filter { _ in false }) }
        bench.gateway.get("/call") { [diary = bench.diary] _ in .events(diary.rx.events(.recent)) }
        bench.upstream("/recent", .response(404))
        let own = try await bench.eventualAnswer("/own")
        #expect(own.status == 500)
        #expect(own.response.stream == nil)
        #expect(bench.incidents.count == 1)
        #expect(try await bench.eventualAnswer("/call").status == 404)
        #expect(bench.incidents.count == 1)
    }

    @Test("Events that end before the first one are 204, so that their client does not connect again")
    func none() async throws {
        bench.gateway.get("/own") { _ in .events(Observable<Int>.empty()) }
        bench.gateway.get("/call") { [diary = bench.diary] _ in .events(diary.rx.events(.recent)) }
        bench.gateway.get("/lines") { _ in .lines(Observable<Int>.empty()) }
        bench.upstream("/recent", .response(204))
        for path in ["/own", "/call"] {
            let reply = try await bench.eventualAnswer(path)
            #expect(reply.status == 204)
            #expect(reply.fields[.contentType] == nil)
            #expect(reply.body.isEmpty)
        }
        let lines = try await bench.eventualAnswer("/lines")
        #expect(lines.status == 200)
        #expect(bench.incidents.isEmpty)
    }

    @Test("A failure after the first event ends the events with it, and is an incident")
    func late() async throws {
        bench.gateway.get("/events") { _ in .events(sequence(1, failing: true)) }
        let reply = try await bench.eventualAnswer("/events")
        #expect(reply.status == 200)
        await #expect(throws: Failure.self) { try await read(reply) }
        try await poll(while: bench.incidents.isEmpty) { "the broken stream is not reported" }
    }

    @Test(
        "An event that cannot be written, a value that cannot be encoded and a hasty heartbeat are incidents")
    func faults() async throws {
        bench.gateway.get("/id") { _ in .events(Observable.just(ServerSentEvent("a", id: "1\n2"))) }
        bench.gateway.get("/value") { _ in .lines(Observable.just(Weight(kilograms: .nan, date: ""))) }
        bench.gateway.get("/heartbeat") { _ in .events(Observable.just(1), heartbeat: .milliseconds(99)) }
        for (index, path) in ["/id", "/value", "/heartbeat"].enumerated() {
            #expect(try await bench.eventualAnswer(path).status == 500, "\(path)")
            #expect(bench.incidents.count == index + 1, "\(path)")
        }
        let texts = bench.incidents.map { "\($0.error)" }
        #expect(texts.first == "the id of an event has a line break or a NUL")
        #expect(texts.last == "heartbeats need 0.1 seconds between them, not 0.099 seconds")
    }

    /// Expects an answer's body.
    private func expect(
        _ text: String, of path: String, as type: String, _ answer: @escaping @Sendable () -> Answer
    ) async throws {
        bench.gateway.get(path) { _ in answer() }
        let reply = try await bench.eventualAnswer(path)
        let body = try await read(reply)
        #expect(body == text, "\(path)")
        #expect(reply.fields.values(of: .contentType) == [type])
        #expect(reply.fields.values(of: .cacheControl) == ["private, no-store"])
        #expect(reply.fields.values(of: "X-Accel-Buffering") == ["no"])
    }

    @Test("Fragments, literals, numbers, models and events are events, from a stream or a sequence")
    func events() async throws {
        let type = "text/event-stream"
        let fragment = try JSONFragment(validating: Array("[1,\n2]".utf8)[...])
        let literal: JSONLiteral = ["b": 1, "a": 2]
        let weight = Weight(kilograms: 71.5, date: "2026-11-20")
        let model = "data: {\"kilograms\":71.5,\"date\":\"2026-11-20\"}\n\n"
        let event = ServerSentEvent("a\nb", event: "add", id: "7")
        let lines = "data: a\ndata: b\n\n"
        try await expect("data: [1, 2]\n\n", of: "/1", as: type) { .events(Observable.just(fragment)) }
        try await expect("data: {\"b\":1,\"a\":2}\n\n", of: "/2", as: type) {
            .events(Observable.just(literal))
        }
        try await expect("data: 1\n\ndata: 2\n\n", of: "/3", as: type) { .events(Observable.from([1, 2])) }
        try await expect(model, of: "/4", as: type) { .events(Observable.just(weight)) }
        try await expect("event: add\nid: 7\n" + lines, of: "/5", as: type) {
            .events(Observable.just(event))
        }
        try await expect("data: [1, 2]\n\n", of: "/6", as: type) { .events(sequence(fragment)) }
        try await expect("data: \"a\"\n\ndata: \"b\"\n\n", of: "/7", as: type) {
            .events(sequence("a", "b"))
        }
        try await expect(model, of: "/8", as: type) { .events(sequence(weight)) }
        try await expect("event: add\nid: 7\n" + lines + "event: add\n" + lines, of: "/9", as: type) {
            .events(sequence(event, event))
        }
    }

    @Test("Lines are JSON, each on one line, from a stream or a sequence")
    func lines() async throws {
        let type = "application/x-ndjson"
        let fragment = try JSONFragment(validating: Array("[1,\r\n2]".utf8)[...])
        let weight = Weight(kilograms: 71.5, date: "2026-11-20")
        let line = "{\"kilograms\":71.5,\"date\":\"2026-11-20\"}\n"
        try await expect("[1,  2]\nnull\n", of: "/1", as: type) {
            .lines(Observable.from([fragment, JSONFragment.null]))
        }
        try await expect(line + line, of: "/2", as: type) { .lines(Observable.from([weight, weight])) }
        try await expect("\"a\\nb\"\n\"c\"\n", of: "/3", as: type) { .lines(sequence("a\nb", "c")) }
        try await expect(line, of: "/4", as: type) { .lines(sequence(weight)) }
        try await expect("", of: "/5", as: type) { .lines(Observable<Int>.empty()) }
    }

    @Test(
        "The head waits a second for the first event, at most half of the time until the deadline",
        arguments: [(10_000, 1_000), (500, 250)])
    func head(deadline: Int, wait: Int) async throws {
        let subject = PublishSubject<ServerSentEvent>()
        bench.gateway.get("/events", .deadline(.milliseconds(deadline))) { _ in .events(subject) }
        let pending = try bench.ask(.get, "/events")
        try await poll(while: !subject.hasObservers) { "the handler has not subscribed" }
        bench.time.advance(by: .milliseconds(wait - 1))
        #expect(pending.count == 0)
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 200)
        // The deadline is over.
        bench.time.advance(by: .milliseconds(deadline))
        subject.onNext(ServerSentEvent("late"))
        subject.onCompleted()
        #expect(try await read(reply) == "data: late\n\n")
        #expect(bench.time.pending == 0)
    }

    @Test("Calls that a stream makes after its answer has begun have no deadline")
    func deadline() async throws {
        bench.gateway.get("/events", .deadline(.seconds(2))) { [diary = bench.diary] _ in
            .events(
                Observable<Int>.timer(.seconds(3)).concatMap { _ in diary.rx.request(.recent).fragment() })
        }
        bench.upstream("/recent", .data("7"))
        let pending = try bench.ask(.get, "/events")
        // The deadline, the wait for the head, and the timer.
        try await poll(while: bench.time.pending < 3) { "the handler has not subscribed" }
        bench.time.advance(by: .seconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 200)
        bench.time.advance(by: .seconds(2))
        #expect(try await read(reply) == "data: 7\n\n")
        #expect(bench.transport.attempts.count == 1)
    }

    @Test("Of a stream that cannot pause, at most 2 MiB of events wait, and what waits is counted")
    func bound() async throws {
        let subject = PublishSubject<ServerSentEvent>()
        bench.gateway.get("/events") { _ in .events(subject) }
        let pending = try bench.ask(.get, "/events")
        try await poll(while: !subject.hasObservers) { "the handler has not subscribed" }
        bench.time.advance(by: .seconds(1))
        let reply = try pending.reply()
        let stream = try #require(reply.response.stream)
        let reports = Lock(0)
        stream.onUnread { reports.withLock { $0 += 1 } }
        let event = ServerSentEvent(String(repeating: "a", count: 500_000))
        for _ in 0..<4 { subject.onNext(event) }
        // The task has taken the first one, perhaps.
        try await poll(while: stream.unreadByteCount < 4 * 500_000) { "\(stream.unreadByteCount) bytes" }
        #expect(reports.withLock { $0 } >= 2)
        for _ in 0..<2 { subject.onNext(event) }
        await #expect(throws: (any Error).self) { try await read(reply) }
        try await poll(while: bench.incidents.isEmpty) { "the broken stream is not reported" }
        #expect(
            bench.incidents.map { "\($0.error)" } == [
                "the stream of an answer is 2097152 bytes ahead of its client"
            ])
        #expect(!subject.hasObservers)
    }
}
