import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// The contract of an app that existed before the gateway: always 200, and the outcome in the body.
private struct OldAppFormat: AnswerFormat {
    func format(_ answer: AnswerFacts) -> FormattedAnswer {
        FormattedAnswer(
            json: [
                "ok": .init(!answer.isFailure),
                "why": .init("\(answer.status.code) \(answer.code) \(answer.message)"),
                "failed": .init(
                    answer.failures.map { "\($0.part ?? "-") \($0.failure.reason)" }.joined(separator: ",")),
                "result": .init(answer.data),
            ], status: .ok)
    }
}

@Suite("Envelope styles", .noLeaks)
struct EnvelopeStyleTests {
    private let bench = Bench()

    private func declarePages(_ gateway: Gateway, _ options: EndpointOption...) {
        for (path, isOptional) in [("/required", false), ("/optional", true)] {
            gateway.group("", .deadline(.seconds(1))) { group in
                for option in options { group.defaults(option) }
                group.get(path) { [diary = bench.diary] _ in
                    let total = diary.rx.request(.total).fragment()
                    return .parts(
                        recent: diary.rx.request(.recent).fragment(),
                        total: isOptional ? total.optional() : Part(total))
                }
            }
        }
        bench.upstream("/recent", .data("[1,2]"))
    }

    // MARK: Bare

    @Test("A bare failure is a problem document, whatever the client accepts")
    func bareFailure() throws {
        declarePages(bench.gateway, .envelope(.bare))
        bench.upstream("/total", .response(503))
        let reply = try bench.answer(.get, "/required", fields: [.accept: "application/json"])
        #expect(reply.status == 503)
        #expect(reply.fields[.contentType] == "application/problem+json")
        #expect(reply["/type"] == #""urn:sluice:problem:upstream-unavailable""#)
        #expect(reply["/errors/0/part"] == #""total""#)
        #expect(reply["/data"] == nil)
    }

    @Test("A bare success is its data alone; a partial one names the failed parts in Proxy-Status")
    func bareSuccess() throws {
        declarePages(bench.gateway, .envelope(.bare))
        bench.gateway.get("/value", .envelope(.bare(completeField: "X-Complete"))) { _ in .json(["a": nil]) }
        bench.gateway.get("/none", .envelope(.bare)) { _ in .status(.noContent) }
        bench.upstream("/total", .data("3"))
        let whole = try bench.answer(.get, "/optional")
        #expect(whole.body == #"{"recent":[1,2],"total":3}"#)
        #expect(whole.fields[.contentType] == "application/json; charset=utf-8")
        #expect(!whole.fields.contains(.proxyStatus))
        bench.upstream("/total", .response(500))
        let partial = try bench.answer(.get, "/optional")
        #expect(partial.status == 200)
        #expect(partial.body == #"{"recent":[1,2],"total":null}"#)
        #expect(partial.fields[.proxyStatus] == #"sluice; received-status=500; details="total""#)
        #expect(partial.fields[.cacheControl] == "no-store")
        #expect(partial.summary.code == "PARTIAL")
        let value = try bench.answer(.get, "/value")
        #expect(value.body == #"{"a":null}"#)
        #expect(value.fields["X-Complete"] == "true")
        let none = try bench.answer(.get, "/none")
        #expect(none.body == "" && none.fields[.contentType] == nil)
        bench.gateway.get("/old", .envelope(.custom(EmptyFormat()))) { _ in .json(1) }
        #expect(try bench.answer(.get, "/old").fields[.contentType] == nil)
    }

    /// Says nothing.
    private struct EmptyFormat: AnswerFormat {
        func format(_ answer: AnswerFacts) -> FormattedAnswer {
            FormattedAnswer(json: nil, status: .noContent)
        }
    }

    @Test("The field of a bare style tells false for partial answers and for failures")
    func completeField() throws {
        declarePages(bench.gateway, .envelope(.bare(completeField: "X-Complete")))
        bench.upstream("/total", .response(500))
        #expect(try bench.answer(.get, "/optional").fields.values(of: "X-Complete") == ["false"])
        #expect(try bench.answer(.get, "/required").fields.values(of: "X-Complete") == ["false"])
    }

    @Test("The field of a bare style replaces one of the same name that a handler sets")
    func completeFieldOfHandler() throws {
        bench.gateway.get("/page", .envelope(.bare(completeField: "X-Complete"))) { _ in
            .json(1).field("x-complete", "perhaps")
        }
        #expect(try bench.answer(.get, "/page").fields.values(of: "X-Complete") == ["true"])
    }

    @Test(
        "A field with a meaning of its own cannot say whether a bare answer is complete",
        arguments: [
            "content-type", "X-Request-Id", "Set-Cookie", "Transfer-Encoding", "Trailer", "Upgrade",
            "Cache-Control", "Content-Encoding", "ETag", "Access-Control-Allow-Credentials",
        ])
    func reservedField(name: String) throws {
        let field = try #require(HTTPFieldName(name))
        bench.gateway.get("/page", .envelope(.bare(completeField: field))) { _ in .json(1) }
        let fault =
            "has the completeField \(name), which has a meaning of its own; use one such as X-Complete"
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(error?.faults == ["GET /page \(fault)"])
    }

    @Test("The field of a group's style is checked, too, because unmatched paths are answered in it")
    func reservedFieldOfGroup() throws {
        let field: HTTPFieldName = "Set-Cookie"
        bench.gateway.group("/v2", .envelope(.bare(completeField: field))) { group in
            group.get("/page", .envelope(.sluice)) { _ in .json(1) }
        }
        let error = #expect(throws: GatewayDeclarationError.self) { try bench.gateway.responder() }
        #expect(
            error?.faults == [
                "the group /v2 has the completeField Set-Cookie, which has a meaning of its own; "
                    + "use one such as X-Complete"
            ])
    }

    @Test("Large parts are written by reference in a bare answer")
    func largeParts() throws {
        declarePages(bench.gateway, .envelope(.bare))
        let large = #"""# + String(repeating: "a", count: 40_000) + #"""#
        bench.upstream("/total", .data(large))
        let reply = try bench.answer(.get, "/required")
        #expect(reply.body == #"{"recent":[1,2],"total":\#(large)}"#)
        #expect(reply.response.response.body.count == 3)
    }

    // MARK: Own styles

    @Test(
        "A style of one's own gets the facts of failures, partial and whole answers, and may change the status"
    )
    func custom() throws {
        declarePages(bench.gateway, .envelope(.custom(OldAppFormat())))
        bench.upstream("/total", .response(404))
        let failure = try bench.answer(.get, "/required")
        #expect(failure.status == 200)
        #expect(
            failure.body
                == #"{"ok":false,"why":"404 NOT_FOUND total was not found","failed":"total upstream_status","result":null}"#
        )
        #expect(failure.summary.code == "NOT_FOUND")
        let partial = try bench.answer(.get, "/optional")
        #expect(
            partial.body
                == #"{"ok":true,"why":"200 PARTIAL Some parts failed","failed":"total upstream_status","#
                + #""result":{"recent":[1,2],"total":null}}"#)
        bench.upstream("/total", .data("3"))
        let whole = try bench.answer(.get, "/optional")
        #expect(
            whole.body
                == #"{"ok":true,"why":"200 OK success","failed":"","result":{"recent":[1,2],"total":3}}"#)
    }

    @Test("A style may write another type than JSON")
    func otherType() throws {
        struct Lines: AnswerFormat {
            func format(_ answer: AnswerFacts) -> FormattedAnswer {
                FormattedAnswer(body: Array("\(answer.code) \(answer.data)".utf8), contentType: "text/plain")
            }
        }
        bench.gateway.get("/page", .envelope(.custom(Lines()))) { _ in .json([1]) }
        let reply = try bench.answer(.get, "/page")
        #expect(reply.body == "OK [1]")
        #expect(reply.fields.values(of: .contentType) == ["text/plain"])
    }

    // MARK: Without an endpoint

    @Test("Errors of the parser and the router are in the gateway's style, and a group's in the group's")
    func withoutEndpoint() throws {
        bench.gateway.defaults(.envelope(.bare))
        bench.gateway.group("/old", .envelope(.custom(OldAppFormat()))) { old in
            old.get("/page") { _ in .json("page") }
        }
        bench.gateway.get("/sluice", .envelope(.sluice)) { _ in .json("page") }
        let malformed = try bench.gateway.responder().render(
            GatewayError.invalidRequest("The head is malformed"))
        #expect(malformed.response.fields[.contentType] == "application/problem+json")
        #expect(try bench.answer(.get, "/none").fields[.contentType] == "application/problem+json")
        #expect(try bench.answer(.get, "/old/none").body.hasPrefix(#"{"ok":false,"why":"404 NOT_FOUND"#))
        #expect(try bench.answer(.delete, "/old/page").body.hasPrefix(#"{"ok":false,"why":"405"#))
        #expect(try bench.answer(.get, "/sluice")["/data"] == #""page""#)
        #expect(try bench.answer(.delete, "/sluice")["/code"] == #""METHOD_NOT_ALLOWED""#)
    }
}
