/// One row for each fault of a client. `listed` has the faults of the design, `further` has others.
/// StandingFaultTests has faults by many clients or over many requests; GatewayHTTPTests/LeavingClientTests
/// has clients that leave during upstream calls.
extension ClientFault {
    private static let get = "GET /page HTTP/1.1\r\nHost: test\r\n\r\n"
    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /echo HTTP/1.1\r\nHost: test\r\n\(fields)\r\n\r\n\(body)"
    }

    static let listed: [ClientFault] = [
        .init("a head that does not end", .send("GET /pa"), .refusal(408, "REQUEST_TIMEOUT"), .end),
        .init(
            "a head that trickles", .trickle("GET /page HTTP/1.1\r\nA: bbbbbbbb", pauseMilliseconds: 5),
            .refusal(408, "REQUEST_TIMEOUT"), .end),
        .init(
            "a body that does not end", .send(post("Content-Length: 9", "abc")),
            .refusal(408, "REQUEST_TIMEOUT"), .end),
        .init(
            "a body that trickles", .send(post("Content-Length: 900")),
            .trickle("abc", pauseMilliseconds: 5), .refusal(408, "REQUEST_TIMEOUT"), .end),
        .init(
            "an answer that is not read", .send("GET /large HTTP/1.1\r\nHost: test\r\n\r\n"), .cut,
            receiveBuffer: 4096),
        .init(
            "1000 pipelined requests, the second malformed",
            .send(get + "GET  /page HTTP/1.1\r\nHost: test\r\n\r\n" + String(repeating: get, count: 998)),
            .page,
            .refusal(400, "INVALID_REQUEST"), .end),
    ]

    static let further: [ClientFault] = [
        .init("a connection that says nothing", .end),
        .init("FIN within the head", .send("GET /page HTT"), .finish, .end),
        .init("RST within the head", .send("GET /page HTT"), .reset),
        .init("RST within the body", .send(post("Content-Length: 9", "abc")), .reset),
        .init(
            "100-continue, and then no body",
            .send(post("Content-Length: 9\r\nExpect: 100-continue")), .interim(100),
            .refusal(408, "REQUEST_TIMEOUT"), .end),
        refused(
            "a length and chunks at once",
            post("Content-Length: 4\r\nTransfer-Encoding: chunked", "0\r\n\r\n" + get), 400, "INVALID_REQUEST"
        ),
        refused(
            "two lengths", post("Content-Length: 1\r\nContent-Length: 2", "ab" + get), 400, "INVALID_REQUEST"),
        refused("a length with a sign", post("Content-Length: +2", "ab"), 400, "INVALID_REQUEST"),
        refused(
            "two transfer codings", post("Transfer-Encoding: gzip, chunked", "0\r\n\r\n"), 400,
            "INVALID_REQUEST"),
        refused(
            "a chunk that is longer than it says",
            post("Transfer-Encoding: chunked", "2\r\nabc\r\n0\r\n\r\n" + get), 400, "INVALID_REQUEST"),
        refused(
            "chunks beyond the limit",
            post(
                "Transfer-Encoding: chunked",
                "3e9\r\n" + String(repeating: "a", count: 1001) + "\r\n0\r\n\r\n"), 413,
            "PAYLOAD_TOO_LARGE"),
        refused("a body beyond the limit", post("Content-Length: 1001"), 413, "PAYLOAD_TOO_LARGE"),
        refused(
            "two hosts", "GET /page HTTP/1.1\r\nHost: test\r\nHost: test\r\n\r\n", 400, "INVALID_REQUEST"),
        refused("lines that end in LF alone", "GET /page HTTP/1.1\nHost: test\n\n", 400, "INVALID_REQUEST"),
        refused(
            "a folded field", "GET /page HTTP/1.1\r\nHost: test\r\nA: b\r\n c\r\n\r\n", 400, "INVALID_REQUEST"
        ),
        refused(
            "NUL in a field", "GET /page HTTP/1.1\r\nHost: test\r\nA: b\0c\r\n\r\n", 400, "INVALID_REQUEST"),
        refused(
            "a field without a name", "GET /page HTTP/1.1\r\nHost: test\r\n: b\r\n\r\n", 400,
            "INVALID_REQUEST"),
        refused(
            "too many fields",
            "GET /page HTTP/1.1\r\nHost: test\r\n" + String(repeating: "A: b\r\n", count: 101) + "\r\n", 431,
            "HEADERS_TOO_LARGE"),
        refused(
            "a field line without end",
            "GET /page HTTP/1.1\r\nHost: test\r\nA: " + String(repeating: "a", count: 30_000), 431,
            "HEADERS_TOO_LARGE"),
        refused("HTTP/0.9", "GET /page\r\n\r\n", 400, "INVALID_REQUEST"),
        refused("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "HTTP_VERSION_NOT_SUPPORTED"),
        .init(
            "a TLS hello", .sendBytes([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0, 0x0d, 0x0a]),
            .refusal(400, "INVALID_REQUEST"), .end),
        .init(
            "a path that climbs out", .send("GET /page/%2e%2e/echo HTTP/1.1\r\nHost: test\r\n\r\n"),
            .refusal(400, "INVALID_REQUEST"), isReused: true),
        .init(
            "NUL in the path", .send("GET /page%00 HTTP/1.1\r\nHost: test\r\n\r\n"),
            .refusal(400, "INVALID_REQUEST"), isReused: true),
        .init(
            "a path that nobody declared", .send("GET /pages HTTP/1.1\r\nHost: test\r\n\r\n"),
            .refusal(404, "NOT_FOUND"), isReused: true),
    ]
}
