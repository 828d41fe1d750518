import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

private let early = Duration.milliseconds(5)
private let late = Duration.milliseconds(10)

@Suite("Endpoints written as pipelines", .noLeaks)
struct PipelineTests {
    private let bench = Bench()

    /// The same screen twice: as parts, and as a pipeline of named parts.
    private func declareScreens() {
        bench.gateway.get("/parts") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(),
                total: diary.rx.request(.total).fragment().fallback([]))
        }
        bench.gateway.get("/zip") { [diary = bench.diary] _ in
            Single.zip(
                diary.rx.request(.recent).fragment().part("recent"),
                diary.rx.request(.total).fragment().part("total", .fallback([]))
            ) { .parts($0, $1) }
        }
        bench.gateway.get("/combineLatest") { [diary = bench.diary] _ in
            Observable.combineLatest(
                diary.rx.request(.recent).fragment().asObservable().part("recent"),
                diary.rx.request(.total).fragment().asObservable().part("total", .fallback([]))
            ) { .parts($0, $1) }
        }
    }

    @Test(
        "A pipeline of named parts answers byte for byte like the same parts, whatever fails",
        arguments: [
            (.response(404, after: early), .data("2", after: late)),
            (.response(401, after: early), .response(503, after: early)),
            (.data("1", after: late), .response(500, after: early)),
            (.response(404, after: late), .data("2", after: early)),
            (.failure(.connectionRefused, after: early), .data("2", after: late)),
            (.silence, .data("2", after: late)), (.data("1", after: late), .silence), (.silence, .silence),
            (.data("1", after: late), .json("[", after: early)),
            (.response(204, after: early), .data("2", after: late)),
            (.data("1", after: late), .data("2", after: late)),
        ] as [(StubTransport.Answer, StubTransport.Answer)])
    func sameAnswers(recent: StubTransport.Answer, total: StubTransport.Answer) throws {
        declareScreens()
        bench.gateway.defaults(.deadline(.seconds(1)))
        bench.upstream("/recent", recent)
        bench.upstream("/total", total)
        let pending = try ["/parts", "/zip", "/combineLatest"].map {
            try bench.ask(.get, $0, fields: [.xRequestID: "r"])
        }
        bench.time.advance(by: .seconds(1))
        let replies = try pending.map { try $0.reply() }
        for reply in replies[1...] {
            #expect(reply.body == replies[0].body)
            #expect(reply.response.response.fields == replies[0].response.response.fields)
            #expect(reply.summary.code == replies[0].summary.code)
            let calls = reply.summary.parts.map { "\($0.name ?? "-") \($0.elapsed) \($0.calls)" }
            #expect(calls == replies[0].summary.parts.map { "\($0.name ?? "-") \($0.elapsed) \($0.calls)" })
        }
        #expect(bench.transport.inFlight == 0)
    }

    @Test("Handlers of several statements need not name the type of the answer")
    func statements() throws {
        bench.gateway.get("/single") { [diary = bench.diary] request in
            let name = try request.query("name", as: String.self)
            let user = diary.rx.request(.user(name)).fragment().part("user")
            return Single.zip(user, Single.just(1).part("one")) { .parts($0, $1) }
        }
        bench.gateway.get("/stream") { [diary = bench.diary] request in
            let name = try request.query("name", as: String.self)
            let user = diary.rx.request(.user(name)).fragment().asObservable().part("user")
            return Observable.combineLatest(user, Observable.just(1).part("one")) { .parts($0, $1) }
        }
        bench.upstream("/users/kim", .data("7"))
        for path in ["/single", "/stream"] {
            #expect(try bench.answer(.get, "\(path)?name=kim")["/data"] == #"{"user":7,"one":1}"#)
        }
    }

    @Test("Two parts of a pipeline with one name are 500 INTERNAL and an incident")
    func names() throws {
        bench.gateway.get("/page") { _ in
            Single.zip(Single.just(1).part("a"), Single.just(2).part("a")) { .parts($0, $1) }
        }
        #expect(try bench.answer(.get, "/page").status == 500)
        #expect(bench.incidents.map { "\($0.error)" } == ["two parts are named a"])
    }

    @Test(
        "A failed part that another one needs fails the answer under its name, with the parts that have ended"
    )
    func dependency() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            diary.rx.request(.recent).fragment().part("recent").flatMap { recent in
                let name = try recent.get()[member: "user"]?.stringValue ?? ""
                return diary.rx.request(.user(name)).fragment().part("user", .optional)
                    .map { user in .parts(recent, user) }
            }
        }
        bench.upstream("/recent", .data(#"{"user":"kim"}"#))
        bench.upstream("/users/kim", .data(#"{"age":7}"#))
        #expect(try bench.answer(.get, "/page")["/data"] == #"{"recent":{"user":"kim"},"user":{"age":7}}"#)
        bench.upstream("/users/kim", .response(500))
        let partial = try bench.answer(.get, "/page")
        #expect(partial["/code"] == #""PARTIAL""#)
        #expect(partial["/errors/0/part"] == #""user""#)
        bench.upstream("/recent", .response(404))
        let failure = try bench.answer(.get, "/page")
        #expect(failure.status == 404)
        #expect(failure.message == "recent was not found")
        #expect(failure["/meta/parts"] == #"{"recent":"requestErr"}"#)
        #expect(failure.summary.parts.map(\.calls.count) == [1])
    }

    @Test("A second part of the same name takes the place of one that failed")
    func secondOfOneName() throws {
        bench.gateway.get("/page", .deadline(.seconds(1))) { [diary = bench.diary] _ in
            diary.rx.request(.recent).fragment().part("weights").flatMap { recent in
                guard recent.failure != nil else { return .just(.parts(recent)) }
                return diary.rx.request(.total).fragment().part("weights").map { .parts($0) }
            }
        }
        bench.upstream("/recent", .response(404, after: early))
        bench.upstream("/total", .response(404, after: late))
        let failure = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        #expect(try failure.reply().status == 404)
        bench.upstream("/total", .data("2", after: late))
        let page = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        let reply = try page.reply()
        #expect(reply.status == 200)
        #expect(reply["/data"] == #"{"weights":2}"#)
        #expect(bench.transport.inFlight == 0)
    }

    @Test("A call without a name that follows a named part is recorded for that part, decoded or not")
    func following() throws {
        bench.gateway.get("/fragment") { [diary = bench.diary] _ in
            diary.rx.request(.recent).fragment().part("recent").flatMap { recent in
                diary.rx.request(.total).fragment().map { _ in .parts(recent) }
            }
        }
        bench.gateway.get("/mapped") { [diary = bench.diary] _ in
            diary.rx.request(.recent).fragment().map { $0 }.part("recent").flatMap { recent in
                diary.rx.request(.total).fragment().map { _ in .parts(recent) }
            }
        }
        bench.upstream("/recent", .data("1"))
        bench.upstream("/total", .data("2"))
        for path in ["/fragment", "/mapped"] {
            let reply = try bench.answer(.get, path)
            #expect(reply["/data"] == #"{"recent":1}"#)
            #expect(reply.summary.parts.map { "\($0.name ?? "-") \($0.calls.count)" } == ["recent 2"])
        }
    }

    @Test("An async handler's parts keep their names at the deadline")
    func asyncDeadline() async throws {
        bench.gateway.get("/page", .deadline(.seconds(1))) { [diary = bench.diary] _ in
            let recent = try await diary.rx.request(.recent).fragment().part("recent").value
            return .parts(recent)
        }
        bench.upstream("/recent", .data("1"))
        let reply = try await bench.eventualAnswer("/page")
        #expect(reply["/data"] == #"{"recent":1}"#)
    }

    @Test(
        "The first answer of a stream counts, a stream without one is 500, and merge takes what comes first")
    func streams() throws {
        bench.gateway.get("/first") { _ in Observable<Answer>.of(.json(1), .json(2)) }
        bench.gateway.get("/empty") { _ in Observable<Answer>.empty() }
        bench.gateway.get("/merge") { [diary = bench.diary] _ in
            Observable.merge(
                diary.rx.request(.recent).fragment().asObservable().part("recent"),
                diary.rx.request(.total).fragment().asObservable().part("total")
            ).map { .parts($0) }
        }
        bench.upstream("/recent", .data("1", after: .seconds(2)))
        bench.upstream("/total", .data("2", after: .seconds(1)))
        #expect(try bench.answer(.get, "/first")["/data"] == "1")
        #expect(try bench.answer(.get, "/empty").status == 500)
        let merge = try bench.ask(.get, "/merge")
        bench.time.advance(by: .seconds(1))
        #expect(try merge.reply()["/data"] == #"{"total":2}"#)
        #expect(bench.transport.inFlight == 0)
    }

    @Test("Outside a request, a named part keeps its name and failure")
    func outside() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(sum: diary.rx.request(.recent).fragment().part("recent").map { try $0.get() })
        }
        bench.upstream("/recent", .response(404))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 404)
        #expect(reply["/errors/0/part"] == #""sum""#)
    }

    @Test("A value that cannot be encoded is an incident that names the part")
    func unencodable() throws {
        bench.gateway.get("/page") { _ in
            Single.just(Double.nan).part("number").map { .parts($0) }
        }
        #expect(try bench.answer(.get, "/page").status == 500)
        #expect(bench.incidents.map(\.part) == ["number"])
    }
}
