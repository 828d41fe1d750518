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

private struct Weight: Codable, JSONRepresentable {
    var kilograms: Double
}

@Suite("Handlers and parts", .noLeaks)
struct HandlerTests {
    private let bench = Bench()

    @Test("Upstream calls start on subscription, once for each subscription")
    func cold() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.upstream("/recent", .data("1"))
        let target = try #require(RequestTarget("/page"))
        let single = try bench.gateway.responder().respond(
            to: ReceivedRequest(head: HTTPRequestHead(method: .get, target: target)))
        #expect(bench.transport.attempts.isEmpty)
        let first = Pending(single)
        let second = Pending(single)
        #expect(bench.transport.attempts.count == 2)
        #expect(try first.reply().status == 200)
        #expect(try second.reply().status == 200)
    }

    @Test("Parts that end on many threads at once make one answer in the order of the plan")
    func threads() async throws {
        bench.gateway.get("/page") { _ in
            func part(_ value: Int) -> Single<Int> {
                .create { observer in
                    DispatchQueue.global().async { observer(.success(value)) }
                    return Disposables.create()
                }
            }
            return .parts(a: part(1), b: part(2), c: part(3), d: part(4), e: part(5), f: 6)
        }
        for _ in 0..<200 {
            let reply = try await bench.eventualAnswer("/page")
            #expect(reply["/data"] == #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}"#)
        }
        #expect(bench.time.pending == 0)
    }

    @Test("A client that leaves before the answer cancels every call and timer")
    func disposal() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment(), b: diary.rx.request(.total).fragment())
        }
        bench.upstream("/recent", .data("1", after: .seconds(1)))
        bench.upstream("/total", .data("1"))
        let pending = try bench.ask(.get, "/page")
        #expect(bench.transport.inFlight == 1)
        pending.dispose()
        #expect(bench.transport.inFlight == 0)
        #expect(bench.time.pending == 0)
        bench.time.advance(by: .seconds(60))
        #expect(pending.count == 0)
        #expect(bench.incidents.isEmpty)
    }

    @Test("No timer or call is left after an answer")
    func nothingLeft() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.upstream("/recent", .data("1", after: .milliseconds(5)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(5))
        #expect(try pending.reply().status == 200)
        #expect(bench.time.pending == 0)
        #expect(bench.transport.inFlight == 0)
    }

    @Test("A part may be a JSON value, an Encodable value, a Single, an Observable or a Part")
    func kinds() throws {
        bench.gateway.get("/page") { _ in
            .parts(
                number: 12, text: "a\"b", truth: true, list: [1, 2], none: Int?.none,
                weight: Weight(kilograms: 71.5),
                encodable: Part.value(["k": [1.5]]), fragment: JSONFragment.null,
                single: Single.just(Weight(kilograms: 1)), observable: Observable.just(Weight(kilograms: 2)),
                empty: Observable<Int>.empty())
        }
        let reply = try bench.answer(.get, "/page")
        #expect(
            reply["/data"] == #"{"number":12,"text":"a\"b","truth":true,"list":[1,2],"none":null,"#
                + #""weight":{"kilograms":71.5},"encodable":{"k":[1.5]},"fragment":null,"#
                + #""single":{"kilograms":1},"observable":{"kilograms":2},"empty":null}"#)
        #expect(reply["/meta/parts/none"] == #""noContent""#)
        #expect(reply["/meta/parts/empty"] == #""noContent""#)
        #expect(reply["/meta/parts/single"] == #""success""#)
        #expect(reply["/code"] == #""OK""#)
    }

    @Test("The first value of an Observable is the part, and then the Observable is disposed")
    func firstValue() throws {
        let flag = Flag()
        bench.gateway.get("/page") { _ in
            .parts(
                a: Observable<Int>.create { observer in
                    observer.onNext(1)
                    observer.onNext(2)
                    return Disposables.create { flag.set() }
                })
        }
        #expect(try bench.answer(.get, "/page")["/data/a"] == "1")
        #expect(flag.isSet)
    }

    @Test("If a value or fallback cannot be encoded, the answer is 500")
    func unencodable() throws {
        bench.gateway.get("/value") { _ in .json(Double.nan) }
        bench.gateway.get("/part") { _ in .parts(a: Part.value(Double.nan)) }
        bench.gateway.get("/fallback") { _ in .parts(a: Single.just(1).fallback(Double.infinity)) }
        for path in ["/value", "/part", "/fallback"] {
            #expect(try bench.answer(.get, path).status == 500)
        }
        #expect(bench.incidents.count == 3)
    }

    @Test("The GatewayError of a required part becomes the answer")
    func ownPartError() throws {
        bench.gateway.get("/page") { _ in
            .parts(a: Single<Int>.error(GatewayError.tooManyRequests("too many today", retryAfter: 60)))
        }
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 429)
        #expect(reply["/code"] == #""TOO_MANY_REQUESTS""#)
        #expect(reply["/message"] == #""too many today""#)
        #expect(reply.fields[.retryAfter] == "60")
        #expect(reply["/errors/0/kind"] == #""requestErr""#)
    }

    @Test("A timeout operator in an endpoint's pipeline fails the part with http_response_timeout and 504")
    func ownTimeout() throws {
        bench.gateway.get("/page") { [diary = bench.diary, time = bench.time] _ in
            .parts(a: diary.rx.request(.recent).timeout(.seconds(2), scheduler: time).fragment())
        }
        bench.upstream("/recent", .data("1", after: .seconds(3)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(2))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        #expect(reply["/errors/0/reason"] == #""http_response_timeout""#)
        #expect(reply["/errors/0/elapsedMs"] == "2000")
        #expect(bench.transport.inFlight == 0)
    }

    @Test("A response without content, mapped to a model, makes a part without content")
    func modelOfNothing() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).map(Weight.self))
        }
        bench.upstream("/recent", .response(204))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 200)
        #expect(reply["/data"] == #"{"a":null}"#)
        #expect(reply["/meta/parts/a"] == #""noContent""#)
        bench.upstream("/recent", .data(#"{"kilograms":70}"#))
        #expect(try bench.answer(.get, "/page")["/data/a"] == #"{"kilograms":70}"#)
        bench.upstream("/recent", .data(#"{"pounds":70}"#))
        #expect(try bench.answer(.get, "/page")["/errors/0/reason"] == #""decode_error""#)
    }

    // MARK: - async

    @Test("Errors from async handlers are treated like errors from other handlers")
    func asyncErrors() async throws {
        struct Secret: Error {}
        bench.gateway.get("/own") { _ in
            await Task.yield()
            throw GatewayError.conflict("taken")
        }
        bench.gateway.get("/bad") { _ in
            await Task.yield()
            throw Secret()
        }
        let own = try await bench.eventualAnswer("/own")
        #expect(own.status == 409)
        #expect(own["/message"] == #""taken""#)
        let bad = try await bench.eventualAnswer("/bad")
        #expect(bad.status == 500)
        #expect(bench.incidents.count == 1)
    }

    @Test("An async handler may return parts, and an async function may be a part")
    func asyncAnswers() async throws {
        bench.upstream("/recent", .data("[7]"))
        bench.gateway.get("/handler") { [diary = bench.diary] request in
            await Task.yield()
            return .parts(
                id: CallContext.current?.requestID ?? "none", call: diary.rx.request(.recent).fragment(),
                task: Part.task {
                    await Task.yield()
                    return Weight(kilograms: 3)
                })
        }
        bench.gateway.get("/failing") { _ in
            .parts(
                a: Part.task { () async throws -> Int in throw GatewayError.notFound("no") }.optional(), b: 1)
        }
        let reply = try await bench.eventualAnswer("/handler")
        #expect(reply.status == 200)
        #expect(reply["/data/id"] == reply["/meta/requestId"])
        #expect(reply["/data/call"] == "[7]")
        #expect(reply["/data/task"] == #"{"kilograms":3}"#)
        let failing = try await bench.eventualAnswer("/failing")
        #expect(failing["/code"] == #""PARTIAL""#)
        #expect(failing["/data"] == #"{"a":null,"b":1}"#)
    }

    @Test(
        "The task of a handler or a part is cancelled when the client leaves",
        arguments: ["/handler", "/part"])
    func taskCancellation(_ path: String) async throws {
        let (started, cancelled) = (Signal(), Signal())
        @Sendable func wait() async throws -> Int {
            try await withTaskCancellationHandler {
                started.fire()
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw CancellationError()
            } onCancel: {
                cancelled.fire()
            }
        }
        bench.gateway.get("/handler") { _ in .json(try await wait()) }
        bench.gateway.get("/part") { _ in .parts(a: Part.task { try await wait() }) }
        let pending = try bench.ask(.get, path)
        try await started.wait()
        pending.dispose()
        try await cancelled.wait()
        #expect(pending.count == 0)
        #expect(bench.time.pending == 0)
        #expect(bench.incidents.isEmpty)
    }

    // MARK: - Single<Answer>

    @Test(
        "A handler may return a pipeline; its failure is the answer, and a client that leaves disposes it"
    )
    func pipelines() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            diary.rx.request(.recent).fragment().map { first in
                .parts(first: first, next: diary.rx.request(.total).fragment())
            }
        }
        bench.upstream("/recent", .response(404))
        let failed = try bench.answer(.get, "/page")
        #expect(failed.status == 404)
        #expect(failed["/errors/0/part"] == "null")
        #expect(failed["/errors/0/kind"] == #""requestErr""#)
        #expect(failed["/message"] == #""The upstream's resource was not found""#)
        #expect(failed["/meta/parts"] == nil)
        #expect(failed.fields[.proxyStatus] == "sluice; received-status=404")
        bench.upstream("/recent", .data("1"))
        bench.upstream("/total", .data("2", after: .seconds(1)))
        let pending = try bench.ask(.get, "/page", fields: [.xRequestID: "r-9"])
        #expect(bench.transport.attempts.last?.call.contextFields[.xRequestID] == "r-9")
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply()["/data"] == #"{"first":1,"next":2}"#)
        let left = try bench.ask(.get, "/page")
        #expect(bench.transport.inFlight == 1)
        left.dispose()
        #expect(bench.transport.inFlight == 0)
        #expect(bench.time.pending == 0)
    }
}
