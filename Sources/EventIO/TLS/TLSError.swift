import COpenSSL

/// Why TLS could not be set up or established, or broke off.
public struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure. More kinds may be added.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The value as text, for logs and messages.
        public let description: String

        /// A file, key, certificate, pin or name in the configuration cannot be used.
        public static let configuration = Kind(description: "TLS configuration")
        /// The peer does not speak TLS, shares no version or cipher, or violated the protocol.
        public static let protocolError = Kind(description: "TLS protocol error")
        /// The peer's certificate was not accepted: `code` is OpenSSL's verification result, `reason` its
        /// text.
        public static let certificateError = Kind(description: "TLS certificate error")
        /// The peer sent an alert (RFC 8446, section 6.2); `reason` is its name.
        public static let alertReceived = Kind(description: "TLS alert received")
        /// The connection ended without close_notify (RFC 8446, section 6.1), so the data may be cut short.
        public static let truncated = Kind(description: "TLS truncated")
    }

    /// The kind of failure.
    public let kind: Kind
    /// OpenSSL's text, the alert's name in RFC 8446, or what is wrong with the configuration.
    public let reason: String
    /// The number of the alert, or OpenSSL's verification result (X509_V_ERR_...); else 0.
    public let code: Int
    /// The subject of the refused certificate, at most 255 bytes; nil for other failures.
    public let subject: String?

    init(_ kind: Kind, _ reason: String, code: Int = 0, subject: String? = nil) {
        self.subject = subject
        self.kind = kind
        self.reason = reason
        self.code = code
    }

    /// What is wrong, in words.
    public var description: String {
        "\(kind): \(reason)" + (subject.map { ", subject \($0)" } ?? "")
    }
}

extension TLSError {
    /// The first error in OpenSSL's queue, which is where a failure began.
    static var openSSLReason: String {
        let code = ERR_peek_error()
        guard code != 0 else { return "no reason given" }
        guard let text = ERR_reason_error_string(code) else { return "OpenSSL error \(code)" }
        return String(cString: text)
    }

    /// Alerts of RFC 8446, section 6, and RFC 5246, section 7.2.
    static func alertName(_ number: Int) -> String {
        alertNames[number] ?? "alert \(number)"
    }

    private static let alertNames: [Int: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 30: "decompression_failure", 40: "handshake_failure", 41: "no_certificate",
        42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked",
        45: "certificate_expired", 46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca",
        49: "access_denied", 50: "decode_error", 51: "decrypt_error", 60: "export_restriction",
        70: "protocol_version", 71: "insufficient_security", 80: "internal_error",
        86: "inappropriate_fallback", 90: "user_canceled", 100: "no_renegotiation", 109: "missing_extension",
        110: "unsupported_extension", 111: "certificate_unobtainable", 112: "unrecognized_name",
        113: "bad_certificate_status_response", 114: "bad_certificate_hash_value",
        115: "unknown_psk_identity", 116: "certificate_required", 120: "no_application_protocol",
    ]
}
