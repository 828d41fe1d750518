import Dispatch
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Targets of handlers whose responses pass through.
private enum AvatarAPI: TargetType {
    case avatar(String)
    case ranged
    case labelled
    case rename(String)
    case remove
    case fault

    var baseURL: String { "http://avatars.test:9003/v1" }

    var path: RequestPath {
        switch self {
        case .avatar(let user), .rename(let user): "/avatars/\(user)"
        case .ranged, .labelled, .remove: "/avatars/me"
        case .fault: "/avatars/\("..")"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .avatar, .ranged, .labelled, .fault: .get
        case .rename: .put
        case .remove: .delete
        }
    }

    var task: RequestTask {
        if case .rename(let name) = self { .json(["name": name]) } else { .plain }
    }

    var headers: HTTPFields {
        switch self {
        case .ranged: return [.range: "bytes=0-9", .authorization: "Basic own"]
        case .labelled:
            var headers: HTTPFields = ["Accept-Language": "ko"]
            for number in 0..<300 { headers.append(HTTPFieldName("X-Label-\(number)") ?? "bad", "\(number)") }
            return headers
        case .avatar, .rename, .remove, .fault: return [:]
        }
    }

    /// What a decoded response would have.
    var envelope: ResponseEnvelope { .genericResponse }
}

@Suite("Answers that pass a call on", .noLeaks)
struct ProxyAnswerTests {
    private let bench = Bench()
    private let avatars: Provider<AvatarAPI>

    init() { avatars = bench.gateway.provider(AvatarAPI.self, upstream: "avatars", policy: .once) }

    @Test(
        "Status, fields and body are the upstream's, not an envelope",
        arguments: [200, 201, 206, 304, 404, 500, 503])
    func asItIs(status: Int) async throws {
        bench.gateway.get("/avatar") { [avatars] _ in .proxy(avatars.call(.avatar("kim"))) }
        bench.upstreamAnswers(
            status, [.contentType: "image/png", .setCookie: "a=b"], body: status == 304 ? "" : "PNG")
        let reply = try bench.answer(.get, "/avatar")
        #expect(reply.status == status)
        #expect(reply.fields[.contentType] == "image/png")
        #expect(!reply.fields.contains(.setCookie))
        #expect(try await reply.wholeBody() == (status == 304 ? "" : "PNG"))
        #expect(bench.transport.attempts.count == 1)
        #expect(bench.transport.attempts.last?.call.target.text == "/v1/avatars/kim")
        #expect(bench.incidents.isEmpty)
    }

    @Test("The client's conditions pass unless the target sets them, and the target's credentials are sent")
    func targetFields() throws {
        bench.gateway.get("/avatar") { [avatars] _ in .proxy(avatars.call(.ranged)) }
        bench.upstreamAnswers()
        _ = try bench.answer(
            .get, "/avatar",
            fields: [
                .range: "bytes=5-", .ifNoneMatch: "\"a\"", .authorization: "Basic client", .accept: "image/*",
            ])
        #expect(bench.fieldsSent.values(of: .range) == ["bytes=0-9"])
        #expect(bench.fieldsSent.values(of: .authorization) == ["Basic own"])
        #expect(bench.fieldsSent[.ifNoneMatch] == "\"a\"")
        #expect(bench.fieldsSent.values(of: .accept) == ["image/*"])
    }

    @Test("A target's own body is sent in place of the client's, with its type")
    func targetBody() throws {
        bench.gateway.put("/avatar") { [avatars] _ in .proxy(avatars.call(.rename("lee"))) }
        bench.upstreamAnswers()
        _ = try bench.answer(
            .put, "/avatar", fields: [.contentType: "text/plain", .contentLength: "6"], body: "client")
        let call = try #require(bench.transport.attempts.last?.call)
        #expect(try call.body.collect().text == #"{"name":"lee"}"#)
        #expect(bench.fieldsSent.values(of: .contentType) == ["application/json"])
    }

    @Test("Without a body of its own, a target passes the client's")
    func clientBody() throws {
        bench.gateway.delete("/avatar") { [avatars] _ in .proxy(avatars.call(.remove)) }
        bench.upstreamAnswers()
        _ = try bench.answer(
            .delete, "/avatar", fields: [.contentType: "text/plain", .contentLength: "6"], body: "client")
        let call = try #require(bench.transport.attempts.last?.call)
        #expect(try call.body.collect().text == "client")
        #expect(bench.fieldsSent[.contentType] == "text/plain")
    }

    @Test("A target may have any number of fields of its own, which replace those of the client")
    func manyFields() throws {
        bench.gateway.get("/avatar") { [avatars] _ in .proxy(avatars.call(.labelled)) }
        bench.upstreamAnswers()
        _ = try bench.answer(.get, "/avatar", fields: ["Accept-Language": "en", "If-Match": "client"])
        #expect(bench.fieldsSent["X-Label-299"] == "299")
        #expect(bench.fieldsSent.values(of: "Accept-Language") == ["ko"])
        #expect(bench.fieldsSent["If-Match"] == "client")
    }

    @Test("A proxy of TRACE passes no body (RFC 9110 9.3.8)")
    func trace() throws {
        bench.gateway.proxy("/echo", to: bench.images(), methods: [.trace])
        bench.upstreamAnswers()
        #expect(try bench.answer(.trace, "/echo", fields: [.contentLength: "1"], body: "x").status >= 400)
        #expect(bench.transport.attempts.isEmpty)
        #expect(try bench.answer(.trace, "/echo").status == 200)
        #expect(bench.transport.attempts.map(\.call.method) == [.trace])
    }

    @Test("HEAD passes as HEAD")
    func head() throws {
        bench.gateway.get("/avatar") { [avatars] _ in .proxy(avatars.call(.avatar("kim"))) }
        bench.upstreamAnswers(200, [.contentLength: "1234"])
        let reply = try bench.answer(.head, "/avatar")
        #expect(bench.transport.attempts.last?.call.method == .head)
        #expect(reply.fields[.contentLength] == "1234")
    }

    @Test("The handler may set a status and fields of its own")
    func overrides() async throws {
        bench.gateway.get("/avatar") { [avatars] _ in
            .proxy(avatars.call(.avatar("kim"))).status(.accepted).field(.cacheControl, "max-age=5").field(
                "X-Own", "1")
        }
        bench.upstreamAnswers(200, [.cacheControl: "no-store", .contentType: "image/png"], body: "PNG")
        let reply = try bench.answer(.get, "/avatar")
        #expect(reply.status == 202)
        #expect(reply.fields.values(of: .cacheControl) == ["max-age=5"])
        #expect(reply.fields["X-Own"] == "1")
        #expect(try await reply.wholeBody() == "PNG")
    }

    @Test(
        "A location of a handler's upstream is left out, since the gateway has no path for it; another passes"
    )
    func location() throws {
        bench.gateway.get("/avatar") { [avatars] _ in .proxy(avatars.call(.avatar("kim"))) }
        #expect(try bench.location("http://avatars.test:9003/v1/other", for: "/avatar") == nil)
        #expect(try bench.location("/v1/other", for: "/avatar") == nil)
        #expect(try bench.location("https://cdn.test/kim.png", for: "/avatar") == "https://cdn.test/kim.png")
        #expect(try bench.location("other", for: "/avatar") == "other")
    }

    @Test("An invalid list of fields is 500 and an incident, and nothing is sent")
    func invalidFields() throws {
        bench.gateway.get("/avatar") { [avatars] _ in
            .proxy(avatars.call(.avatar("kim")), fields: .standard.adding(response: .transferEncoding))
        }
        #expect(try bench.answer(.get, "/avatar").status == 500)
        #expect(bench.incidents.count == 1)
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test("A call that cannot be built is answered in the gateway's style")
    func fault() throws {
        bench.gateway.get("/avatar") { [avatars] _ in .proxy(avatars.call(.fault)) }
        let reply = try bench.answer(.get, "/avatar")
        #expect(reply.status >= 400)
        #expect(reply["/code"] != nil)
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test("A failure without a response is answered in the gateway's style")
    func failure() throws {
        bench.gateway.get("/avatar") { [avatars] _ in .proxy(avatars.call(.avatar("kim"))) }
        bench.transport.answer(.failure(.connectionRefused))
        let reply = try bench.answer(.get, "/avatar")
        #expect(reply.status == 502)
        #expect(reply["/errors/0/reason"] == #""connection_refused""#)
    }

    @Test("The deadline passes before the head: 504, and the call is cancelled")
    func deadline() throws {
        bench.gateway.proxy("/images/{path...}", to: bench.images(), .deadline(.seconds(1)))
        bench.upstreamAnswers(200, body: "late", after: .seconds(2))
        let pending = try bench.ask(.get, "/images/a")
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply().status == 504)
        #expect(bench.transport.attempts.map(\.isCancelled) == [true])
    }

    @Test("A GET is repeated after 503, with the fields of the first attempt")
    func retry() async throws {
        var policy = CallPolicy()
        policy.retry.backoff = .constant(.milliseconds(10))
        bench.gateway.proxy("/images/{path...}", to: bench.images(policy: policy))
        bench.transport.answer(
            .response(503, body: "busy"), .failure(.connectionTerminated), .response(200, body: "ok"))
        let pending = try bench.ask(.get, "/images/a?b", fields: [.range: "bytes=0-1"])
        bench.time.advance(by: .milliseconds(20))
        let reply = try pending.reply()
        #expect(reply.status == 200)
        #expect(try await reply.wholeBody() == "ok")
        #expect(bench.transport.attempts.map(\.call.target.text) == ["/a?b", "/a?b", "/a?b"])
        #expect(bench.transport.attempts.allSatisfy { $0.call.allFields[.range] == "bytes=0-1" })
    }

    @Test("A WebSocket is refused, other offers of an upgrade are ignored")
    func upgrade() throws {
        bench.gateway.proxy("/images/{path...}", to: bench.images())
        bench.upstreamAnswers()
        let reply = try bench.answer(
            .get, "/images/a", fields: [.connection: "Upgrade", .upgrade: "h2c, WebSocket"])
        #expect(reply.status == 501)
        #expect(reply["/code"] == #""NOT_IMPLEMENTED""#)
        #expect(bench.transport.attempts.isEmpty)
        #expect(
            try bench.answer(.get, "/images/a", fields: [.connection: "Upgrade", .upgrade: "h2c"]).status
                == 200)
        #expect(!bench.fieldsSent.contains(.upgrade))
    }
}
