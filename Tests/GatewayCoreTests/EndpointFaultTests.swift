import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Faults of an endpoint, for which no upstream is blamed", .noLeaks)
struct EndpointFaultTests {
    private let bench = Bench()

    private var errors: [String] { bench.incidents.map { "\($0.part ?? "-"): \($0.error)" } }

    private static let noAnswer =
        "-: the stream of the handler completed without a value, which is not an answer"

    private func declareEmptyHandlers() {
        bench.gateway.get("/observable") { _ in Observable<Answer>.empty() }
        bench.gateway.get("/single") { _ in Observable<Answer>.empty().asSingle() }
        bench.gateway.get("/filtered") { [diary = bench.diary] _ in
            diary.rx.request(.recent).fragment().asObservable().filter { _ in false }
                .map { Answer.fragment($0) }
        }
        bench.upstream("/recent", .data("1"))
    }

    @Test(
        "A handler whose stream has no answer is 500 and an incident, also after a call that succeeded",
        arguments: ["/observable", "/single", "/filtered"])
    func emptyHandler(path: String) throws {
        declareEmptyHandlers()
        let reply = try bench.answer(.get, path)
        #expect(reply.status == 500)
        #expect(reply["/code"] == #""INTERNAL""#)
        #expect(errors == [Self.noAnswer])
    }

    @Test("An async handler that awaits the value of an empty stream is 500 and an incident")
    func emptyAwait() async throws {
        bench.gateway.get("/page") { _ in
            .json(try await Observable<Int>.empty().asSingle().value)
        }
        #expect(try await bench.eventualAnswer("/page").status == 500)
        #expect(errors == [Self.noAnswer])
    }

    @Test("An empty part is 500 if no upstream was called, and 502 after a call")
    func emptyPart() throws {
        bench.gateway.get("/alone") { _ in .parts(a: Observable<Int>.empty().asSingle()) }
        bench.gateway.get("/called") { [diary = bench.diary] _ in
            .parts(
                a: diary.rx.request(.recent).fragment().asObservable().filter { _ in false }.asSingle())
        }
        bench.upstream("/recent", .data("1"))
        let alone = try bench.answer(.get, "/alone")
        #expect(alone.status == 500)
        #expect(errors == ["a: the stream of the part completed without a value, and no upstream was called"])
        let called = try bench.answer(.get, "/called")
        #expect(called.status == 502)
        #expect(called["/errors/0/reason"] == #""missing_data""#)
        #expect(bench.incidents.count == 1)
    }

    @Test(
        "A value, a status, a field or a media type that no answer can have is 500 and an incident",
        arguments: ["/value", "/status", "/field", "/type", "/redirect", "/nameless"])
    func impossibleAnswer(path: String) throws {
        bench.gateway.get("/value") { _ in .json(Double.infinity) }
        bench.gateway.get("/status") { _ in .json(1).status(.continue) }
        bench.gateway.get("/field") { _ in .json(1).field(.location, "/a\r\nb: c") }
        bench.gateway.get("/type") { _ in .raw([1], contentType: "image") }
        bench.gateway.get("/redirect") { _ in .redirect(to: "/a b") }
        bench.gateway.get("/nameless") { _ in .parts(1, 2) }
        let reply = try bench.answer(.get, path)
        #expect(reply.status == 500)
        #expect(bench.incidents.count == 1)
    }

    @Test("The fault of a parameter or a step that does not exist names those that do")
    func unknownNames() throws {
        bench.gateway.get("/products/{id}") { request in .json(try request.path("idd", as: Int.self)) }
        bench.gateway.get("/shops/{shop}/{id}") { request in
            .json(try request.parameter(.path("name", as: String.self)))
        }
        bench.gateway.get("/none") { request in .json(try request.path("id", as: Int.self)) }
        bench.gateway.get("/steps") { _ in
            .first(product: 1).then { first in .fragment(try first.seller) }
        }
        for path in ["/products/1", "/shops/a/1", "/none", "/steps"] {
            #expect(try bench.answer(.get, path).status == 500)
        }
        #expect(
            errors == [
                #"-: the path has no parameter {idd}; did you mean "id"?"#,
                #"-: the path has no parameter {name}; there are "shop" and "id""#,
                "-: the path has no parameter {id}",
                #"-: there is no step named seller; there is "product""#,
            ])
    }
}
