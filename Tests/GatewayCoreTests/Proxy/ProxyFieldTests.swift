import GatewayCore
import HTTPModel
import Networking
import Rx
import RxTesting
import Testing

@Suite("Fields through a proxy", .noLeaks)
struct ProxyFieldTests {
    private let bench = Bench()

    private static let passedRequest: [HTTPFieldName] = [
        "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Pragma", "Content-Type",
        "Content-Encoding",
        "Content-Language", "Content-Disposition", "Content-Range", "Content-Digest", "Repr-Digest", "Range",
        "If-Match",
        "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
    ]
    private static let heldRequest: [HTTPFieldName] = [
        "Authorization", "Cookie", "Origin", "Referer", "User-Agent", "X-Forwarded-For", "Forwarded",
        "X-API-Key", "Proxy-Authorization",
        "Keep-Alive", "TE", "Upgrade", "Trailer", "HTTP2-Settings", "X-Request-Context",
    ]
    private static let passedResponse: [HTTPFieldName] = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Disposition", "Content-Range",
        "Content-Digest",
        "Repr-Digest", "Accept-Ranges", "Cache-Control", "Expires", "Age", "ETag", "Last-Modified", "Vary",
        "Allow", "Link",
        "Content-Location", "Retry-After", "WWW-Authenticate",
    ]
    private static let heldResponse: [HTTPFieldName] = [
        "Set-Cookie", "Server", "X-Powered-By", "Access-Control-Allow-Origin", "Strict-Transport-Security",
        "Alt-Svc", "Keep-Alive",
        "Proxy-Authenticate", "Trailer", "Upgrade", "Refresh", "X-Accel-Redirect", "Via",
    ]

    private static func fields(_ names: [HTTPFieldName]) -> HTTPFields {
        var fields = HTTPFields()
        for name in names { fields.append(name, "value of \(name)") }
        return fields
    }

    @Test("Of a request pass the fields about content, caching, conditions and ranges, and no credentials")
    func request() throws {
        bench.gateway.proxy("/images/{path...}", to: bench.images())
        bench.upstreamAnswers()
        _ = try bench.answer(.get, "/images/a", fields: Self.fields(Self.passedRequest + Self.heldRequest))
        let sent = bench.fieldsSent
        for name in Self.passedRequest { #expect(sent[name] == "value of \(name)") }
        for name in Self.heldRequest { #expect(!sent.contains(name), "\(name)") }
    }

    @Test("Of a response pass the fields about content and caching, and no cookies")
    func response() async throws {
        bench.gateway.proxy("/images/{path...}", to: bench.images())
        bench.upstreamAnswers(200, Self.fields(Self.passedResponse + Self.heldResponse), body: "body")
        let reply = try bench.answer(.get, "/images/a")
        for name in Self.passedResponse { #expect(reply.fields[name] == "value of \(name)") }
        for name in Self.heldResponse { #expect(!reply.fields.contains(name), "\(name)") }
        #expect(try await reply.wholeBody() == "body")
    }

    @Test("A field with several lines keeps them and their order, and the case of its name")
    func lines() throws {
        bench.gateway.proxy("/images/{path...}", to: bench.images())
        var fields = HTTPFields()
        fields.append("LINK", "<a>")
        fields.append("Vary", "a")
        fields.append("link", "<b>")
        bench.upstreamAnswers(200, fields)
        let reply = try bench.answer(.get, "/images/a")
        #expect(reply.fields.values(of: .link) == ["<a>", "<b>"])
    }

    @Test("Without Accept-Encoding the upstream may use none")
    func coding() throws {
        bench.gateway.proxy("/images/{path...}", to: bench.images())
        bench.upstreamAnswers()
        _ = try bench.answer(.get, "/images/a")
        #expect(bench.fieldsSent.values(of: .acceptEncoding) == ["identity"])
        _ = try bench.answer(.get, "/images/a", fields: [.acceptEncoding: "br"])
        #expect(bench.fieldsSent.values(of: .acceptEncoding) == ["br"])
        #expect(!bench.fieldsSent.contains(.accept))
    }

    @Test("A constant field is sent once, in place of the gateway's, and Via has the entries of both")
    func constants() throws {
        let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let constant: HTTPFields = [
            .xRequestID: "fixed", .traceParent: traceparent, .acceptEncoding: "gzip", .via: "1.1 edge",
            .acceptLanguage: "ko",
        ]
        bench.gateway.proxy(
            "/images/{path...}", to: bench.images(), fields: .standard.with(constant: constant))
        bench.upstreamAnswers()
        _ = try bench.answer(
            .get, "/images/a",
            fields: [.acceptLanguage: "en", .acceptEncoding: "br", .via: "1.0 fred", .xRequestID: "client"])
        for (name, value) in [
            (.xRequestID, "fixed"), (.traceParent, traceparent), (.acceptEncoding, "gzip"),
            (.acceptLanguage, "ko"), (.via, "1.1 edge, 1.0 fred, 1.1 sluice"),
        ] as [(HTTPFieldName, String)] {
            #expect(bench.fieldsSent.values(of: name) == [value], "\(name)")
        }
    }

    @Test("A constant field that only the transport sets is a fault of the declaration")
    func constantFault() {
        for name in [HTTPFieldName.expect, .host, .contentLength, .connection] {
            let fields = ProxyFields.standard.with(constant: [name: "a"])
            #expect(fields.fault == "sends \(name), which each hop sets itself")
        }
        #expect(ProxyFields.standard.with(constant: [.via: "1.1 edge"]).fault == nil)
    }

    @Test("Named fields pass: credentials to the upstream, cookies to the client")
    func named() throws {
        bench.gateway.proxy(
            "/images/{path...}", to: bench.images(),
            fields: .standard.adding(request: .authorization, .cookie, response: .setCookie).removing(
                request: .range, response: .eTag))
        var fields: HTTPFields = [.eTag: "\"a\""]
        fields.append(.setCookie, "a=b")
        fields.append(.setCookie, "c=d")
        bench.upstreamAnswers(200, fields)
        let reply = try bench.answer(
            .get, "/images/a", fields: [.authorization: "Basic a", .cookie: "e=f", .range: "bytes=0-1"])
        #expect(bench.fieldsSent.values(of: .authorization) == ["Basic a"])
        #expect(bench.fieldsSent.values(of: .cookie) == ["e=f"])
        #expect(!bench.fieldsSent.contains(.range))
        #expect(reply.fields.values(of: .setCookie) == ["a=b", "c=d"])
        #expect(!reply.fields.contains(.eTag))
    }

    @Test("No field passes if none is listed")
    func none() throws {
        bench.gateway.proxy("/images/{path...}", to: bench.images(), fields: .none)
        bench.upstreamAnswers(302, Self.fields(Self.passedResponse + [.location]))
        let reply = try bench.answer(.get, "/images/a", fields: Self.fields(Self.passedRequest))
        #expect(Set(reply.fields.names) == ["x-content-type-options", "x-request-id"])
        #expect(
            Set(bench.fieldsSent.names).isSubset(of: [
                "accept-encoding", "via", "x-request-id", "traceparent", "host",
            ]),
            "\(bench.fieldsSent)")
    }

    @Test("A field that Connection names does not pass, in either direction")
    func connection() throws {
        bench.gateway.proxy("/images/{path...}", to: bench.images())
        bench.upstreamAnswers(
            302,
            [
                .connection: "close, eTag ,Location", .eTag: "\"a\"", .location: "/b",
                .cacheControl: "no-store",
            ])
        let reply = try bench.answer(
            .get, "/images/a",
            fields: [
                .connection: "Range,accept-encoding", .range: "bytes=0-1", .acceptEncoding: "gzip",
                .ifMatch: "\"a\"",
            ])
        #expect(!bench.fieldsSent.contains(.range))
        #expect(bench.fieldsSent.values(of: .acceptEncoding) == ["identity"])
        #expect(bench.fieldsSent[.ifMatch] == "\"a\"")
        #expect(!bench.fieldsSent.contains(.connection))
        #expect(!reply.fields.contains(.eTag))
        #expect(!reply.fields.contains(.location))
        #expect(!reply.fields.contains(.connection))
        #expect(reply.fields[.cacheControl] == "no-store")
    }

    @Test("A response may name no field of the gateway's own")
    func ownFields() throws {
        bench.gateway.proxy("/images/{path...}", to: bench.images())
        bench.upstreamAnswers(
            200,
            [
                .connection: "X-Request-Id, X-Content-Type-Options", .xRequestID: "theirs",
                .xContentTypeOptions: "sniff",
            ])
        let reply = try bench.answer(.get, "/images/a", fields: [.xRequestID: "mine0123456789"])
        #expect(reply.fields.values(of: .xRequestID) == ["mine0123456789"])
        #expect(reply.fields.values(of: .xContentTypeOptions) == ["nosniff"])
    }
}
