import COpenSSL

public struct TLSDetails: Sendable, Hashable {
    public let version: TLSConfiguration.Version
    /// OpenSSL's name, such as `TLS_AES_256_GCM_SHA384`.
    public let cipher: String
    /// The protocol that the server selected by ALPN.
    public let applicationProtocol: String?
    /// Whether a session was resumed, so that no certificate was sent and verified again.
    public let isResumed: Bool
    /// When the first byte of the handshake was written.
    public let began: MonotonicTime
    /// When the server was accepted and could be written to.
    public let finished: MonotonicTime

    init(_ ssl: OpaquePointer, began: MonotonicTime, finished: MonotonicTime) {
        version = TLSConfiguration.Version(code: UInt16(truncatingIfNeeded: SSL_version(ssl)))
        cipher =
            SSL_get_current_cipher(ssl).flatMap { SSL_CIPHER_get_name($0) }.map { String(cString: $0) } ?? ""
        isResumed = SSL_session_reused(ssl) == 1
        self.began = began
        self.finished = finished
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        applicationProtocol = name.map {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
        }
    }
}
