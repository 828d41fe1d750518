/// Why a call failed: a short token of a small set, fit for a metric label.
///
/// The tokens below are the error types of RFC 9209 (Proxy-Status) 2.3. The set is open: other layers add reasons that the
/// RFC has no error type for.
public struct FailureReason: Sendable, Hashable, CustomStringConvertible {
    /// The name in logs, metrics and answers, e.g. `connection_refused`.
    public let token: String

    /// Creates a reason of your own. Keep the set small.
    public init(token: String) {
        self.token = token
    }

    public var description: String { token }

    /// The name does not resolve.
    public static let dnsError = FailureReason(token: "dns_error")
    /// The name did not resolve in time.
    public static let dnsTimeout = FailureReason(token: "dns_timeout")
    /// The upstream cannot be reached: no route, an invalid address, a proxy that refuses, or a client that is closed.
    public static let destinationUnavailable = FailureReason(token: "destination_unavailable")
    /// Nothing listens at the address.
    public static let connectionRefused = FailureReason(token: "connection_refused")
    /// No connection within the connect limit.
    public static let connectionTimeout = FailureReason(token: "connection_timeout")
    /// The connection ended before the first byte of a response.
    public static let connectionTerminated = FailureReason(token: "connection_terminated")
    /// No first byte in time, or too long a gap within the response.
    public static let connectionReadTimeout = FailureReason(token: "connection_read_timeout")
    /// The upstream did not read the request in time.
    public static let connectionWriteTimeout = FailureReason(token: "connection_write_timeout")
    /// No connection became free in time, too many calls wait already, or the process has no descriptors left.
    public static let connectionLimitReached = FailureReason(token: "connection_limit_reached")
    /// The response was not complete within the call's total time.
    public static let responseTimeout = FailureReason(token: "http_response_timeout")
    /// The connection ended in the middle of the response.
    public static let responseIncomplete = FailureReason(token: "http_response_incomplete")
    /// The response is not HTTP/1, or breaks its rules.
    public static let protocolError = FailureReason(token: "http_protocol_error")
    /// The header section of the response exceeds its limits.
    public static let responseHeadSize = FailureReason(token: "http_response_header_section_size")
    /// The body of the response exceeds its limit.
    public static let responseBodySize = FailureReason(token: "http_response_body_size")
    /// The content coding of the response is unknown, or its body cannot be decoded.
    public static let responseContentCoding = FailureReason(token: "http_response_content_coding")
    /// The transfer coding of the response is unknown.
    public static let responseTransferCoding = FailureReason(token: "http_response_transfer_coding")
    /// The upstream does not speak TLS, breaks its rules, or shares no version or cipher with us.
    public static let tlsProtocolError = FailureReason(token: "tls_protocol_error")
    /// The upstream's certificate is not trusted: its chain, name, dates or pin.
    public static let tlsCertificateError = FailureReason(token: "tls_certificate_error")
    /// The upstream ended TLS with an alert.
    public static let tlsAlertReceived = FailureReason(token: "tls_alert_received")
    /// The request cannot be built or written as HTTP: a mistake of the caller, so it is never retried.
    public static let requestError = FailureReason(token: "http_request_error")
    /// The fault is on this side.
    public static let internalError = FailureReason(token: "proxy_internal_error")
}
