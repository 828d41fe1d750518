import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

@testable import GatewayCore

@Suite("The body of a request as a stream", .timeLimit(.minutes(1)))
struct RequestBodyTests {
    private final class Answered: AnswerReceiver {
        private let stream = AsyncStream<GatewayResponse>.makeStream()

        func answered(_ answer: consuming GatewayResponse) { stream.continuation.yield(answer) }

        func reply() async throws -> Reply {
            for await answer in stream.stream { return Reply(answer) }
            throw CancellationError()
        }
    }

    private let bench = Bench()

    init() {
        bench.gateway.post("/sizes", .streamsBody) { request in
            #expect(request.body.isEmpty)
            var sizes: [Int] = []
            for try await bytes in request.bodyStream { sizes.append(bytes.count) }
            return .json(sizes)
        }
        bench.gateway.post("/buffered") { request in
            var bytes = try await request.bodyStream.bytes()
            bytes += try await request.bodyStream.bytes()
            return .json(String(decoding: bytes, as: UTF8.self))
        }
        bench.gateway.post("/short", .streamsBody) { request in
            .json(try await request.bodyStream.bytes(limit: 3).count)
        }
        bench.gateway.post("/twice", .streamsBody) { request in
            _ = try await request.bodyStream.bytes()
            return .json(try await request.bodyStream.bytes().count)
        }
        bench.gateway.post("/json", .streamsBody) { request in .fragment(try request.json()) }
    }

    /// Starts a request whose body comes from `body`.
    private func start(_ path: String, _ body: StubBody) throws -> (Answered, any OngoingRequest) {
        let target = try #require(RequestTarget(path))
        let head = HTTPRequestHead(method: .post, target: target, fields: [:])
        let responder = try bench.gateway.responder()
        guard case .endpoint(let match) = try responder.route(head) else { throw CancellationError() }
        #expect(match.streamsBody)
        let receiver = Answered()
        let request = ReceivedRequest(head: head)
        return (receiver, responder.respond(to: request, at: match, body: body, for: receiver))
    }

    private func reply(_ path: String, body: String) async throws -> Reply {
        let head = HTTPRequestHead(method: .post, target: try #require(RequestTarget(path)), fields: [:])
        let request = ReceivedRequest(head: head, body: Array(body.utf8)[...])
        return Reply(try await bench.gateway.responder().respond(to: request).value)
    }

    private static func bytes(_ count: Int) -> StubBody.Piece {
        .success([UInt8](repeating: 1, count: count)[...])
    }

    @Test("Pieces are read in order, one at a time, to the end")
    func pieces() async throws {
        let body = StubBody()
        let (receiver, _) = try start("/sizes", body)
        try await body.isAwaited()
        body.give(Self.bytes(1))
        try await body.isAwaited()
        body.give(Self.bytes(2), Self.bytes(3), .success(nil))
        #expect(try await receiver.reply()["/data"] == "[1,2,3]")
    }

    @Test("A failed body is the answer of a handler that lets the error propagate")
    func failed() async throws {
        let body = StubBody()
        let (receiver, _) = try start("/sizes", body)
        body.give(Self.bytes(1), .failure(GatewayError.requestTimeout("The request took too long to arrive")))
        let reply = try await receiver.reply()
        #expect(reply.status == 408)
        #expect(reply.message == "The request took too long to arrive")
    }

    @Test("Cancelling the request cancels a pending read")
    func cancelled() async throws {
        let body = StubBody()
        let (_, ongoing) = try start("/sizes", body)
        try await body.isAwaited()
        #expect(!body.isCancelled)
        ongoing.dispose()
        #expect(body.isCancelled)
        #expect(bench.incidents.isEmpty)
    }

    @Test("A request with a body in memory works the same at an endpoint that streams")
    func inMemory() async throws {
        #expect(try await reply("/sizes", body: "hello")["/data"] == "[5]")
        #expect(try await reply("/sizes", body: "")["/data"] == "[]")
    }

    @Test("At an endpoint that does not stream, each use gives the buffered body")
    func buffered() async throws {
        #expect(try await reply("/buffered", body: "hello")["/data"] == #""hellohello""#)
    }

    @Test("Reading more than a limit into memory is 413")
    func limited() async throws {
        #expect(try await reply("/short", body: "abc")["/data"] == "3")
        let reply = try await reply("/short", body: "abcd")
        #expect(reply.status == 413)
        #expect(reply.message == "The request body exceeds 3 bytes")
    }

    @Test("Reading a streamed body twice, or as JSON, is 500 and an incident")
    func misused() async throws {
        #expect(try await reply("/twice", body: "abc").status == 500)
        #expect(try await reply("/json", body: "{}").status == 500)
        #expect(
            bench.incidents.map { "\($0.error)" } == [
                "the body of a request was read twice",
                "json() needs the whole body, but the endpoint streams it",
            ])
    }

    @Test("Two tasks that read at once get an error, and the body is not lost")
    func readAtOnce() async throws {
        let source = StubBody()
        let cursor = BodyCursor(source)
        async let first = cursor.next()
        try await source.isAwaited()
        await #expect(throws: EndpointFault.self) { try await cursor.next() }
        source.give(Self.bytes(2))
        #expect(try await first?.count == 2)
    }

    @Test("Streamed bodies do not raise the size that a server must buffer")
    func largestBody() throws {
        bench.gateway.post("/large", .streamsBody, .bodyLimit(1 << 40)) { request in .json(1) }
        #expect(try bench.gateway.responder().largestBody == GatewayLimits().requestBody)
    }
}
