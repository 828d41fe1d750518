import COpenSSL
import Locking

/// The client's side of TLS, for blocking clients of tests. It verifies nothing.
///
/// `@unchecked Sendable`: the context is not changed after `init`.
package final class TLSClient: @unchecked Sendable {
    /// What a client offers.
    package struct Options: Sendable {
        /// The name for SNI; nil for none.
        package var serverName: String? = "localhost"
        /// The ALPN protocols; empty for no ALPN.
        package var protocols = ["http/1.1"]
        package var isOnly12 = false
        /// The signature algorithms in OpenSSL's words, such as `RSA-PSS+SHA256`; nil for the usual ones.
        package var signatures: String?
        /// The certificate that it shows.
        package var identity: TestIdentity?
        /// The certificates that it shows behind its own.
        package var chain: [String] = []

        package init() {}
    }

    /// Offers HTTP/1.1 and shows no certificate.
    package static let usual = TLSClient()

    fileprivate let options: Options
    fileprivate let context: OpaquePointer
    /// The newest session, with its bits, since a pointer is not Sendable. Freed in `deinit`.
    fileprivate let session = Lock<UInt>(0)

    package init(_ options: Options = Options()) {
        self.options = options
        guard let context = SSL_CTX_new(TLS_client_method()) else { fatalError("no TLS") }
        self.context = context
        if options.isOnly12 { SSL_CTX_set_options(context, copenssl_OP_NO_TLSv1_3) }
        var wire: [UInt8] = []
        for name in options.protocols { wire += [UInt8(name.utf8.count)] + Array(name.utf8) }
        if !wire.isEmpty { SSL_CTX_set_alpn_protos(context, wire, UInt32(wire.count)) }
        if let identity = options.identity {
            let certificate = TLSServer.certificate(identity.certificate)
            let key = TLSServer.read(identity.key) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
            SSL_CTX_use_certificate(context, certificate)
            SSL_CTX_use_PrivateKey(context, key)
            X509_free(certificate)
            EVP_PKEY_free(key)
        }
        for pem in options.chain {
            let link = TLSServer.certificate(pem)
            _ = copenssl_CTX_add1_chain_cert(context, link)
            X509_free(link)
        }
        SSL_CTX_set_msg_callback(context, messagePassed)
    }

    deinit {
        SSL_SESSION_free(OpaquePointer(bitPattern: session.withLock { $0 }))
        SSL_CTX_free(context)
    }

    /// Keeps the session of a connection, so that the next ones resume it.
    fileprivate func keep(_ new: OpaquePointer?) {
        let old = session.withLock { session in
            defer { session = UInt(bitPattern: new) }
            return session
        }
        SSL_SESSION_free(OpaquePointer(bitPattern: old))
    }
}

/// Called by OpenSSL with each message that is read, or written if `isWritten` is 1. Counts tickets.
private func messagePassed(
    _ isWritten: Int32, _: Int32, _ contentType: Int32, _ message: UnsafeRawPointer?, _ count: Int,
    _ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?
) {
    guard isWritten == 0, contentType == SSL3_RT_HANDSHAKE, count > 0, let message,
        message.load(as: UInt8.self) == UInt8(SSL3_MT_NEWSESSION_TICKET), let ssl,
        let connection = SSL_get_ex_data(ssl, 0)
    else { return }
    Unmanaged<TLSClientConnection>.fromOpaque(connection).takeUnretainedValue().ticketCount += 1
}

/// The TLS state of one client. It does no I/O: the client passes it what it has read and sends its output.
package final class TLSClientConnection {
    private let client: TLSClient
    private let ssl: OpaquePointer
    private let input: OpaquePointer?
    private let output: OpaquePointer?
    /// The session tickets that the server has sent.
    package fileprivate(set) var ticketCount = 0

    init(_ client: TLSClient) {
        self.client = client
        guard let ssl = SSL_new(client.context) else { fatalError("no TLS") }
        self.ssl = ssl
        input = BIO_new(BIO_s_mem())
        output = BIO_new(BIO_s_mem())
        SSL_set_bio(ssl, input, output)
        if let name = client.options.serverName { _ = copenssl_set_tlsext_host_name(ssl, name) }
        if let signatures = client.options.signatures { _ = copenssl_set_sigalgs(ssl, signatures) }
        SSL_set_connect_state(ssl)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        client.session.withLock { session in
            if let session = OpaquePointer(bitPattern: session) { SSL_set_session(ssl, session) }
        }
    }

    deinit {
        // Else OpenSSL forbids to resume its session.
        SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(ssl)
    }

    enum Step {
        case done
        case needsInput
        case failed
    }

    func handshake() -> Step { step(SSL_do_handshake(ssl)) }

    /// The reason of the last failure, in OpenSSL's words.
    package private(set) var failure = ""

    private func step(_ result: Int32) -> Step {
        if result > 0 { return .done }
        let code = SSL_get_error(ssl, result)
        if code == SSL_ERROR_WANT_READ { return .needsInput }
        let error = ERR_peek_error()
        failure = ERR_reason_error_string(error).map { String(cString: $0) } ?? "error \(code)"
        ERR_clear_error()
        return .failed
    }

    func feed(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { _ = BIO_write(input, $0.baseAddress, Int32($0.count)) }
    }

    /// Returns what can be decrypted, and whether the peer's side goes on.
    func read() -> (bytes: [UInt8], then: Step, isOver: Bool) {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = SSL_read(ssl, &chunk, Int32(chunk.count))
            guard count <= 0 else {
                bytes += chunk[..<Int(count)]
                continue
            }
            return (bytes, step(count), SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0)
        }
    }

    /// Encrypts bytes, at most a record.
    func write(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { SSL_write(ssl, $0.baseAddress, Int32($0.count)) == $0.count }
    }

    func sayGoodbye() { SSL_shutdown(ssl) }

    /// Requests that both sides change their keys (RFC 8446, section 4.6.3).
    package func updateKeys() -> Bool {
        SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(ssl) == 1
    }

    /// Requests a renegotiation (TLS 1.2).
    package func renegotiate() -> Bool {
        SSL_renegotiate(ssl) == 1 && handshake() != .failed
    }

    /// Returns what is to be sent.
    func takeOutput() -> [UInt8] {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while case let count = BIO_read(output, &chunk, Int32(chunk.count)), count > 0 {
            all += chunk[..<Int(count)]
        }
        return all
    }

    /// Lets the next connections resume this one.
    package func keepSession() { client.keep(SSL_get1_session(ssl)) }

    package var isResumed: Bool { SSL_session_reused(ssl) == 1 }
    package var version: String { String(cString: SSL_get_version(ssl)) }
    package var cipher: String {
        SSL_get_current_cipher(ssl).map { String(cString: SSL_CIPHER_get_name($0)) } ?? ""
    }

    /// The server's certificate in DER.
    package var certificate: [UInt8] {
        guard let certificate = SSL_get0_peer_certificate(ssl) else { return [] }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &encoded)
        defer { CRYPTO_free(encoded, "", 0) }
        return Array(UnsafeBufferPointer(start: encoded, count: max(0, Int(count))))
    }

    package var selectedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        return name.map {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
        }
    }
}
