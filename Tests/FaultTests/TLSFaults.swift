import EventIO
import Networking
import TestSupport

/// Faults of TLS itself. The faults of `listed` and `further` also run over TLS.
extension UpstreamFault {
    private static let certificate = "tls_certificate_error"
    private static let protocolError = "tls_protocol_error"
    private static let alert = "tls_alert_received"
    private static let ok = "HTTP/1.1 200 OK\r\n"

    /// Returns the fault of an upstream with this certificate.
    private static func shown(_ name: String, _ identity: TestIdentity) -> UpstreamFault {
        var options = TLSServer.Options()
        options.identity = identity
        return secured(name, options, certificate)
    }

    private static func secured(
        _ name: String, _ options: TLSServer.Options, _ reasons: String...
    ) -> UpstreamFault {
        UpstreamFault(
            name: name, script: [.secureBy(TLSServer(options)), .readRequest, .send(response())],
            outcome: .failure(.networkFail, reasons, 502)
        ).bare()
    }

    static let ofTLS: [UpstreamFault] = [
        shown("a certificate that has expired", TestAuthority.shared.issue(days: -20 ... -10)),
        shown("a certificate that is not valid yet", TestAuthority.shared.issue(days: 10...20)),
        shown("a certificate for another name", TestAuthority.shared.issue("DNS:other.example")),
        shown("a certificate with a name only in its subject", TestAuthority.shared.issue(nil)),
        shown("a self-signed certificate", TestAuthority.shared.issue(isSelfSigned: true)),
        shown("a certificate of an untrusted authority", TestAuthority.other.issue()),
        secured("a key other than the pinned one", TLSServer.Options(), certificate)
            .bare { $0.pins = [UpstreamScheme.server.options.identity.pin] },
        secured("a client certificate demanded, TLS 1.3", demanding(only12: false), alert),
        secured("a client certificate demanded, TLS 1.2", demanding(only12: true), alert),
        secured("nothing but TLS 1.2 where 1.3 is the least", only12, alert, protocolError)
            .bare { $0.minimumVersion = .tls13 },
        network("silence instead of a handshake", [.awaitEnd], "connection_timeout", status: 504, attempts: 3)
            .bare().within(180...5000) { $0.attemptLimits.connect = .milliseconds(60) },
        network(
            "a handshake that stops after its first record",
            [.sendBytes([0x16, 3, 3, 0, 122, 2, 0, 0, 118]), .awaitEnd], "connection_timeout", status: 504,
            attempts: 3
        ).bare().within(180...5000) { $0.attemptLimits.connect = .milliseconds(60) },
        network(
            "garbage instead of TLS", [.sendBytes(Array(repeating: 0xff, count: 64)), .awaitEnd],
            protocolError
        )
        .bare(),
        network("HTTP instead of TLS", [.send(ok + "\r\n"), .awaitEnd], protocolError).bare(),
        network(
            "records without end instead of a handshake", [.sendForever("\u{14}\u{3}\u{3}\0\u{1}\u{1}")],
            protocolError, alert
        ).bare(),
        network(
            "an alert instead of a handshake", [.sendBytes([0x15, 3, 3, 0, 2, 2, 40]), .awaitEnd], alert
        ).bare(),
        network("FIN instead of a handshake", [.close], "connection_terminated", attempts: 3).bare(),
        network("RST instead of a handshake", [.read(1), .reset], "connection_terminated", attempts: 3)
            .bare(),
        network(
            "FIN within a body that the close ends, without close_notify",
            [.readRequest, .send(ok + "\r\n" + late), .cut], "http_response_incomplete", attempts: 3),
        network(
            "FIN within a head, without close_notify",
            [.readRequest, .send(ok), .cut], "http_response_incomplete", attempts: 3),
        network(
            "FIN within chunks, without close_notify",
            [.readRequest, .send(ok + "Transfer-Encoding: chunked\r\n\r\na\r\n" + late + "\r\n"), .cut],
            "http_response_incomplete", attempts: 3),
        network(
            "a record within the body that somebody else wrote",
            [
                .readRequest, .send(ok + "Content-Length: 10\r\n\r\n{"),
                .plain([0x17, 3, 3, 0, 24] + Array(repeating: 7, count: 24)), .awaitEnd,
            ],
            protocolError),
        network(
            "an alert within the body",
            [
                .readRequest, .send(ok + "Content-Length: 10\r\n\r\n{"),
                .plain([0x15, 3, 3, 0, 2, 2, 80]), .awaitEnd,
            ],
            protocolError, alert),
        network(
            "plain text within the body",
            [.readRequest, .send(ok + "Content-Length: 10\r\n\r\n{"), .plain(Array(late.utf8)), .awaitEnd],
            protocolError),
        served("FIN behind a whole answer, without close_notify", [.readRequest, .send(response()), .cut]),
        served(
            "another handshake asked for within TLS 1.2",
            [
                .secureBy(TLSServer(only12)), .readRequest, .send(ok), .renegotiate,
                .send("Content-Length: 10\r\n\r\n" + late),
                // The scripted peer gets the gateway's refusal as an error.
                .awaitEnd,
            ]
        ).bare(),
        served(
            "new keys asked for within the body",
            [
                .readRequest, .send(ok + "Content-Length: 10\r\n\r\n{"), .updateKeys(1),
                .send(String(late.dropFirst())),
            ], isReused: true),
    ]

    private static func demanding(only12: Bool) -> TLSServer.Options {
        var options = TLSServer.Options()
        options.isOnly12 = only12
        options.clientAuthority = .shared
        return options
    }

    private static let only12: TLSServer.Options = {
        var options = TLSServer.Options()
        options.isOnly12 = true
        return options
    }()
}
