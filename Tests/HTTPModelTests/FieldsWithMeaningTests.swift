import HTTPModel
import Testing

@Suite("Fields with a meaning of their own")
struct FieldsWithMeaningTests {
    @Test(
        "Fields of HTTP, CORS, browsers and proxies have a meaning, in any case",
        arguments: [
            "Content-Type", "x-request-id", "SET-COOKIE", "Transfer-Encoding", "Trailer", "Upgrade",
            "Cache-Control", "Content-Encoding", "ETag", "Access-Control-Allow-Credentials",
            "Access-Control-Allow-Private-Network", "X-Accel-Buffering", "Origin-Agent-Cluster", "Host",
            "Content-Length", "Connection", "TE", "Proxy-Status", "Deprecation", "X-Forwarded-For",
        ])
    func taken(name: String) throws {
        #expect(FieldsWithMeaning.contains(try #require(HTTPFieldName(name))))
    }

    @Test(
        "Other names are free, even if they begin or end like one that is taken",
        arguments: [
            "X-Complete", "X-Krakend-Completed", "Complete", "X-C", "Content-Complete", "Cache-Controls",
            "X-ETag", "Access-Control", "Section",
        ])
    func free(name: String) throws {
        #expect(!FieldsWithMeaning.contains(try #require(HTTPFieldName(name))))
    }

    @Test("Each field that the gateway knows has a meaning")
    func known() {
        let known: [HTTPFieldName] = [
            .accept, .acceptRanges, .age, .allow, .authorization, .contentRange, .contentSecurityPolicy,
            .date,
            .expect, .forwarded, .ifRange, .keepAlive, .lastModified, .link, .location, .origin, .prefer,
            .preferenceApplied, .proxyAuthenticate, .proxyConnection, .range, .referer, .retryAfter, .server,
            .serverTiming, .traceParent, .traceState, .userAgent, .vary, .via, .wwwAuthenticate,
            .xContentTypeOptions, .xForwardedProto, .http2Settings,
        ]
        #expect(known.filter { !FieldsWithMeaning.contains($0) } == [])
    }
}
