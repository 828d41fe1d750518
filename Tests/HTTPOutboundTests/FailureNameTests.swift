import Glibc
import HTTPModel
import Testing

@testable import EventIO
@testable import HTTPOutbound

@Suite("Failure reasons")
struct FailureNameTests {
    @Test(
        "Each failure to connect has a reason from RFC 9209",
        arguments: [
            (SocketError(.connect, ECONNREFUSED), "connection_refused"),
            (SocketError(.connect, ENOENT), "connection_refused"),
            (SocketError(.connect, EAGAIN), "connection_refused"),
            (SocketError(.connect, ETIMEDOUT), "connection_timeout"),
            (SocketError(.connectTimedOut, .connect), "connection_timeout"),
            (SocketError(.connect, EHOSTUNREACH), "destination_unavailable"),
            (SocketError(.connect, ENETUNREACH), "destination_unavailable"),
            (SocketError(.connect, EACCES), "destination_unavailable"),
            (SocketError(.connect, EADDRNOTAVAIL), "connection_limit_reached"),
            (SocketError(.socket, EMFILE), "connection_limit_reached"),
            (SocketError(.socket, ENFILE), "connection_limit_reached"),
            (SocketError(.option, EINVAL), "proxy_internal_error"),
            (SocketError(.nameNotFound, .resolve), "dns_error"),
            (SocketError(.nameUnusable, .resolve), "dns_error"),
            (SocketError(.nameFailed, .resolve), "dns_error"),
            (SocketError(.nameTimedOut, .resolve), "dns_timeout"),
            (SocketError(.loopEnded, .connect), "destination_unavailable"),
            (SocketError(.connectTimedOut, .handshake), "connection_timeout"),
            (SocketError(.read, ECONNRESET), "connection_terminated"),
            (SocketError(.write, EPIPE), "connection_terminated"),
            (SocketError(TLSError(.protocolError, ""), .handshake), "tls_protocol_error"),
            (SocketError(TLSError(.certificateError, ""), .handshake), "tls_certificate_error"),
            (SocketError(TLSError(.alertReceived, ""), .handshake), "tls_alert_received"),
            (SocketError(TLSError(.truncated, ""), .handshake), "connection_terminated"),
            (SocketError(TLSError(.configuration, ""), .handshake), "proxy_internal_error"),
        ])
    func connecting(error: SocketError, token: String) {
        #expect(FailureReason(connecting: error).token == token)
    }

    @Test(
        "The reason for a broken connection is the TLS error, or depends on whether the response had begun",
        arguments: [
            (SocketError(.read, ECONNRESET), "connection_terminated", "http_response_incomplete"),
            (
                SocketError(TLSError(.truncated, ""), .read), "connection_terminated",
                "http_response_incomplete"
            ),
            (SocketError(TLSError(.alertReceived, ""), .read), "tls_alert_received", "tls_alert_received"),
            (SocketError(TLSError(.protocolError, ""), .read), "tls_protocol_error", "tls_protocol_error"),
        ])
    func serving(error: SocketError, before: String, within: String) {
        #expect(FailureReason(serving: error, isWithinResponse: false).token == before)
        #expect(FailureReason(serving: error, isWithinResponse: true).token == within)
    }

    @Test("The limits have the documented defaults")
    func defaults() {
        let limits = OutboundLimits()
        #expect(limits.connectionsPerUpstream == 64)
        #expect(limits.relayShare == 0.5)
        #expect(limits.waitingCalls == 4096)
        #expect(limits.waitTimeout == .seconds(1))
        #expect(limits.connectTimeout == .seconds(1))
        #expect(limits.firstByteTimeout == .seconds(5))
        #expect(limits.readTimeout == .seconds(5))
        #expect(limits.writeTimeout == .seconds(5))
        #expect(limits.totalTimeout == .seconds(10))
        #expect(limits.idleTimeout == .seconds(30))
        #expect(limits.connectionAge == .seconds(600))
        #expect(limits.requestsPerConnection == 1000)
        #expect(limits.responseBody == 8 * 1024 * 1024)
        #expect(limits.responseHead == 32 * 1024)
        #expect(limits.responseFields == 100)
        #expect(limits.informationalResponses == 10)
    }
}
