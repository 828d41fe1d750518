import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import RxTesting
import TestWaiting
import Testing

@Suite("Streamed answers", .noLeaks)
struct StreamedAnswerTests {
    private let bench = Bench()

    private struct Failure: Error {}

    private func pieces(_ texts: String..., failing: Bool = false) -> AsyncThrowingStream<[UInt8], any Error>
    {
        AsyncThrowingStream { continuation in
            for text in texts { continuation.yield(Array(text.utf8)) }
            continuation.finish(throwing: failing ? Failure() : nil)
        }
    }

    private func read(_ stream: AnswerStream?) async throws -> [String] {
        var read: [String] = []
        for try await piece in try #require(stream) { read.append(String(decoding: piece, as: UTF8.self)) }
        return read
    }

    @Test("A failure before the first piece is answered like a handler's own")
    func early() async throws {
        bench.gateway.get("/page") { _ in .stream(pieces(failing: true), contentType: "text/csv") }
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
            .stream(pieces("a", "", "b", failing: true), contentType: "text/csv")
        }
        let reply = try await bench.eventualAnswer("/page")
        #expect(reply.status == 200)
        await #expect(throws: Failure.self) { try await read(reply.response.stream) }
        #expect(bench.incidents.count == 1)
    }

    @Test("An invalid content type or length is 500 INTERNAL, and nothing is made")
    func contentType() throws {
        bench.gateway.get("/length") { _ in .stream(pieces("a"), contentType: "text/csv", length: -1) }
        #expect(try bench.answer(.get, "/length").status == 500)
        bench.gateway.get("/page") { _ in .stream(pieces("a"), contentType: "csv") }
        #expect(try bench.answer(.get, "/page").status == 500)
    }

    @Test("The pieces are the body, with status, fields and length of the answer")
    func pieces() async throws {
        bench.gateway.get("/page") { _ in
            .stream(pieces("a", "", "bc"), contentType: "text/csv", length: 3)
                .status(.created).field(.cacheControl, "max-age=60")
        }
        let reply = try await bench.eventualAnswer("/page")
        #expect(reply.status == 201)
        #expect(reply.fields[.contentType] == "text/csv")
        #expect(reply.fields[.cacheControl] == "max-age=60")
        #expect(reply.response.stream?.length == 3)
        #expect(try await read(reply.response.stream) == ["a", "bc"])
    }

    @Test("A stream without pieces is an empty body, and a status without a body has no stream")
    func empty() async throws {
        bench.gateway.get("/empty") { _ in .stream(pieces(), contentType: "text/csv") }
        bench.gateway.get("/none") { _ in .stream(pieces("a"), contentType: "text/csv").status(.noContent) }
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
