/// Why a call failed: a short token of a small set, fit for a metric label.
///
/// The tokens below are the error types of RFC 9209 (Proxy-Status) 2.3, except for `concurrency_limit` and
/// `memory_limit`. Other layers add
/// more reasons that the RFC lacks.
public struct FailureReason: Sendable, Hashable, CustomStringConvertible {
    /// The name in logs, metrics and responses, e.g. `connection_refused`.
    public let token: String

    /// Creates a reason. Keep the set small.
    public init(token: String) {
        self.token = token
    }

    /// The value as text, for logs and messages.
    public var description: String { token }

    // Nearly all reasons differ in length, which is known without a look at their characters.
    /// Whether both are equal.
    @inlinable
    public static func == (left: FailureReason, right: FailureReason) -> Bool {
        left.token.utf8.count == right.token.utf8.count && left.token == right.token
    }

    /// The host name does not resolve.
    public static let dnsError = FailureReason(token: "dns_error")
    /// The host name was not resolved in time.
    public static let dnsTimeout = FailureReason(token: "dns_timeout")
    /// The upstream cannot be reached: no route, an invalid address, or a closed session.
    public static let destinationUnavailable = FailureReason(token: "destination_unavailable")
    /// `connection_refused`: nothing listens at the address.
    public static let connectionRefused = FailureReason(token: "connection_refused")
    /// No connection within `AttemptLimits.connect`.
    public static let connectionTimeout = FailureReason(token: "connection_timeout")
    /// The connection closed or was reset before a response began.
    public static let connectionTerminated = FailureReason(token: "connection_terminated")
    /// The first or the next byte of the response did not arrive in time.
    public static let connectionReadTimeout = FailureReason(token: "connection_read_timeout")
    /// The upstream did not accept the request's bytes in time.
    public static let connectionWriteTimeout = FailureReason(token: "connection_write_timeout")
    /// No connection became free in time, or no file descriptor is left.
    public static let connectionLimitReached = FailureReason(token: "connection_limit_reached")
    /// Nothing was sent, because the upstream has as many calls in flight, or waiting, as it may have.
    public static let concurrencyLimit = FailureReason(token: "concurrency_limit")
    /// The body of the response has no room in the memory for upstreams' bodies.
    public static let memoryLimit = FailureReason(token: "memory_limit")
    /// The whole call, including retries and the waits between them, took too long.
    public static let responseTimeout = FailureReason(token: "http_response_timeout")
    /// The connection ended in the middle of the response.
    public static let responseIncomplete = FailureReason(token: "http_response_incomplete")
    /// The response is not HTTP or violates its rules.
    public static let protocolError = FailureReason(token: "http_protocol_error")
    /// The head of the response exceeds its limit.
    public static let responseHeadSize = FailureReason(token: "http_response_header_section_size")
    /// The body of the response exceeds its limit.
    public static let responseBodySize = FailureReason(token: "http_response_body_size")
    /// The body is in an unsupported content coding, or is corrupt.
    public static let responseContentCoding = FailureReason(token: "http_response_content_coding")
    /// The body is in an unknown transfer coding.
    public static let responseTransferCoding = FailureReason(token: "http_response_transfer_coding")
    /// The peer does not speak TLS, or no common version or cipher exists.
    public static let tlsProtocolError = FailureReason(token: "tls_protocol_error")
    /// The upstream's certificate is not trusted because of its chain, name, dates or pin.
    public static let tlsCertificateError = FailureReason(token: "tls_certificate_error")
    /// The upstream aborted the handshake with an alert.
    public static let tlsAlertReceived = FailureReason(token: "tls_alert_received")
    /// The request could not be built, e.g. for an invalid path value. Nothing was sent, and the call is
    /// never retried.
    public static let requestError = FailureReason(token: "http_request_error")
    /// An error on this side.
    public static let internalError = FailureReason(token: "proxy_internal_error")
}
