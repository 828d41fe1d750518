import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Handlers that return values", .noLeaks)
struct ValueResultTests {
    private struct Tag: Codable, Sendable {
        var text: String
        var price: Int
        var labels = ["z": 1, "a": 2, "m": 3]
        var code: String?
    }

    private struct Broken: Error {}

    private static let tag = #"{"text":"Kettle","price":39,"labels":{"a":2,"m":3,"z":1}}"#

    private let bench = Bench()

    @Test(
        "A value that cannot be encoded, or a failing stream of values, fails the answer",
        arguments: ["/nan", "/single", "/stream", "/thrown"])
    func failures(path: String) throws {
        bench.gateway.get("/nan") { _ in Double.nan }
        bench.gateway.get("/single") { _ in Single.just([Double.infinity]) }
        bench.gateway.get("/stream") { _ in Observable<Tag>.error(Broken()) }
        bench.gateway.get("/thrown") { request -> Int in try request.path("missing", as: Int.self) }
        #expect(try bench.answer(.get, path).status == 500)
        #expect(bench.incidents.count == 1)
    }

    @Test("A handler's own error is the answer, whatever it would have returned")
    func ownError() throws {
        bench.gateway.get("/page") { request -> Tag in
            guard request.header("X-Key") != nil else { throw GatewayError.forbidden("No key") }
            return Tag(text: "Kettle", price: 39)
        }
        #expect(try bench.answer(.get, "/page").status == 403)
        #expect(try bench.answer(.get, "/page", fields: ["X-Key": "1"])["/data"] == Self.tag)
    }

    @Test("Members keep the order of the type, and members of dictionaries are sorted by name")
    func order() throws {
        bench.gateway.get("/model") { _ in Tag(text: "Kettle", price: 39) }
        bench.gateway.get("/json") { _ in .json(Tag(text: "Kettle", price: 39)) }
        bench.gateway.get("/part") { _ in .parts(tag: Part.value(Tag(text: "Kettle", price: 39))) }
        bench.gateway.get("/table") { _ -> [String: [Int: String]] in
            ["b": [2: "two", 1: "one"], "a": [:]]
        }
        #expect(try bench.answer(.get, "/model")["/data"] == Self.tag)
        #expect(try bench.answer(.get, "/json")["/data"] == Self.tag)
        #expect(try bench.answer(.get, "/part")["/data/tag"] == Self.tag)
        #expect(try bench.answer(.get, "/table")["/data"] == #"{"a":{},"b":{"1":"one","2":"two"}}"#)
    }

    @Test("A model, an array, a text, a number, nil, and a Single or an Observable of them are the data")
    func kinds() throws {
        let tag = Tag(text: "Kettle", price: 39)
        bench.gateway.get("/array") { _ in [tag, tag] }
        bench.gateway.get("/text") { _ in "hello" }
        bench.gateway.get("/number") { request in try request.query("n", as: Int.self) }
        bench.gateway.get("/none") { _ in Tag?.none }
        bench.gateway.get("/single") { _ in Single.just(tag) }
        bench.gateway.get("/list") { _ in Single.just([tag]) }
        bench.gateway.get("/stream") { _ in Observable.of(tag, Tag(text: "Pot", price: 1)) }
        bench.gateway.on(.put, "/any") { request in
            let name = try request.query("name", as: String.self)
            return [name: [name]]
        }
        #expect(try bench.answer(.get, "/array")["/data"] == "[\(Self.tag),\(Self.tag)]")
        #expect(try bench.answer(.get, "/text")["/data"] == #""hello""#)
        #expect(try bench.answer(.get, "/number?n=7")["/data"] == "7")
        #expect(try bench.answer(.get, "/none")["/data"] == "null")
        #expect(try bench.answer(.get, "/single")["/data"] == Self.tag)
        #expect(try bench.answer(.get, "/list")["/data"] == "[\(Self.tag)]")
        #expect(try bench.answer(.get, "/stream")["/data"] == Self.tag)
        #expect(try bench.answer(.put, "/any?name=kim")["/data"] == #"{"kim":["kim"]}"#)
    }

    @Test("An async handler returns a model, also one that a call has decoded")
    func async() async throws {
        bench.upstream("/recent", .data(#"{"price":39,"labels":{"z":1,"m":3,"a":2},"text":"Kettle"}"#))
        bench.gateway.get("/async") { [diary = bench.diary] _ in
            try await diary.rx.request(.recent).map(Tag.self).value
        }
        bench.gateway.get("/pipeline") { [diary = bench.diary] _ in
            diary.rx.request(.recent).map(Tag.self)
        }
        #expect(try await bench.eventualAnswer("/async")["/data"] == Self.tag)
        #expect(try bench.answer(.get, "/pipeline")["/data"] == Self.tag)
    }

    @Test("A closure that can return an answer returns one, with and without a literal")
    func answersFirst() throws {
        bench.gateway.get("/literal") { _ in .json(["b": 1, "a": 2]) }
        bench.gateway.get("/parts") { _ in
            let part = Single.just(1)
            return .parts(a: part)
        }
        bench.gateway.get("/pipeline") { _ in
            Single.just(1).map { .parts(b: $0) }
        }
        bench.gateway.get("/thrown") { _ in throw GatewayError.conflict("taken") }
        #expect(try bench.answer(.get, "/literal")["/data"] == #"{"b":1,"a":2}"#)
        #expect(try bench.answer(.get, "/parts")["/data"] == #"{"a":1}"#)
        #expect(try bench.answer(.get, "/pipeline")["/data"] == #"{"b":1}"#)
        #expect(try bench.answer(.get, "/thrown").status == 409)
    }
}

/// Mistakes that the compiler answers with their cures. Unavailable code may use what is unavailable, so this
/// compiles as long as each mistake finds the declaration that names its cure.
@available(*, unavailable)
private enum MistakesWithCures {
    static func fragmentAsJSON(_ call: Single<JSONFragment>) -> Single<Answer> {
        call.map { .json($0) }
    }

    static func fragmentAsValue(_ fragment: JSONFragment) -> Part { Part.value(fragment) }

    static func partWithoutFragment(_ call: Single<Response>, _ stream: Observable<Response>) -> Answer {
        .parts(one: call, other: stream, third: call.optional())
    }

    static func subscriptOfQuery(_ request: GatewayRequest) -> String? { request.query["page"] }
}
