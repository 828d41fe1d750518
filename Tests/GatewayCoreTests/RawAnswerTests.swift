import GatewayCore
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Answers that are not JSON", .noLeaks)
struct RawAnswerTests {
    private let bench = Bench()

    private func text(_ fields: HTTPFields) -> [String] { fields.map { "\($0.name): \($0.value)" } }

    @Test(
        "A content type, location or status that cannot be sent is 500 INTERNAL and an incident",
        arguments: [
            (Answer.raw([1], contentType: "png"), "'png' is not a media type"),
            (Answer.raw([1], contentType: ""), "'' is not a media type"),
            (Answer.raw([1], contentType: "text/plain\r\nX-Own: 1"), "is not a media type"),
            (Answer.redirect(to: ""), "is not percent-encoded: ''"),
            (Answer.redirect(to: "/a b"), "is not percent-encoded: '/a b'"),
            (Answer.redirect(to: "/\r\nX-Own: 1"), "the value of the field Location has a control character"),
            (Answer.redirect(to: "/오늘"), "is not percent-encoded"),
            (Answer.redirect(to: "/", status: .ok), "200 is not the status of a redirect"),
            (Answer.redirect(to: "/", status: .notModified), "304 is not the status of a redirect"),
        ])
    func faults(answer: Answer, fault: String) throws {
        bench.gateway.get("/page") { _ in answer }
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 500)
        #expect(reply["/code"] == #""INTERNAL""#)
        #expect(reply.fields[.location] == nil)
        #expect(bench.incidents.count == 1)
        #expect(bench.incidents.allSatisfy { "\($0.error)".contains(fault) }, "\(bench.incidents)")
    }

    @Test("A failed step before such an answer keeps the envelope")
    func failedStep() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .first(check: diary.rx.request(.recent).fragment()).then { .text("done") }
        }
        bench.upstream("/recent", .response(500))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 502)
        #expect(reply["/code"] == #""BAD_GATEWAY""#)
        bench.upstream("/recent", .data("1"))
        #expect(try bench.answer(.get, "/page").body == "done")
    }

    @Test("The bytes are the body, with the default fields of a success and the content type")
    func raw() throws {
        bench.gateway.get("/page") { _ in .raw([0x89, 0x50], contentType: "image/png") }
        let reply = try bench.answer(.get, "/page", fields: [.xRequestID: "r-1"])
        #expect(reply.status == 200)
        #expect(Array(reply.response.response.body.joined()) == [0x89, 0x50])
        #expect(
            text(reply.fields) == [
                "X-Content-Type-Options: nosniff", "Cache-Control: private, no-store", "X-Request-Id: r-1",
                "Content-Type: image/png",
            ])
        #expect(reply.summary.code == "OK")
    }

    @Test("Any status and any Cache-Control may be set, and the gateway's fields may not")
    func overrides() throws {
        bench.gateway.get("/gone") { _ in
            .text("gone").status(.gone).field(.cacheControl, "max-age=60").field(.contentType, "a/b")
                .field(.eTag, "\"1\"")
        }
        bench.gateway.get("/empty") { _ in .text("").status(.noContent) }
        let reply = try bench.answer(.get, "/gone", fields: [.xRequestID: "r-1"])
        #expect(reply.status == 410)
        #expect(reply.body == "gone")
        #expect(
            text(reply.fields) == [
                "X-Content-Type-Options: nosniff", "X-Request-Id: r-1",
                "Content-Type: text/plain; charset=utf-8", "Cache-Control: max-age=60", "ETag: \"1\"",
            ])
        #expect(reply.summary.code == "GONE")
        let empty = try bench.answer(.get, "/empty")
        #expect(empty.status == 204)
        #expect(empty.body.isEmpty)
        #expect(empty.fields[.contentType] == nil)
    }

    @Test("A redirect has the location, the status and no body")
    func redirect() throws {
        bench.gateway.get("/old") { _ in .redirect(to: "/new?page=2", status: .permanentRedirect) }
        bench.gateway.get("/away") { _ in
            .redirect(to: "https://shop.example/%20").field(.cacheControl, "max-age=60")
        }
        let old = try bench.answer(.get, "/old")
        #expect(old.status == 308)
        #expect(old.fields[.location] == "/new?page=2")
        #expect(old.body.isEmpty)
        #expect(old.fields[.contentType] == nil)
        let away = try bench.answer(.get, "/away")
        #expect(away.status == 302)
        #expect(away.fields.values(of: .cacheControl) == ["max-age=60"])
    }

    @Test("An async handler and a pipeline may return one")
    func handlers() throws {
        bench.gateway.get("/pipeline") { [diary = bench.diary] _ -> Single<Answer> in
            diary.rx.request(.recent).map { .raw($0.data, contentType: "text/csv") }
        }
        bench.upstream("/recent", .data("1"))
        #expect(try bench.answer(.get, "/pipeline").body.contains(#""data":1"#))
    }
}
