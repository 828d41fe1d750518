import GatewayCore
import HTTPModel
import JSONBytes
import Rx
import RxTesting
import Testing

@Suite("Literals in endpoints", .noLeaks)
struct LiteralOrderTests {
    private struct Failure: Error {}
    private let bench = Bench()

    @Test("Members of a literal keep their order, also if all values have one type")
    func order() throws {
        bench.gateway.get("/int") { _ in .json(["zeta": 1, "alpha": 2]) }
        bench.gateway.get("/nil") { _ in .json(["zeta": 1, "alpha": nil]) }
        bench.gateway.get("/nested") { _ in .json(["zeta": ["b": 1, "a": 2], "alpha": ["b": 1, "a": 2]]) }
        bench.gateway.get("/fallback") { _ in
            .parts(
                single: Single<Int>.error(Failure()).fallback(["zeta": 1, "alpha": 2]),
                stream: Observable<Int>.error(Failure()).fallback(["zeta": 1, "alpha": 2]),
                part: Part(Single<Int>.error(Failure())).fallback(["zeta": 1, "alpha": 2]))
        }
        #expect(try bench.answer(.get, "/int")["/data"] == #"{"zeta":1,"alpha":2}"#)
        #expect(try bench.answer(.get, "/nil")["/data"] == #"{"zeta":1,"alpha":null}"#)
        #expect(
            try bench.answer(.get, "/nested")["/data"]
                == #"{"zeta":{"b":1,"a":2},"alpha":{"b":1,"a":2}}"#)
        let fallback = #"{"zeta":1,"alpha":2}"#
        #expect(
            try bench.answer(.get, "/fallback")["/data"]
                == #"{"single":\#(fallback),"stream":\#(fallback),"part":\#(fallback)}"#)
    }

    @Test("Optionals and lists of strings are wrapped in one step")
    func wrapping() throws {
        let none: String? = nil
        bench.gateway.get("/page") { _ in
            .json([
                "tags": .init(["a", "b"]), "theme": .init(none.map { JSONLiteral($0) }), "one": .init("x"),
            ])
        }
        #expect(try bench.answer(.get, "/page")["/data"] == #"{"tags":["a","b"],"theme":null,"one":"x"}"#)
    }
}
