import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Proxy-Status (RFC 9209)", .noLeaks)
struct ProxyStatusTests {
    private func proxyStatus(_ answers: [StubTransport.Answer]) throws -> String? {
        let bench = Bench()
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment().optional(),
                total: diary.rx.request(.total).fragment().optional())
        }
        bench.upstream("/recent", answers[0])
        bench.upstream("/total", answers.count > 1 ? answers[1] : .data("{}"))
        return try bench.answer(.get, "/page").fields[.proxyStatus]
    }

    @Test("An answer without a failed part has no Proxy-Status")
    func none() throws {
        #expect(try proxyStatus([.data("1")]) == nil)
        #expect(try proxyStatus([.response(204)]) == nil)
    }

    @Test("Proxy-Status is one field with a member for each failed part, in plan order")
    func members() throws {
        #expect(
            try proxyStatus([.failure(.connectionRefused), .response(503)])
                == #"sluice; error=connection_refused; details="recent", sluice; received-status=503; details="total""#
        )
    }

    @Test(
        "Every reason that RFC 9209 registers is sent unchanged",
        arguments: [
            FailureReason.dnsError, .dnsTimeout, .destinationUnavailable, .connectionRefused,
            .connectionTimeout,
            .connectionTerminated, .connectionReadTimeout, .connectionWriteTimeout, .responseTimeout,
            .responseIncomplete, .tlsProtocolError, .tlsCertificateError, .tlsAlertReceived, .protocolError,
            .responseHeadSize, .responseBodySize, .responseContentCoding, .responseTransferCoding,
            .connectionLimitReached,
        ])
    func registered(_ reason: FailureReason) throws {
        #expect(try proxyStatus([.failure(reason)]) == "sluice; error=\(reason.token); details=\"recent\"")
    }

    @Test("Reasons that are not registered are sent as the nearest registered one")
    func renamed() throws {
        #expect(
            try proxyStatus([.failure(.circuitOpen)])
                == #"sluice; error=destination_unavailable; details="recent""#)
        #expect(
            try proxyStatus([.failure(.concurrencyLimit)])
                == #"sluice; error=connection_limit_reached; details="recent""#)
        #expect(
            try proxyStatus([.failure(.deadlineExceeded)])
                == #"sluice; error=http_response_timeout; details="recent""#)
    }

    @Test("If the upstream answered, the member has received-status and no error")
    func received() throws {
        #expect(
            try proxyStatus([.json("<html>"), .json(#"{"status":200}"#)])
                == #"sluice; received-status=200; details="recent", sluice; received-status=200; details="total""#
        )
        #expect(try proxyStatus([.response(302)]) == #"sluice; received-status=302; details="recent""#)
        // The failing status is inside the envelope; the received status is 200.
        #expect(
            try proxyStatus([.json(#"{"status":404}"#)]) == #"sluice; received-status=200; details="recent""#)
    }
}

@Suite("Problems (RFC 9457)", .noLeaks)
struct ProblemTests {
    private let bench = Bench()

    init() {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(recent: diary.rx.request(.recent).fragment(), total: diary.rx.request(.total).fragment())
        }
    }

    @Test("A failure is a problem document if the client prefers it, with errors as an extension")
    func failure() throws {
        bench.upstream("/recent", .failure(.connectionRefused))
        bench.upstream("/total", .data("{}"))
        let reply = try bench.answer(
            .get, "/page", fields: [.accept: "application/problem+json", .xRequestID: "r-1"])
        #expect(reply.status == 502)
        #expect(reply.fields[.contentType] == "application/problem+json")
        #expect(reply.fields[.cacheControl] == "no-store")
        #expect(reply.fields[.xRequestID] == "r-1")
        #expect(reply.fields[.proxyStatus] == #"sluice; error=connection_refused; details="recent""#)
        #expect(
            reply.body
                == #"{"type":"urn:sluice:problem:bad-gateway","title":"An upstream sent no usable response","#
                + #""status":502,"detail":"No connection to recent","instance":"urn:sluice:request:r-1","#
                + #""errors":[{"part":"recent","kind":"networkFail","reason":"connection_refused","status":null,"#
                + #""message":"the connection was refused","attempts":1,"elapsedMs":0,"retryable":true}]}"#)
    }

    @Test("An error of the gateway itself is a problem document too, without the errors extension")
    func own() throws {
        let reply = try bench.answer(
            .get, "/nowhere",
            fields: [.accept: "text/html;q=0.5, application/problem+json;q=0.9, application/json;q=0.8"])
        #expect(reply.status == 404)
        #expect(reply["/type"] == #""urn:sluice:problem:not-found""#)
        #expect(reply["/detail"] == #""No endpoint matches this path""#)
        #expect(reply["/errors"] == nil)
    }

    @Test(
        "A client that does not prefer problems gets the envelope",
        arguments: [
            "application/json", "*/*", "application/*", "application/problem+json;q=0", "text/html",
            "application/problem+json;q=0.1, application/json",
        ])
    func envelope(_ accept: String) throws {
        let reply = try bench.answer(.get, "/nowhere", fields: [.accept: accept])
        #expect(reply.fields[.contentType] == "application/json; charset=utf-8")
        #expect(reply["/code"] == #""NOT_FOUND""#)
    }

    @Test("Successes and partial answers are always envelopes")
    func success() throws {
        bench.upstream("/recent", .data("1"))
        bench.upstream("/total", .data("2"))
        let reply = try bench.answer(.get, "/page", fields: [.accept: "application/problem+json"])
        #expect(reply["/code"] == #""OK""#)
        #expect(reply.fields[.contentType] == "application/json; charset=utf-8")
    }
}

@Suite("X-Request-Id", .noLeaks)
struct RequestIDTests {
    private let bench = Bench()

    init() {
        bench.gateway.get("/page") { [diary = bench.diary] request in
            .parts(id: request.requestID, call: diary.rx.request(.recent).fragment())
        }
    }

    @Test(
        "A valid id from the client is used in the field, the envelope, the handler and upstream calls",
        arguments: ["a", "A-Za_z.09", String(repeating: "x", count: 128)])
    func fitting(_ id: String) throws {
        bench.upstream("/recent", .data("1"))
        let reply = try bench.answer(.get, "/page", fields: [.xRequestID: id])
        #expect(reply.fields.values(of: .xRequestID) == [id])
        #expect(reply["/meta/requestId"] == "\"\(id)\"")
        #expect(reply["/data/id"] == "\"\(id)\"")
        #expect(bench.transport.attempts.first?.call.contextFields[.xRequestID] == id)
        #expect(reply.summary.requestID == id)
    }

    @Test(
        "An invalid id is replaced by a fresh one",
        arguments: ["", "a b", "a\"b", "é", "a/b", String(repeating: "x", count: 129)])
    func unfit(_ id: String) throws {
        let reply = try bench.answer(.get, "/nowhere", fields: [.xRequestID: id])
        let fresh = try #require(reply.fields[.xRequestID])
        #expect(fresh != id)
        #expect(fresh.wholeMatch(of: /[0-9a-z]{15}/) != nil)
        #expect(reply["/meta/requestId"] == "\"\(fresh)\"")
    }

    @Test("Fresh ids are distinct")
    func distinct() throws {
        var ids: Set<String> = []
        let responder = try bench.gateway.responder()
        for _ in 0..<10_000 { ids.insert(responder.render(.notFound()).summary.requestID) }
        #expect(ids.count == 10_000)
    }
}

@Suite("Errors of the gateway", .noLeaks)
struct OwnAnswerTests {
    /// Code, status and fields of each error.
    static let table: [(GatewayError, String, Int, HTTPFields)] = [
        (.invalidRequest("m"), "INVALID_REQUEST", 400, [:]),
        (.unauthorized("m"), "UNAUTHORIZED", 401, [.wwwAuthenticate: "Bearer"]),
        (.forbidden("m"), "FORBIDDEN", 403, [:]),
        (.notFound("m"), "NOT_FOUND", 404, [:]),
        (.methodNotAllowed(.put, allowed: [.get, .head]), "METHOD_NOT_ALLOWED", 405, [.allow: "GET, HEAD"]),
        (.notAcceptable("m"), "NOT_ACCEPTABLE", 406, [:]),
        (.requestTimeout("m"), "REQUEST_TIMEOUT", 408, [:]),
        (.conflict("m"), "CONFLICT", 409, [:]),
        (.payloadTooLarge(limit: 5), "PAYLOAD_TOO_LARGE", 413, [:]),
        (.uriTooLong("m"), "URI_TOO_LONG", 414, [:]),
        (.unsupportedMediaType("m"), "UNSUPPORTED_MEDIA_TYPE", 415, [:]),
        (.expectationFailed("m"), "EXPECTATION_FAILED", 417, [:]),
        (.unprocessable("m"), "UNPROCESSABLE", 422, [:]),
        (.tooManyRequests("m", retryAfter: 9), "TOO_MANY_REQUESTS", 429, [.retryAfter: "9"]),
        (.headersTooLarge("m"), "HEADERS_TOO_LARGE", 431, [:]),
        (.notImplemented("m"), "NOT_IMPLEMENTED", 501, [:]),
        (.badGateway("m"), "BAD_GATEWAY", 502, [:]),
        (.upstreamUnavailable("m"), "UPSTREAM_UNAVAILABLE", 503, [.retryAfter: "1"]),
        (.overloaded, "OVERLOADED", 503, [:]),
        (.draining, "DRAINING", 503, [.retryAfter: "1"]),
        (.upstreamTimeout("m"), "UPSTREAM_TIMEOUT", 504, [:]),
        (.httpVersionNotSupported("m"), "HTTP_VERSION_NOT_SUPPORTED", 505, [:]),
        (.loopDetected, "LOOP_DETECTED", 508, [:]),
    ]

    @Test(
        "Each error has its code and status in an envelope that is never cached",
        arguments: table.indices)
    func codes(_ index: Int) throws {
        let (error, code, status, fields) = Self.table[index]
        let bench = Bench()
        bench.gateway.get("/thrown") { _ in throw error }
        for reply in [
            try bench.answer(.get, "/thrown", fields: [.xRequestID: "r"]),
            Reply(try bench.gateway.responder().render(error, fields: [.xRequestID: "r"])),
        ] {
            #expect(reply.status == status)
            #expect(
                reply.body
                    == #"{"code":"\#(code)","message":"\#(error.message)","status":\#(status),"data":null,"#
                    + #""meta":{"requestId":"r","complete":false,"elapsedMs":0.0}}"#)
            #expect(reply.fields[.contentType] == "application/json; charset=utf-8")
            #expect(reply.fields[.cacheControl] == "no-store")
            #expect(reply.fields[.xRequestID] == "r")
            for (name, value) in fields { #expect(reply.fields[try #require(HTTPFieldName(name))] == value) }
            #expect(reply.summary.code == code)
            #expect(reply.summary.status == status)
        }
    }

    @Test("Clients of an overloaded gateway come back after one to three seconds, not all together")
    func overloaded() {
        let delays = Set((0..<100).map { _ in GatewayError.overloaded.fields[.retryAfter] })
        #expect(delays == ["1", "2", "3"])
    }

    @Test(
        "A parser's error gets the code of its status",
        arguments: [
            (400, "INVALID_REQUEST"), (405, "METHOD_NOT_ALLOWED"), (408, "REQUEST_TIMEOUT"),
            (413, "PAYLOAD_TOO_LARGE"), (414, "URI_TOO_LONG"), (417, "EXPECTATION_FAILED"),
            (431, "HEADERS_TOO_LARGE"), (501, "NOT_IMPLEMENTED"), (505, "HTTP_VERSION_NOT_SUPPORTED"),
        ])
    func parser(_ status: Int, _ code: String) throws {
        let responder = try Bench().gateway.responder()
        let reply = Reply(responder.render(GatewayError(status: status, message: "a bare line feed")))
        #expect(reply.status == status)
        #expect(reply["/code"] == "\"\(code)\"")
        #expect(reply["/message"] == #""a bare line feed""#)
        #expect(reply.fields[.xRequestID]?.count == 15)
        #expect(reply.summary.route == nil)
    }

    @Test("An unexpected error becomes 500 INTERNAL without details, and is reported as an incident")
    func unexpected() throws {
        struct Secret: Error {}
        let bench = Bench()
        bench.gateway.get("/bad/{id}") { _ in throw Secret() }
        let reply = try bench.answer(.get, "/bad/7", fields: [.xRequestID: "r"])
        #expect(reply.status == 500)
        #expect(reply["/code"] == #""INTERNAL""#)
        #expect(!reply.body.contains("Secret"))
        let incident = try #require(bench.incidents.first)
        #expect(bench.incidents.count == 1)
        #expect(incident.error is Secret)
        #expect(incident.requestID == "r")
        #expect(incident.route == "/bad/{id}")
        #expect(incident.part == nil)
    }

    @Test(
        "An invalid base URL computed by a target is reported as an incident and hidden from the client"
    )
    func invalidBaseURL() throws {
        let bench = Bench()
        let computed = bench.gateway.provider(ComputedAPI.self, upstream: "computed")
        let target = ComputedAPI(baseURL: "http://hidden host:1")
        bench.gateway.get("/required") { _ in .parts(a: computed.rx.request(target).fragment()) }
        bench.gateway.get("/optional") { _ in
            .parts(a: computed.rx.request(target).fragment().optional())
        }
        bench.gateway.get("/own") { _ in computed.rx.request(target).fragment().map { .fragment($0) } }
        let replies = try ["/required", "/own", "/optional"].map { try bench.answer(.get, $0) }
        #expect(replies.map(\.status) == [500, 500, 200])
        #expect(replies.map { $0["/code"] } == [#""INTERNAL""#, #""INTERNAL""#, #""PARTIAL""#])
        for reply in replies {
            let everything = reply.body + reply.fields.map { "\($0.name): \($0.value)" }.joined()
            #expect(!everything.contains("hidden") && !everything.contains("computed"))
        }
        let incident =
            "the address of upstream computed, 'http://hidden host:1', is invalid: "
            + "a URL has no blank, control character or character beyond ASCII"
        #expect(bench.incidents.map { "\($0.error)" } == [incident, incident, incident])
        #expect(bench.incidents.map(\.part) == ["a", nil, "a"])
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test(
        "An unexpected error in a required part gives 500, in an optional part null; both are incidents")
    func unexpectedPart() throws {
        struct Secret: Error {}
        let bench = Bench()
        bench.gateway.get("/required") { _ in .parts(a: Single<Int>.error(Secret()), b: 1) }
        bench.gateway.get("/optional") { _ in .parts(a: Single<Int>.error(Secret()).optional(), b: 1) }
        let required = try bench.answer(.get, "/required")
        #expect(required.status == 500)
        #expect(required["/code"] == #""INTERNAL""#)
        #expect(required["/errors/0/reason"] == #""proxy_internal_error""#)
        #expect(required.fields[.proxyStatus] == #"sluice; error=proxy_internal_error; details="a""#)
        #expect(!required.body.contains("Secret"))
        let optional = try bench.answer(.get, "/optional")
        #expect(optional.status == 200)
        #expect(optional["/data"] == #"{"a":null,"b":1}"#)
        #expect(bench.incidents.map(\.part) == ["a", "a"])
    }
}
