import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("JSON literals and shaped parts", .noLeaks)
struct ShapedPartTests {
    private let bench = Bench()

    @Test("A fallback that is not JSON fails its part even while the upstream answers")
    func brokenFallback() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment().fallback(json: #"{"available":nil}"#))
        }
        bench.upstream("/recent", .data("1"))
        #expect(try bench.answer(.get, "/page").status == 500)
        #expect(
            bench.incidents.map { "\($0.error)" } == ["letters that are not true, false or null at byte 14"])
    }

    @Test("Literals are fallbacks, parts and answers")
    func literals() throws {
        bench.gateway.get("/fallbacks") { [diary = bench.diary] _ in
            .parts(
                list: diary.rx.request(.recent).fragment().fallback([]),
                stock: diary.rx.request(.recent).fragment().fallback(["available": nil]),
                words: diary.rx.request(.recent).fragment().fallback(["a", "b"]),
                text: Observable<Int>.error(GatewayError.notFound()).fallback("none"),
                nested: Part(diary.rx.request(.recent).fragment()).fallback([["a": [:]], 1, nil]),
                json: diary.rx.request(.recent).fragment().fallback(json: #"{ "a": [] }"#))
        }
        bench.gateway.get("/parts") { _ in
            .parts(a: Part.json(["available": nil]), b: Part.json([]), c: JSONLiteral("x"))
        }
        bench.gateway.get("/answer") { _ in .json(["saved": true, "errors": [], "next": nil]) }
        bench.gateway.get("/empty") { _ in .json([]) }
        bench.upstream("/recent", .response(500))
        #expect(
            try bench.answer(.get, "/fallbacks")["/data"]
                == #"{"list":[],"stock":{"available":null},"words":["a","b"],"text":"none","nested":[{"a":{}},1,null],"#
                + #""json":{ "a": [] }}"#)
        #expect(try bench.answer(.get, "/parts")["/data"] == #"{"a":{"available":null},"b":[],"c":"x"}"#)
        #expect(try bench.answer(.get, "/answer")["/data"] == #"{"saved":true,"errors":[],"next":null}"#)
        #expect(try bench.answer(.get, "/empty")["/data"] == "[]")
        #expect(bench.incidents.isEmpty)
    }

    @Test("A response without the picked value is missing_data, one of another shape decode_error")
    func wrongShape() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(
                picked: diary.rx.request(.recent).fragment().pick("/item").optional(),
                kind: diary.rx.request(.recent).fragment().pick("/id", as: .string).optional(),
                kept: diary.rx.request(.recent).fragment().pick("/id").keep("a").optional())
        }
        bench.upstream("/recent", .data(#"{"id":1}"#))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data"] == #"{"picked":null,"kind":null,"kept":null}"#)
        #expect(
            reply["/errors/0"]
                == #"{"part":"picked","kind":"pathErr","reason":"missing_data","status":200,"#
                + #""message":"the data has nothing at /item","attempts":1,"elapsedMs":0,"retryable":false}"#)
        #expect(reply["/errors/1/reason"] == #""decode_error""#)
        #expect(reply["/errors/2/reason"] == #""decode_error""#)
        #expect(bench.incidents.isEmpty)
        bench.gateway.get("/required") { [diary = bench.diary] _ in
            .parts(picked: diary.rx.request(.recent).fragment().pick("/item"))
        }
        #expect(try bench.answer(.get, "/required").status == 502)
    }

    @Test("Members are picked, kept, dropped, renamed and joined in one expression")
    func shaped() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(
                one: diary.rx.request(.recent).fragment().pick("/item").keep("id", "name", "tags.id").drop(
                    "id"
                ).rename(["name": "title"]),
                stream: diary.rx.request(.recent).asObservable().fragment().pick("/item", as: .object).keep(
                    "id"
                ).drop("x")
                    .rename(["id": "n"]),
                joined: Single.zip(
                    diary.rx.request(.recent).fragment().pick("/item").keep("id"),
                    diary.rx.request(.total).fragment()
                ) { try $0.join($1) },
                nothing: diary.rx.request(.today).fragment().pick("/a").keep("b"))
        }
        bench.upstream("/recent", .data(#"{"item":{"id":7,"name":"n","tags":[{"id":1,"x":2}],"secret":1}}"#))
        bench.upstream("/total", .data(#"{"total":2}"#))
        bench.upstream("/today", .response(204))
        let reply = try bench.answer(.get, "/page")
        #expect(
            reply["/data"]
                == #"{"one":{"title":"n","tags":[{"id":1}]},"stream":{"n":7},"joined":{"id":7,"total":2},"nothing":null}"#
        )
        #expect(reply["/code"] == #""OK""#)
    }
}
