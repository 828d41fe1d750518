import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Default fields of answers", .noLeaks)
struct AnswerFieldsTests {
    private let bench = Bench()

    private func text(_ fields: HTTPFields) -> [String] { fields.map { "\($0.name): \($0.value)" } }

    /// An id as long as a generated one, which takes the path that copies constant fields, and a shorter id.
    private static let ids = ["123456789012345", "mine"]

    @Test(
        "A failure is sent with no-store and nosniff, as envelope or as problem, whatever the endpoint sets"
    )
    func failures() throws {
        bench.gateway.get("/thrown") { _ in
            throw GatewayError(.notFound, "no", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }
        bench.gateway.get("/status") { _ in .status(.notFound).field(.cacheControl, "max-age=60") }
        for path in ["/thrown", "/status", "/nowhere", "/a%2fb"] {
            for accept in ["application/json", "application/problem+json"] {
                let reply = try bench.answer(.get, path, fields: [.accept: accept])
                #expect(reply.fields.values(of: .cacheControl) == ["no-store"], "\(path)")
                #expect(reply.fields.values(of: .xContentTypeOptions) == ["nosniff"], "\(path)")
            }
        }
        let unread = Reply(try bench.gateway.responder().render(.invalidRequest("the head is malformed")))
        #expect(unread.fields.values(of: .xContentTypeOptions) == ["nosniff"])
    }

    @Test("A handler sets the coding and the range of its own bodies, not of those that the gateway makes")
    func coding() throws {
        bench.gateway.get("/made") { _ in
            .json(1).field(.contentEncoding, "gzip").field(.contentRange, "bytes 0-1/2")
        }
        bench.gateway.get("/thrown") { _ in
            throw GatewayError(.notFound, "no", fields: [.contentEncoding: "gzip"])
        }
        bench.gateway.get("/bare", .envelope(.bare)) { _ in .json(1).field(.contentEncoding, "gzip") }
        bench.gateway.get("/own") { _ in .raw([1], contentType: "a/b").field(.contentEncoding, "gzip") }
        for path in ["/made", "/thrown", "/bare"] {
            let fields = try bench.answer(.get, path).fields
            #expect(!fields.contains(.contentEncoding) && !fields.contains(.contentRange), "\(path)")
        }
        #expect(try bench.answer(.get, "/own").fields.values(of: .contentEncoding) == ["gzip"])
    }

    @Test("A partial answer has a single Cache-Control, no-store, even if its handler sets another")
    func partial() throws {
        bench.gateway.get("/partial") { [diary = bench.diary] _ in
            .parts(a: 1, b: diary.rx.request(.recent).fragment().optional())
                .field(.cacheControl, "public, max-age=60").field("X-Own", "1")
        }
        bench.upstream("/recent", .response(500))
        for id in Self.ids {
            let reply = try bench.answer(.get, "/partial", fields: [.xRequestID: id])
            #expect(
                text(reply.fields) == [
                    "Content-Type: application/json; charset=utf-8", "X-Content-Type-Options: nosniff",
                    "Cache-Control: no-store", "X-Request-Id: \(id)",
                    "Proxy-Status: sluice; received-status=500; details=\"b\"", "X-Own: 1",
                ])
        }
    }

    @Test("By default a success is sent with Cache-Control: private, no-store")
    func success() throws {
        bench.gateway.get("/page") { _ in .json(1) }
        bench.gateway.delete("/page") { _ in .status(.noContent) }
        for id in Self.ids {
            let fields: HTTPFields = [.xRequestID: id]
            #expect(
                text(try bench.answer(.get, "/page", fields: fields).fields) == [
                    "Content-Type: application/json; charset=utf-8", "X-Content-Type-Options: nosniff",
                    "Cache-Control: private, no-store", "X-Request-Id: \(id)",
                ])
            #expect(
                text(try bench.answer(.delete, "/page", fields: fields).fields) == [
                    "X-Content-Type-Options: nosniff", "Cache-Control: private, no-store",
                    "X-Request-Id: \(id)",
                ])
            #expect(
                text(try bench.answer(.options, "/page", fields: fields).fields) == [
                    "X-Content-Type-Options: nosniff", "Cache-Control: private, no-store",
                    "X-Request-Id: \(id)", "Allow: GET, HEAD, DELETE, OPTIONS",
                ])
        }
    }

    @Test("An endpoint's own Cache-Control replaces the default; nosniff stays")
    func ownCacheControl() throws {
        bench.gateway.get("/page") { _ in
            .json(1).field(.cacheControl, "public, max-age=60").field(.xContentTypeOptions, "none")
        }
        bench.gateway.get("/unchanged") { _ in
            .status(.notModified).field(.cacheControl, "public, max-age=60")
        }
        for id in Self.ids {
            let fields: HTTPFields = [.xRequestID: id]
            #expect(
                text(try bench.answer(.get, "/page", fields: fields).fields) == [
                    "Content-Type: application/json; charset=utf-8", "X-Content-Type-Options: nosniff",
                    "X-Request-Id: \(id)", "Cache-Control: public, max-age=60",
                ])
            #expect(
                text(try bench.answer(.get, "/unchanged", fields: fields).fields) == [
                    "X-Content-Type-Options: nosniff", "X-Request-Id: \(id)",
                    "Cache-Control: public, max-age=60",
                ])
        }
    }
}
