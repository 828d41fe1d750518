/// Why a call failed: a short name of a bounded set, fit for a metric label. The names are those of RFC 9209
/// (Proxy-Status) 2.3 where it has one.
public struct FailureReason: Sendable, Hashable, CustomStringConvertible {
    /// As it is in logs, metrics and answers: `connection_refused`.
    public let token: String

    /// For a transport with reasons of its own. Keep the set small.
    public init(token: String) {
        self.token = token
    }

    public var description: String { token }

    /// An upstream answered, with a status that says no.
    public static let upstreamStatus = FailureReason(token: "upstream_status")
    /// The body is not what it should be: no JSON, or JSON of another shape.
    public static let decodeError = FailureReason(token: "decode_error")
    /// The answer is well-formed and lacks what was asked for.
    public static let missingData = FailureReason(token: "missing_data")
    /// A status that is no answer to this request: 3xx with redirects off, an unasked 206.
    public static let unexpectedStatus = FailureReason(token: "unexpected_status")

    /// The name does not resolve.
    public static let dnsError = FailureReason(token: "dns_error")
    /// The name was not resolved in time.
    public static let dnsTimeout = FailureReason(token: "dns_timeout")
    /// There is no way there: no route, an address that is none, a session that was closed.
    public static let destinationUnavailable = FailureReason(token: "destination_unavailable")
    /// Nobody listens there.
    public static let connectionRefused = FailureReason(token: "connection_refused")
    /// Not connected within `AttemptLimits.connect`.
    public static let connectionTimeout = FailureReason(token: "connection_timeout")
    /// The connection ended, or was reset, before a response began.
    public static let connectionTerminated = FailureReason(token: "connection_terminated")
    /// No first byte in time, or a gap within the answer.
    public static let connectionReadTimeout = FailureReason(token: "connection_read_timeout")
    /// The upstream did not take the request.
    public static let connectionWriteTimeout = FailureReason(token: "connection_write_timeout")
    /// The whole call, all attempts and the waits between them, took too long.
    public static let responseTimeout = FailureReason(token: "http_response_timeout")
    /// The connection ended in the middle of the response.
    public static let responseIncomplete = FailureReason(token: "http_response_incomplete")
    /// What came is not TLS, or a version or cipher that is not spoken.
    public static let tlsProtocolError = FailureReason(token: "tls_protocol_error")
    /// The upstream's certificate is not to be trusted: its chain, its name, its dates, its pin.
    public static let tlsCertificateError = FailureReason(token: "tls_certificate_error")
    /// The upstream ended the handshake.
    public static let tlsAlertReceived = FailureReason(token: "tls_alert_received")
    /// What came is not HTTP, or breaks its rules.
    public static let protocolError = FailureReason(token: "http_protocol_error")
    /// The response's head is beyond its limit.
    public static let responseHeadSize = FailureReason(token: "http_response_header_section_size")
    /// The response's body is beyond its limit.
    public static let responseBodySize = FailureReason(token: "http_response_body_size")
    /// The body is in a content coding that was not asked for, or is broken in it.
    public static let responseContentCoding = FailureReason(token: "http_response_content_coding")
    /// The body is in a transfer coding that is not known.
    public static let responseTransferCoding = FailureReason(token: "http_response_transfer_coding")
    /// No connection was free in time, or too many calls wait for one.
    public static let connectionLimitReached = FailureReason(token: "connection_limit_reached")
    /// The upstream has failed so often of late that it is left alone.
    public static let circuitOpen = FailureReason(token: "circuit_open")
    /// The request that the call was made for ran out of time.
    public static let deadlineExceeded = FailureReason(token: "deadline_exceeded")
    /// The request could not be built: a path value that leaves its segment, parameters that cannot be
    /// encoded. Nothing was sent. Ours to mend, so never retried.
    public static let requestError = FailureReason(token: "http_request_error")
    /// The fault is on this side.
    public static let internalError = FailureReason(token: "proxy_internal_error")

    /// Whether another attempt may go better and does no harm to an idempotent request.
    var isRetried: Bool {
        switch self {
        case .dnsTimeout, .connectionRefused, .connectionTimeout, .connectionTerminated, .responseIncomplete:
            true
        default: false
        }
    }

    /// Whether the same request may succeed later: what a client is told.
    var isTransient: Bool {
        switch self {
        case .dnsError, .dnsTimeout, .destinationUnavailable, .connectionRefused, .connectionTimeout,
            .connectionTerminated, .connectionReadTimeout, .connectionWriteTimeout, .responseTimeout,
            .responseIncomplete, .connectionLimitReached, .circuitOpen, .deadlineExceeded:
            true
        default: false
        }
    }
}
