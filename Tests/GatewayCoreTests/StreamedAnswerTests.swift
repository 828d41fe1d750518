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

/// Makes these pieces. Outside of the suite: a handler that retained the suite would retain its own gateway.
private func made(_ texts: String..., failing: Bool = false) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream { continuation in
        for text in texts { continuation.yield(Array(text.utf8)) }
        continuation.finish(throwing: failing ? Failure() : nil)
    }
}

/// Too long to be held until it is whole.
private let large = String(repeating: "b", count: 8 << 10)

@Suite("Streamed answers", .noLeaks)
struct StreamedAnswerTests {
    private let bench = Bench()

    private func read(_ stream: AnswerStream?) async throws -> [String] {
        var read: [String] = []
        for try await piece in try #require(stream) { read.append(String(decoding: piece, as: UTF8.self)) }
        return read
    }

    @Test("A failure before the first piece is answered like a handler's own")
    func early() async throws {
        bench.gateway.get("/page") { _ in .stream(made(failing: true), contentType: "text/csv") }
        bench.gateway.get("/call") { [diary = bench.diary] _ in
            .stream(
                diary.rx.request(.recent).fragment().asObservable().map { $0.bytes }, contentType: "text/csv")
        }
        bench.upstream("/recent", .response(503))
        let reply = try await bench.eventualAnswer("/page")
        #expect(reply.status == 500)
        #expect(reply.response.stream == nil)
        #expect(bench.incidents.count == 1)
        #expect(try await bench.eventualAnswer("/call").status == 503)
    }

    @Test("A failure after the first piece ends the stream with that failure, and is an incident")
    func late() async throws {
        bench.gateway.get("/page") { _ in
            .stream(made("a", "", "b", failing: true), contentType: "text/csv")
        }
        let reply = try await bench.eventualAnswer("/page")
        #expect(reply.status == 200)
        await #expect(throws: Failure.self) { try await read(reply.response.stream) }
        // The task that made the pieces reports after the reader has been told.
        try await poll(while: bench.incidents.isEmpty) { "the broken stream is not reported" }
        #expect(bench.incidents.count == 1)
    }

    @Test("An invalid content type or length is 500 INTERNAL, and nothing is made")
    func contentType() throws {
        bench.gateway.get("/length") { _ in .stream(made("a"), contentType: "text/csv", length: -1) }
        #expect(try bench.answer(.get, "/length").status == 500)
        bench.gateway.get("/page") { _ in .stream(made("a"), contentType: "csv") }
        #expect(try bench.answer(.get, "/page").status == 500)
    }

    @Test("The pieces are the body, with status, fields and length of the answer")
    func pieces() async throws {
        bench.gateway.get("/page") { _ in
            .stream(made("a", "", "bc"), contentType: "text/csv", length: 3)
                .status(.created).field(.cacheControl, "max-age=60")
        }
        let reply = try await bench.eventualAnswer("/page")
        #expect(reply.status == 201)
        #expect(reply.fields[.contentType] == "text/csv")
        #expect(reply.fields[.cacheControl] == "max-age=60")
        #expect(reply.body == "abc")
        bench.gateway.get("/large") { _ in
            .stream(made("a", "", large), contentType: "text/csv", length: 1 + large.utf8.count)
        }
        let largeReply = try await bench.eventualAnswer("/large")
        #expect(largeReply.response.stream?.length == 1 + large.utf8.count)
        #expect(try await read(largeReply.response.stream) == ["a", large])
    }

    @Test("A short body of a known length that fails after its first piece is answered with an error")
    func short() async throws {
        bench.gateway.get("/own") { _ in
            .stream(made("a", failing: true), contentType: "text/csv", length: 2)
        }
        bench.upstream("/recent", .response(503))
        bench.gateway.get("/call") { [diary = bench.diary] _ in
            let rest = diary.rx.request(.recent).fragment().asObservable().map { $0.bytes }
            return .stream(Observable.just([97]).concat(rest), contentType: "text/csv", length: 2)
        }
        let own = try await bench.eventualAnswer("/own")
        #expect(own.status == 500)
        #expect(own.response.stream == nil)
        #expect(bench.incidents.count == 1)
        let call = try await bench.eventualAnswer("/call")
        #expect(call.status == 503)
        #expect(call.body.contains("upstream_status"))
        #expect(bench.incidents.count == 1)
    }

    @Test("A body that misses its length before its head is sent is 500 and an incident")
    func length() async throws {
        let declared: [(path: String, pieces: [String], length: Int, fault: String)] = [
            ("/short", ["a", "b"], 3, "a stream has 2 of its 3 bytes"),
            ("/empty", [], 3, "a stream has 0 of its 3 bytes"),
            ("/long", ["a", "bc"], 2, "a stream exceeds its 2 bytes"),
            ("/not-empty", ["a"], 0, "a stream exceeds its 0 bytes"),
            ("/large", [large + "b"], 8 << 10, "a stream exceeds its 8192 bytes"),
            ("/larger", [large + large], 10_000, "a stream exceeds its 10000 bytes"),
            ("/nothing", [], 10_000, "a stream has 0 of its 10000 bytes"),
        ]
        for (path, texts, length, _) in declared {
            bench.gateway.get(path) { _ in
                .stream(
                    Observable.from(texts.map { Array($0.utf8) }), contentType: "text/csv", length: length)
            }
        }
        for (path, _, _, _) in declared {
            let reply = try await bench.eventualAnswer(path)
            #expect(reply.status == 500, "\(path)")
            #expect(reply.response.stream == nil, "\(path)")
            #expect(reply.fields[.contentType]?.hasPrefix("application/json") == true, "\(path)")
        }
        #expect(bench.incidents.map { "\($0.error)" } == declared.map(\.fault))
    }

    @Test("A body that misses its length later ends with an error, and is an incident")
    func lateLength() async throws {
        bench.gateway.get("/long") { _ in
            .stream(made("a", large, large), contentType: "text/csv", length: 10_000)
        }
        bench.gateway.get("/short") { _ in
            .stream(made("a", large), contentType: "text/csv", length: 10_000)
        }
        for (index, path) in ["/long", "/short"].enumerated() {
            let reply = try await bench.eventualAnswer(path)
            #expect(reply.status == 200)
            await #expect(throws: (any Error).self) { try await read(reply.response.stream) }
            try await poll(while: bench.incidents.count <= index) { "no incident of \(path)" }
        }
    }

    @Test(
        "A short body waits for its end for 100 ms after its first piece, and never until the deadline",
        arguments: [(1000, 100), (100, 40)])
    func hold(deadline: Int, wait: Int) async throws {
        let subject = PublishSubject<[UInt8]>()
        bench.gateway.get("/page", .deadline(.milliseconds(deadline))) { _ in
            .stream(subject, contentType: "text/csv", length: 3)
        }
        let pending = try bench.ask(.get, "/page")
        try await poll(while: !subject.hasObservers) { "the handler has not subscribed" }
        bench.time.advance(by: .milliseconds(20))
        subject.onNext([65])
        try await poll(while: bench.time.pending < 2) { "the head does not wait" }
        bench.time.advance(by: .milliseconds(wait - 1))
        #expect(pending.count == 0)
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 200)
        subject.onNext([66, 67])
        subject.onCompleted()
        #expect(try await read(reply.response.stream) == ["A", "BC"])
        #expect(bench.incidents.isEmpty)
    }

    @Test("A stream without pieces is an empty body, and a status without a body has no stream")
    func empty() async throws {
        bench.gateway.get("/empty") { _ in .stream(made(), contentType: "text/csv") }
        bench.gateway.get("/none") { _ in .stream(made("a"), contentType: "text/csv").status(.noContent) }
        #expect(try await read(try await bench.eventualAnswer("/empty").response.stream) == [])
        #expect(try await bench.eventualAnswer("/none").response.stream == nil)
    }

    @Test("Of a stream that cannot pause, at most 1 MiB waits for the client")
    func bound() async throws {
        let subject = PublishSubject<[UInt8]>()
        bench.gateway.get("/page") { _ in .stream(subject, contentType: "text/csv") }
        let responder = try bench.gateway.responder()
        let target = try #require(RequestTarget("/page"))
        let request = ReceivedRequest(head: HTTPRequestHead(method: .get, target: target))
        async let answer = withDeadline("no answer") { continuation in
            _ = responder.respond(to: request) { continuation.resume(returning: Reply($0)) }
        }
        try await poll(while: !subject.hasObservers) { "the handler has not subscribed" }
        for _ in 0..<20 { subject.onNext([UInt8](repeating: 65, count: 1 << 16)) }
        let reply = try await answer
        await #expect(throws: (any Error).self) { try await read(reply.response.stream) }
        // The task that made the pieces reports after the reader has been told.
        try await poll(while: bench.incidents.isEmpty) { "the broken stream is not reported" }
        #expect(
            bench.incidents.map { "\($0.error)" } == [
                "the stream of an answer is 1048576 bytes ahead of its client"
            ])
        #expect(!subject.hasObservers)
    }

    @Test("Releasing the stream of an answer cancels the work that makes it")
    func release() async throws {
        let subject = PublishSubject<[UInt8]>()
        bench.gateway.get("/page") { _ in .stream(subject.startWith([65]), contentType: "text/csv") }
        do {
            let reply = try await bench.eventualAnswer("/page")
            #expect(reply.response.stream != nil)
            #expect(subject.hasObservers)
        }
        try await poll(while: subject.hasObservers) { "the handler is still subscribed" }
    }

    @Test("The deadline passes before the first piece: 504, and the work is cancelled")
    func deadline() async throws {
        let subject = PublishSubject<[UInt8]>()
        bench.gateway.get("/page", .deadline(.seconds(1))) { _ in .stream(subject, contentType: "text/csv") }
        let pending = try bench.ask(.get, "/page")
        try await poll(while: !subject.hasObservers) { "the handler has not subscribed" }
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply().status == 504)
        try await poll(while: subject.hasObservers) { "the handler is still subscribed" }
    }
}
