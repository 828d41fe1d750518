import HTTPModel
import Networking
import TestSupport

/// One row for each fault of an upstream. `listed` has the faults of the design, in its order; `further` has
/// others.
///
/// Not in these rows:
/// - a name that does not resolve, a silent resolver: no HTTP is involved (EventIOTests/DNSTests,
///   GatewayHTTPTests/NameResolutionTests);
/// - faults of TLS itself: `ofTLS`;
/// - HTTP/2 upstreams: not supported;
/// - a connection that closes as the next request is written, a slow part under load, all upstreams down:
///   they need more than one request (StandingFaultTests);
/// - SIGTERM under load: GatewayHTTPTests/DrainTests, SluiceCommandTests;
/// - a reload with a broken file: GatewayHTTPTests/SecureUpstreamTests;
/// - no file descriptors left: EventIOTests/ExhaustionTests in a separate process, `make soak` with a
///   gateway;
/// - a standard output whose reader is stuck or gone: GatewayHTTPTests/LogWriterTests, StandingFaultTests.
extension UpstreamFault {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let block = String(repeating: "a", count: 16_384)

    static let listed: [UpstreamFault] = [
        UpstreamFault(
            name: "refused", door: .closed, script: [],
            outcome: .failure(.networkFail, ["connection_refused"], 502), attempts: 2...3
        ).within(0...50),
        UpstreamFault(
            name: "connect black hole", door: .full, script: [],
            outcome: .failure(.networkFail, ["connection_timeout"], 504), attempts: 3...3
        ).within(180...5000) { $0.attemptLimits.connect = .milliseconds(60) },
        network(
            "accepted, then silence", [.readRequest, .awaitEnd], "connection_read_timeout", status: 504
        ).within(60...5000) { $0.attemptLimits.firstByte = .milliseconds(60) },
        network("RST before the head", [.readRequest, .reset], "connection_terminated", attempts: 3),
        network(
            "RST within the body",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), .reset],
            "http_response_incomplete", "connection_terminated", attempts: 3),
        network(
            "RST within a body that the close would end",
            [.readRequest, .send("HTTP/1.1 200 OK\r\n\r\n{}"), .reset],
            "http_response_incomplete", "connection_terminated", attempts: 3),
        network(
            "a short Content-Length",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"late\":1}"), .close],
            "http_response_incomplete", attempts: 3),
        network(
            "chunks without their end", [.readRequest, .send(chunked + "a\r\n{\"late\":1}\r\n"), .close],
            "http_response_incomplete", attempts: 3),
        network(
            "a head that trickles",
            [.readRequest, .trickle("HTTP/1.1 200 OK\r\nA: bbbbbbb", pauseMilliseconds: 5)],
            "http_response_timeout", status: 504
        ).within(150...5000) { $0.totalTimeout = .milliseconds(150) },
        network(
            "a body that trickles",
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
                .trickle("{\"late\":1", pauseMilliseconds: 5),
            ], "http_response_timeout", status: 504
        ).within(150...5000) { $0.totalTimeout = .milliseconds(150) },
        network(
            "garbage", [.readRequest, .sendBytes([0, 0xff, 0x0a, 0x0d, 0x0a]), .awaitEnd],
            "http_protocol_error"),
        network(
            "the banner of another protocol", [.send("SSH-2.0-OpenSSH_9.2\r\n"), .awaitEnd],
            "http_protocol_error"),
        network("HTTP/0.9", [.readRequest, .send("<html>late</html>\n"), .close], "http_protocol_error"),
        network(
            "fields beyond the limit",
            [.readRequest, .send("HTTP/1.1 200 OK\r\n"), .sendForever("A: \(block.prefix(1000))\r\n")],
            "http_response_header_section_size"),
        network(
            "a field line without end", [.readRequest, .send("HTTP/1.1 200 OK\r\nA: "), .sendForever(block)],
            "http_response_header_section_size"),
        served(
            "a Content-Length that is too small: another answer follows the body",
            [.readRequest, .send(response() + response("200 OK", #"{"stray":1}"#)), .awaitEnd]),
        served(
            "103, then 200",
            [.readRequest, .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + response())],
            isReused: true),
        network(
            "103 without end", [.readRequest, .sendForever("HTTP/1.1 103 Early Hints\r\n\r\n")],
            "http_protocol_error"),
        served(
            "204 with a body",
            [.readRequest, .send("HTTP/1.1 204 No Content\r\n\r\n{\"late\":1}"), .awaitEnd],
            "null"),
        served("HEAD with a body", [.readRequest, .send(response()), .awaitEnd], "null").by(.head),
        path("HTML", response("200 OK", "<html>late</html>", "Content-Type: text/html\r\n")),
        path("an empty body", response("200 OK", "")),
        path("null instead of an object", response("200 OK", "null")),
        path("a scalar instead of an object", response("200 OK", "42")),
        path("broken JSON", response("200 OK", #"{"late":1"#)),
        path(
            "JSON that is no UTF-8",
            bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"late\":\"".utf8) + [0xff]
                + Array("\"}".utf8)),
        path("JSON 100 000 deep", response("200 OK", String(repeating: "[", count: 100_000))),
        path(
            "a number of 1 MB", response("200 OK", "{\"late\":\(String(repeating: "1", count: 1_000_000))}")),
        network(
            "100 MiB that are announced",
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n"),
                .sendForever(block),
            ],
            "http_response_body_size"),
        network(
            "100 MiB in one chunk", [.readRequest, .send(chunked + "6400000\r\n"), .sendForever(block)],
            "http_response_body_size"),
    ]

    static let further: [UpstreamFault] = [
        network("FIN before the head", [.readRequest, .close], "connection_terminated", attempts: 3),
        network(
            "FIN within the status line", [.readRequest, .send("HTTP/1.1 20"), .close],
            "http_response_incomplete",
            attempts: 3),
        network(
            "silence within the head", [.readRequest, .send("HTTP/1.1 200 OK\r\nA: "), .awaitEnd],
            "connection_read_timeout", status: 504
        ).within(60...5000) { $0.attemptLimits.firstByte = .milliseconds(60) },
        network(
            "silence within a chunk", [.readRequest, .send(chunked + "a\r\n{"), .awaitEnd],
            "connection_read_timeout", status: 504
        ).within(60...5000) { $0.attemptLimits.firstByte = .milliseconds(60) },
        network(
            "two lengths that differ",
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
                .awaitEnd,
            ],
            "http_protocol_error"),
        served(
            "a length twice",
            [
                .readRequest,
                .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 10\r\n\r\n\(late)"),
            ], isReused: true),
        served(
            "a list of equal lengths",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10, 10\r\n\r\n\(late)")],
            isReused: true),
        network(
            "a list of lengths that differ",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10, 2\r\n\r\n\(late)"), .awaitEnd],
            "http_protocol_error"),
        network(
            "a length and chunks at once",
            [
                .readRequest,
                .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"),
                .awaitEnd,
            ],
            "http_protocol_error"),
        network(
            "an unknown transfer coding",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"), .awaitEnd],
            "http_response_transfer_coding"),
        network(
            "a chunk size of 17 digits",
            [.readRequest, .send(chunked + "00000000000000002\r\n{}\r\n0\r\n\r\n"), .awaitEnd],
            "http_protocol_error"),
        network(
            "a chunk that is longer than it says",
            [.readRequest, .send(chunked + "2\r\n{}{}0\r\n\r\n"), .awaitEnd],
            "http_protocol_error"),
        network(
            "a chunk extension without end", [.readRequest, .send(chunked + "2;a="), .sendForever(block)],
            "http_protocol_error"),
        network(
            "trailers without end",
            [
                .readRequest, .send(chunked + "2\r\n{}\r\n0\r\n"),
                .sendForever("A: \(block.prefix(1000))\r\n"),
            ],
            "http_response_header_section_size"),
        network(
            "chunks of one byte without end",
            [.readRequest, .send(chunked), .sendForever(String(repeating: "1\r\n \r\n", count: 1000))],
            "http_response_body_size"),
        network(
            "a reason phrase without end", [.readRequest, .send("HTTP/1.1 200 "), .sendForever(block)],
            "http_response_header_section_size"),
        network(
            "an unrequested 101",
            [.readRequest, .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), .awaitEnd],
            "http_protocol_error"),
        served(
            "a folded field",
            [.readRequest, .send(response("200 OK", late, "A: b\r\n c\r\n"))], isReused: true),
        served(
            "a folded length",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length:\r\n 10\r\n\r\n\(late)")],
            isReused: true),
        network(
            "a fold within a length",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 0\r\n\r\n\(late)"), .awaitEnd],
            "http_protocol_error"),
        network(
            "a blank before the first field",
            [.readRequest, .send("HTTP/1.1 200 OK\r\n A: b\r\nContent-Length: 2\r\n\r\n{}"), .awaitEnd],
            "http_protocol_error"),
        network(
            "NUL in a field",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nA: b\0c\r\nContent-Length: 2\r\n\r\n{}"), .awaitEnd],
            "http_protocol_error"),
        network(
            "a blank before a field's colon",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n{}"), .awaitEnd],
            "http_protocol_error"),
        network(
            "lines that end in LF alone",
            [.readRequest, .send("HTTP/1.1 200 OK\nContent-Length: 2\n\n{}"), .awaitEnd],
            "http_protocol_error"),
        status("status 600", .serverErr, response("600 Odd"), 502),
        status("status 999", .serverErr, response("999 Odd", "<html>127.0.0.1</html>"), 502),
        network(
            "status 099",
            [.readRequest, .send("HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\n{}"), .awaitEnd],
            "http_protocol_error"),
        network(
            "a TLS alert", [.readRequest, .sendBytes([0x15, 3, 1, 0, 2, 2, 0x0a]), .awaitEnd],
            "http_protocol_error"),
        network(
            "HTTP/2 settings", [.readRequest, .sendBytes([0, 0, 0, 4, 0, 0, 0, 0, 0]), .awaitEnd],
            "http_protocol_error"),
        network(
            "what is said to be gzip and is not",
            [.readRequest, .send(response("200 OK", late, "Content-Encoding: gzip\r\n")), .awaitEnd],
            "http_response_content_coding"),
        network(
            "a content coding that nobody knows",
            [.readRequest, .send(response("200 OK", "(late)", "Content-Encoding: own\r\n"))],
            "http_response_content_coding"
        ).reusing(),
        served(
            "JSON with the content coding \"none\"",
            [.readRequest, .send(response("200 OK", late, "Content-Encoding: none\r\n"))], isReused: true),
        status(
            "500 that is said to be gzip and is not", .serverErr,
            response("500 Internal Server Error", "<html>127.0.0.1</html>", "Content-Encoding: gzip\r\n"),
            502),
        path("an unrequested 206", response("206 Partial Content"), "unexpected_status"),
        path(
            "a redirect to elsewhere", response("302 Found", "", "Location: http://127.0.0.1:1/\r\n"),
            "unexpected_status"),
        path("an unrequested 304", "HTTP/1.1 304 Not Modified\r\n\r\n", "unexpected_status"),
        path("bytes after the JSON", response("200 OK", late + "late")),
        served(
            "JSON behind a byte order mark", [.readRequest, .send(response("200 OK", "\u{feff}" + late))],
            isReused: true),
        served(
            "half a surrogate pair", [.readRequest, .send(response("200 OK", #"{"late":"\ud800"}"#))],
            #"{"late":"\ud800"}"#, isReused: true),
        path("JSON behind two byte order marks", response("200 OK", "\u{feff}\u{feff}" + late)),
        status(
            "500 in HTML", .serverErr, response("500 Internal Server Error", "<html>127.0.0.1</html>"), 502),
        status(
            "503 three times", .serverErr, response("503 Service Unavailable", "", "Retry-After: 0\r\n"), 503,
            attempts: 3),
        status(
            "429 for an hour", .requestErr, response("429 Too Many Requests", "", "Retry-After: 3600\r\n"),
            503,
            field: ("Retry-After", "3600")),
        status(
            "404 with words of its own", .requestErr, response("404 Not Found", "no such file on 127.0.0.1"),
            404),
        served(
            "a body that the close ends", [.readRequest, .send("HTTP/1.1 200 OK\r\n\r\n" + late), .close]),
        served("FIN behind a whole answer", [.readRequest, .send(response()), .finish, .awaitEnd]),
        served(
            "an answer that says it is the last, and another behind it",
            [.readRequest, .send(response("200 OK", late, "Connection: close\r\n")), .awaitEnd]),
        served(
            "ten informational answers, then 200",
            [
                .readRequest,
                .send(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 10) + response()),
            ],
            isReused: true),
    ]
}
