/// A call that brought no whole response, and why.
///
/// `reason` is a short name from a closed set (the error types of RFC 9209, Proxy-Status, section 2.3), fit for a
/// metric label; `detail` is free text for a log and must not be.
public struct OutboundError: Error, Sendable, CustomStringConvertible {
    /// An error type of RFC 9209.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private let code: Code

        /// The registered name, e.g. `connection_refused`.
        public var token: String { code.rawValue }

        public var description: String { token }

        private init(_ code: Code) { self.code = code }

        private enum Code: String {
            case dnsError = "dns_error"
            case dnsTimeout = "dns_timeout"
            case destinationUnavailable = "destination_unavailable"
            case connectionRefused = "connection_refused"
            case connectionTimeout = "connection_timeout"
            case connectionTerminated = "connection_terminated"
            case connectionReadTimeout = "connection_read_timeout"
            case connectionWriteTimeout = "connection_write_timeout"
            case connectionLimitReached = "connection_limit_reached"
            case responseTimeout = "http_response_timeout"
            case responseIncomplete = "http_response_incomplete"
            case protocolError = "http_protocol_error"
            case responseHeadSize = "http_response_header_section_size"
            case responseBodySize = "http_response_body_size"
            case responseContentCoding = "http_response_content_coding"
            case responseTransferCoding = "http_response_transfer_coding"
            case tlsProtocolError = "tls_protocol_error"
            case tlsCertificateError = "tls_certificate_error"
            case tlsAlertReceived = "tls_alert_received"
            case requestError = "http_request_error"
            case internalError = "proxy_internal_error"
        }

        /// The name does not resolve.
        public static let dnsError = Reason(.dnsError)
        /// The name did not resolve in time.
        public static let dnsTimeout = Reason(.dnsTimeout)
        /// No way to the upstream (no route, forbidden, refused by a proxy, whose `received-status` the detail has), or
        /// this client is closed.
        public static let destinationUnavailable = Reason(.destinationUnavailable)
        /// Nobody listens there.
        public static let connectionRefused = Reason(.connectionRefused)
        /// No connection within `OutboundLimits.connectTimeout`.
        public static let connectionTimeout = Reason(.connectionTimeout)
        /// The connection ended before the first byte of a response.
        public static let connectionTerminated = Reason(.connectionTerminated)
        /// No first byte within `firstByteTimeout`, or a silence longer than `readTimeout`.
        public static let connectionReadTimeout = Reason(.connectionReadTimeout)
        /// The upstream took no byte of the request for `writeTimeout`.
        public static let connectionWriteTimeout = Reason(.connectionWriteTimeout)
        /// No connection came free within `waitTimeout`, or too many calls wait already, or the process has no
        /// descriptors left for another.
        public static let connectionLimitReached = Reason(.connectionLimitReached)
        /// The response was not whole within the call's total time.
        public static let responseTimeout = Reason(.responseTimeout)
        /// The connection ended within a response.
        public static let responseIncomplete = Reason(.responseIncomplete)
        /// What came is not HTTP/1.
        public static let protocolError = Reason(.protocolError)
        /// The head is larger than `responseHead`, or has more fields than `responseFields`.
        public static let responseHeadSize = Reason(.responseHeadSize)
        /// The body is larger than `responseBody` or its `BodyDelivery` allows, or grows too much when decoded.
        public static let responseBodySize = Reason(.responseBodySize)
        /// The content coding is not one we know, or the body is not coded so, or not to its end.
        public static let responseContentCoding = Reason(.responseContentCoding)
        /// The transfer coding is not one we know.
        public static let responseTransferCoding = Reason(.responseTransferCoding)
        /// What came in place of TLS is none, or what comes breaks its rules.
        public static let tlsProtocolError = Reason(.tlsProtocolError)
        /// The upstream's certificate is not accepted; the detail says why.
        public static let tlsCertificateError = Reason(.tlsCertificateError)
        /// The upstream ended TLS with an alert, which the detail names.
        public static let tlsAlertReceived = Reason(.tlsAlertReceived)
        /// The request cannot be written as HTTP: a mistake of the caller. No byte was sent, but where a streamed body
        /// could not be had, or is not as long as was said.
        public static let requestError = Reason(.requestError)
        /// The socket could not be set up: the fault is on this side.
        public static let internalError = Reason(.internalError)
    }

    public let reason: Reason
    /// What exactly was seen, for a log. Names no header value and no body.
    public let detail: String
    /// Whether the upstream may have seen a part of the request. If not, the call may be repeated whatever its method.
    public let requestWasSent: Bool
    public let timings: OutboundTimings

    public var description: String { "\(reason.token): \(detail)" }
}
