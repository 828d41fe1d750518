import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// A row of the table of outcomes: the upstream's answer, the part's kind and reason, and the client's
/// answer.
struct OutcomeCase: Sendable, CustomTestStringConvertible {
    var upstream: StubTransport.Answer
    var kind: String
    var reason: String
    var status: Int
    var code: String
    var retryAfter: String?
    let testDescription: String

    static func failing(_ reason: FailureReason, _ status: Int, _ code: String, retryAfter: String? = nil)
        -> OutcomeCase
    {
        OutcomeCase(
            upstream: .failure(reason), kind: "networkFail", reason: reason.token, status: status, code: code,
            retryAfter: retryAfter, testDescription: reason.token)
    }

    static func status(
        _ upstream: Int, _ kind: String, _ status: Int, _ code: String, fields: HTTPFields = HTTPFields(),
        retryAfter: String? = nil
    ) -> OutcomeCase {
        OutcomeCase(
            upstream: .response(upstream, fields: fields), kind: kind, reason: "upstream_status",
            status: status,
            code: code, retryAfter: retryAfter, testDescription: "status \(upstream)")
    }

    static func body(_ text: String, _ kind: String, _ reason: String, _ status: Int, _ code: String)
        -> OutcomeCase
    {
        OutcomeCase(
            upstream: .json(text), kind: kind, reason: reason, status: status, code: code,
            testDescription: "body \(text)")
    }

    static let timeouts: [OutcomeCase] = [
        .failing(.dnsTimeout, 504, "UPSTREAM_TIMEOUT"),
        .failing(.connectionTimeout, 504, "UPSTREAM_TIMEOUT"),
        .failing(.connectionReadTimeout, 504, "UPSTREAM_TIMEOUT"),
        .failing(.connectionWriteTimeout, 504, "UPSTREAM_TIMEOUT"),
        .failing(.responseTimeout, 504, "UPSTREAM_TIMEOUT"),
        .failing(.deadlineExceeded, 504, "UPSTREAM_TIMEOUT"),
    ]

    static let unavailable: [OutcomeCase] = [
        .failing(.connectionLimitReached, 503, "UPSTREAM_UNAVAILABLE", retryAfter: "1"),
        .failing(.concurrencyLimit, 503, "UPSTREAM_UNAVAILABLE", retryAfter: "1"),
        .failing(.memoryLimit, 503, "UPSTREAM_UNAVAILABLE", retryAfter: "1"),
        .failing(.circuitOpen, 503, "UPSTREAM_UNAVAILABLE", retryAfter: "1"),
        .failing(.destinationUnavailable, 503, "UPSTREAM_UNAVAILABLE", retryAfter: "1"),
    ]

    static let unusable: [OutcomeCase] = [
        .failing(.dnsError, 502, "BAD_GATEWAY"),
        .failing(.connectionRefused, 502, "BAD_GATEWAY"),
        .failing(.connectionTerminated, 502, "BAD_GATEWAY"),
        .failing(.responseIncomplete, 502, "BAD_GATEWAY"),
        .failing(.tlsProtocolError, 502, "BAD_GATEWAY"),
        .failing(.tlsCertificateError, 502, "BAD_GATEWAY"),
        .failing(.tlsAlertReceived, 502, "BAD_GATEWAY"),
        .failing(.protocolError, 502, "BAD_GATEWAY"),
        .failing(.responseHeadSize, 502, "BAD_GATEWAY"),
        .failing(.responseBodySize, 502, "BAD_GATEWAY"),
        .failing(.responseContentCoding, 502, "BAD_GATEWAY"),
        .failing(.responseTransferCoding, 502, "BAD_GATEWAY"),
    ]

    static let statuses: [OutcomeCase] = [
        .status(404, "requestErr", 404, "NOT_FOUND"),
        .status(409, "requestErr", 409, "CONFLICT"),
        .status(410, "requestErr", 410, "GONE"),
        .status(412, "requestErr", 412, "PRECONDITION_FAILED"),
        .status(422, "requestErr", 422, "UNPROCESSABLE"),
        .status(401, "requestErr", 502, "BAD_GATEWAY"),
        .status(403, "requestErr", 502, "BAD_GATEWAY"),
        .status(400, "requestErr", 502, "BAD_GATEWAY"),
        .status(405, "requestErr", 502, "BAD_GATEWAY"),
        .status(418, "requestErr", 502, "BAD_GATEWAY"),
        .status(429, "requestErr", 503, "UPSTREAM_UNAVAILABLE", retryAfter: "1"),
        .status(429, "requestErr", 503, "UPSTREAM_UNAVAILABLE", fields: [.retryAfter: "7"], retryAfter: "7"),
        .status(500, "serverErr", 502, "BAD_GATEWAY"),
        .status(502, "serverErr", 502, "BAD_GATEWAY"),
        .status(503, "serverErr", 503, "UPSTREAM_UNAVAILABLE"),
        .status(503, "serverErr", 503, "UPSTREAM_UNAVAILABLE", fields: [.retryAfter: "30"], retryAfter: "30"),
        .status(504, "serverErr", 504, "UPSTREAM_TIMEOUT"),
        .status(508, "serverErr", 508, "LOOP_DETECTED"),
        .status(599, "serverErr", 502, "BAD_GATEWAY"),
    ]

    static let bodies: [OutcomeCase] = [
        .body("<html>", "pathErr", "decode_error", 502, "BAD_GATEWAY"),
        .body("", "pathErr", "decode_error", 502, "BAD_GATEWAY"),
        .body("null", "pathErr", "decode_error", 502, "BAD_GATEWAY"),
        .body("7", "pathErr", "decode_error", 502, "BAD_GATEWAY"),
        .body(#"{"data":1}"#, "pathErr", "decode_error", 502, "BAD_GATEWAY"),
        .body(#"{"status":200}"#, "pathErr", "missing_data", 502, "BAD_GATEWAY"),
        .body(#"{"status":200,"data":null}"#, "pathErr", "missing_data", 502, "BAD_GATEWAY"),
        .body(#"{"status":500,"message":"no","data":1}"#, "serverErr", "upstream_status", 502, "BAD_GATEWAY"),
        .body(#"{"status":404,"data":1}"#, "serverErr", "upstream_status", 502, "BAD_GATEWAY"),
        .body(#"{"status":503,"data":1}"#, "serverErr", "upstream_status", 503, "UPSTREAM_UNAVAILABLE"),
        OutcomeCase(
            upstream: .response(302), kind: "pathErr", reason: "unexpected_status", status: 502,
            code: "BAD_GATEWAY",
            testDescription: "a redirect"),
        OutcomeCase(
            upstream: .response(206, body: "{}"), kind: "pathErr", reason: "unexpected_status", status: 502,
            code: "BAD_GATEWAY", testDescription: "an unrequested 206"),
    ]
}

@Suite("The table of outcomes", .noLeaks)
struct OutcomeTableTests {
    @Test(
        "The envelope of a network failure says in a sentence how the upstream failed",
        arguments: [
            (FailureReason.dnsError, "No connection to a"), (.connectionRefused, "No connection to a"),
            (.connectionTerminated, "No response from a"),
            (.responseIncomplete, "The response from a was incomplete"),
            (.tlsProtocolError, "No secure connection to a"),
            (.tlsCertificateError, "No secure connection to a"),
            (.tlsAlertReceived, "No secure connection to a"),
            (.protocolError, "The response from a was not valid HTTP"),
            (.responseTransferCoding, "The response from a was not valid HTTP"),
            (.responseHeadSize, "The response from a was too large"),
            (.responseBodySize, "The response from a was too large"),
            (.responseContentCoding, "The response from a could not be decoded"),
        ])
    func sentences(_ reason: FailureReason, _ message: String) throws {
        let bench = Bench()
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.upstream("/recent", .failure(reason))
        #expect(try bench.answer(.get, "/page").message == message)
    }

    @Test(
        "The failure of a required part decides the answer's status, code and Retry-After",
        arguments: OutcomeCase.timeouts + OutcomeCase.unavailable + OutcomeCase.unusable
            + OutcomeCase.statuses
            + OutcomeCase.bodies)
    func required(_ row: OutcomeCase) throws {
        let bench = Bench()
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.upstream("/recent", row.upstream)
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == row.status)
        #expect(reply["/status"] == "\(row.status)")
        #expect(reply["/code"] == "\"\(row.code)\"")
        #expect(reply["/data"] == "null")
        #expect(reply["/errors/0/part"] == #""a""#)
        #expect(reply["/errors/0/kind"] == "\"\(row.kind)\"")
        #expect(reply["/errors/0/reason"] == "\"\(row.reason)\"")
        #expect(reply["/errors/1"] == nil)
        #expect(reply["/meta/parts/a"] == "\"\(row.kind)\"")
        #expect(reply["/meta/complete"] == "false")
        #expect(reply.fields[.retryAfter] == row.retryAfter)
        #expect(reply.fields[.cacheControl] == "no-store")
        #expect(reply.fields.contains(.proxyStatus))
    }

    @Test(
        "The failure of an optional part makes the answer 200 PARTIAL and the part null",
        arguments: OutcomeCase.timeouts + OutcomeCase.unavailable + OutcomeCase.unusable
            + OutcomeCase.statuses
            + OutcomeCase.bodies)
    func optional(_ row: OutcomeCase) throws {
        let bench = Bench()
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: 1, b: diary.rx.request(.recent).fragment().optional())
        }
        bench.upstream("/recent", row.upstream)
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 200)
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data"] == #"{"a":1,"b":null}"#)
        #expect(reply["/errors/0/kind"] == "\"\(row.kind)\"")
        #expect(reply["/errors/0/reason"] == "\"\(row.reason)\"")
        #expect(reply.fields[.retryAfter] == nil)
        #expect(reply.fields[.cacheControl] == "no-store")
    }

    @Test(
        "If several required parts fail at once, 503 takes precedence over 504, then 502 and 508, then 4xx",
        arguments: [
            ([404, 500, 504, 503], 503), ([404, 500, 504], 504), ([504, 404, 500], 504), ([404, 500], 502),
            ([404, 409], 404), ([409, 404], 409), ([404, 508], 508), ([500, 508], 502), ([508, 500], 508),
        ])
    func precedence(_ statuses: [Int], _ expected: Int) throws {
        let bench = Bench()
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(
                a: diary.rx.request(.user("0")).fragment(), b: diary.rx.request(.user("1")).fragment(),
                c: diary.rx.request(.user("2")).fragment(), d: diary.rx.request(.user("3")).fragment())
        }
        for index in 0..<4 {
            bench.upstream(
                "/users/\(index)",
                index < statuses.count ? .response(statuses[index], after: .milliseconds(1)) : .data("1"))
        }
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply.status == expected)
        #expect(try reply.json()[member: "errors"]?.elements.count == statuses.count)
    }

    @Test("If two parts fail equally, the answer names the first in the plan and has the longer Retry-After")
    func ties() throws {
        let bench = Bench()
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(recent: diary.rx.request(.recent).fragment(), total: diary.rx.request(.total).fragment())
        }
        bench.upstream("/recent", .response(503, fields: [.retryAfter: "2"], after: .milliseconds(9)))
        bench.upstream("/total", .response(503, fields: [.retryAfter: "5"], after: .milliseconds(9)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(9))
        let reply = try pending.reply()
        #expect(reply["/message"] == #""recent is not available""#)
        #expect(reply.fields[.retryAfter] == "5")
    }

    @Test("A required part's failure takes precedence over an optional part's, and both are listed")
    func requiredOverOptional() throws {
        let bench = Bench()
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment().optional(),
                total: diary.rx.request(.total).fragment())
        }
        bench.upstream("/recent", .response(503))
        bench.upstream("/total", .response(404))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 404)
        #expect(reply["/errors/0/part"] == #""recent""#)
        #expect(reply["/errors/1/part"] == #""total""#)
        #expect(reply["/message"] == #""total was not found""#)
    }

    private static let challenge = "Bearer realm=\"x\""

    /// Returns a gateway with one endpoint, whose upstream answers with this status.
    private func bench(_ status: Int, _ options: [EndpointOption]) -> Bench {
        let bench = Bench()
        bench.gateway.on(.get, "/own", options) { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        _ = bench.gateway.provider(DiaryAPI.self, upstream: "other")
        bench.upstream("/recent", .response(status, fields: [.wwwAuthenticate: Self.challenge]))
        return bench
    }

    @Test(
        "An upstream's 401 or 403 becomes 502 if the endpoint does not forward credentials to it",
        arguments: [401, 403])
    func foreignCredentials(_ status: Int) throws {
        let options: [[EndpointOption]] = [
            [], [.forwardsCookies(to: "other")], [.forwardsAuthorization(to: "other")],
            [.forwardsAuthorization(to: "other"), .forwardsCookies(to: "other")],
        ]
        for options in options {
            let bench = bench(status, options)
            let reply = try bench.answer(
                .get, "/own", fields: [.authorization: "Bearer t", .cookie: "session=1"])
            #expect(reply.status == 502)
            #expect(reply.fields[.wwwAuthenticate] == nil)
        }
    }

    @Test(
        "A 401 or 403 reaches the client if the endpoint forwards credentials, even if the client sent none",
        arguments: [.forwardsAuthorization(to: "diary"), .forwardsCookies(to: "diary")] as [EndpointOption])
    func credentials(_ option: EndpointOption) throws {
        let bench = bench(401, [option])
        for fields: HTTPFields in [[.authorization: "Bearer t"], [:], [.cookie: "session=1"]] {
            bench.upstream("/recent", .response(401, fields: [.wwwAuthenticate: Self.challenge]))
            let unauthorized = try bench.answer(.get, "/own", fields: fields)
            #expect(unauthorized.status == 401)
            #expect(unauthorized["/code"] == #""UNAUTHORIZED""#)
            #expect(unauthorized.fields[.wwwAuthenticate] == Self.challenge)
            bench.upstream("/recent", .response(403))
            let forbidden = try bench.answer(.get, "/own", fields: fields)
            #expect(forbidden.status == 403)
            #expect(forbidden["/code"] == #""FORBIDDEN""#)
        }
    }

    @Test("A target's own Authorization replaces the client's, so a 401 does not reach the client")
    func ownCredentials() throws {
        let bench = Bench()
        bench.gateway.get("/own", .forwardsAuthorization(to: "diary")) { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.authorized).fragment())
        }
        bench.transport.answer(.response(401, fields: [.wwwAuthenticate: Self.challenge]))
        let reply = try bench.answer(.get, "/own", fields: [.authorization: "Bearer t"])
        #expect(reply.status == 502)
        #expect(reply.fields[.wwwAuthenticate] == nil)
    }

    @Test("An error states its number of attempts")
    func attempts() throws {
        var retry = CallRetryPolicy()
        retry.backoff = .none
        let bench = Bench(retry: retry)
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.upstream("/recent", .response(503))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply()["/errors/0/attempts"] == "3")
        #expect(bench.transport.attempts.count == 3)
    }

    @Test("No address, field or text of an upstream leaks unless the endpoint reveals messages")
    func leaks() throws {
        let bench = Bench()
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.gateway.get("/open", .revealsUpstreamMessages) { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.upstream(
            "/recent",
            .response(
                404, fields: ["Server": "secret-server", .setCookie: "secret-cookie"],
                body: #"{"code":"E1","message":"secret-word","status":404,"data":"secret-data"}"#))
        let reply = try bench.answer(.get, "/page")
        let everything = reply.body + reply.fields.map { "\($0.name): \($0.value)" }.joined()
        for word in ["secret", "diary.test", "9001", "food-diary", "E1"] {
            #expect(!everything.contains(word), "\(word) leaks")
        }
        let open = try bench.answer(.get, "/open")
        #expect(open["/errors/0/message"] == #""secret-word""#)
        #expect(!open.body.contains("secret-data"))
    }
}
