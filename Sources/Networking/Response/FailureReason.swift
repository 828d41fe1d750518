/// Why a call failed: a short name of a bounded set, fit for a metric label. The names are those of RFC 9209
/// (Proxy-Status) 2.3 where it has one.
public struct FailureReason: Sendable, Hashable, CustomStringConvertible {
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

    public static let dnsError = FailureReason(token: "dns_error")
    public static let dnsTimeout = FailureReason(token: "dns_timeout")
    public static let destinationUnavailable = FailureReason(token: "destination_unavailable")
    public static let connectionRefused = FailureReason(token: "connection_refused")
    public static let connectionTimeout = FailureReason(token: "connection_timeout")
    public static let connectionTerminated = FailureReason(token: "connection_terminated")
    /// No first byte in time, or a gap within the answer.
    public static let connectionReadTimeout = FailureReason(token: "connection_read_timeout")
    public static let connectionWriteTimeout = FailureReason(token: "connection_write_timeout")
    /// The whole call, all attempts and the waits between them, took too long.
    public static let responseTimeout = FailureReason(token: "http_response_timeout")
    public static let responseIncomplete = FailureReason(token: "http_response_incomplete")
    public static let tlsProtocolError = FailureReason(token: "tls_protocol_error")
    public static let tlsCertificateError = FailureReason(token: "tls_certificate_error")
    public static let tlsAlertReceived = FailureReason(token: "tls_alert_received")
    public static let protocolError = FailureReason(token: "http_protocol_error")
    public static let responseHeadSize = FailureReason(token: "http_response_header_section_size")
    public static let responseBodySize = FailureReason(token: "http_response_body_size")
    public static let responseContentCoding = FailureReason(token: "http_response_content_coding")
    public static let responseTransferCoding = FailureReason(token: "http_response_transfer_coding")
    public static let connectionLimitReached = FailureReason(token: "connection_limit_reached")
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
