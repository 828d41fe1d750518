import COpenSSL
import Glibc

/// The server's side of TLS, for blocking threads of tests.
///
/// `@unchecked Sendable`: the context is not changed after `init`.
package final class TLSServer: @unchecked Sendable {
    /// Options of a server.
    package struct Options: Sendable {
        package var identity = TestAuthority.shared.issue()
        /// The chain sent after the certificate.
        package var chain: [String] = []
        /// The authority of client certificates; nil to request none.
        package var clientAuthority: TestAuthority?
        package var isOnly12 = false
        /// The ALPN protocol that the server selects, even if the client did not offer it; nil for none.
        package var applicationProtocol: String?

        package init() {}
    }

    package let options: Options
    fileprivate let context: OpaquePointer

    package init(_ options: Options = Options()) {
        self.options = options
        guard let context = SSL_CTX_new(TLS_server_method()) else { fatalError("no TLS") }
        self.context = context
        if options.isOnly12 {
            SSL_CTX_set_options(context, copenssl_OP_NO_TLSv1_3)
        }
        SSL_CTX_set_session_id_context(context, [1, 2, 3], 3)
        let identity = options.identity
        let certificate = Self.certificate(identity.certificate)
        let key = Self.read(identity.key) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        SSL_CTX_use_certificate(context, certificate)
        SSL_CTX_use_PrivateKey(context, key)
        X509_free(certificate)
        EVP_PKEY_free(key)
        for pem in options.chain {
            let link = Self.certificate(pem)
            _ = copenssl_CTX_add1_chain_cert(context, link)
            X509_free(link)
        }
        if let authority = options.clientAuthority {
            let root = Self.certificate(authority.pem)
            X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root)
            X509_free(root)
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        }
        if options.applicationProtocol != nil {
            // Not retained: the server outlives its connections.
            SSL_CTX_set_alpn_select_cb(context, chosen, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    deinit {
        SSL_CTX_free(context)
    }

    static func certificate(_ pem: String) -> OpaquePointer {
        read(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
    }

    static func read(_ pem: String, _ parse: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer {
        let bytes = Array(pem.utf8)
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        BIO_write(bio, bytes, Int32(bytes.count))
        guard let parsed = parse(bio) else { fatalError("no PEM") }
        return parsed
    }
}

private func chosen(
    _: OpaquePointer?, _ name: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _: UnsafePointer<UInt8>?, _: UInt32,
    _ server: UnsafeMutableRawPointer?
) -> Int32 {
    guard let server else { return SSL_TLSEXT_ERR_NOACK }
    let options = Unmanaged<TLSServer>.fromOpaque(server).takeUnretainedValue().options
    guard let chosen = options.applicationProtocol else { return SSL_TLSEXT_ERR_NOACK }
    // A static string, since OpenSSL copies it only after this returns.
    let constant: StaticString = chosen == "h2" ? "h2" : "http/1.1"
    name?.pointee = constant.utf8Start
    length?.pointee = UInt8(constant.utf8CodeUnitCount)
    return SSL_TLSEXT_ERR_OK
}

/// One connection of a server, driven by one blocking thread. Writes raise no SIGPIPE.
package final class TLSServerConnection {
    private let server: TLSServer
    private let descriptor: Int32
    private let ssl: OpaquePointer
    private let input: OpaquePointer?
    private let output: OpaquePointer?

    package init(_ server: TLSServer, on descriptor: Int32) {
        self.server = server
        self.descriptor = descriptor
        guard let ssl = SSL_new(server.context) else { fatalError("no TLS") }
        self.ssl = ssl
        input = BIO_new(BIO_s_mem())
        output = BIO_new(BIO_s_mem())
        SSL_set_bio(ssl, input, output)
        SSL_set_accept_state(ssl)
    }

    deinit {
        SSL_free(ssl)
    }

    /// False if it failed or the client left.
    package func handshake() -> Bool { perform { SSL_do_handshake(self.ssl) } == 1 }

    /// The server name that the client requested (SNI).
    package var serverName: String? {
        SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    package var isResumed: Bool { SSL_session_reused(ssl) == 1 }
    package var version: String { String(cString: SSL_get_version(ssl)) }

    /// The subject of the client's certificate.
    package var clientName: String? {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(certificate) }
        var room = [CChar](repeating: 0, count: 256)
        guard let text = X509_NAME_oneline(X509_get_subject_name(certificate), &room, 256) else { return nil }
        return String(cString: text)
    }

    /// Reads like `recv`.
    package func read(_ room: inout [UInt8]) -> Int {
        let size = Int32(room.count)
        return room.withUnsafeMutableBytes { room in
            let base = room.baseAddress
            return Int(perform { SSL_read(self.ssl, base, size) })
        }
    }

    package func write(_ bytes: [UInt8]) -> Bool {
        bytes.isEmpty || perform { SSL_write(self.ssl, bytes, Int32(bytes.count)) } > 0
    }

    /// Whether the client has sent close_notify.
    package var heardGoodbye: Bool { SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }

    /// Sends close_notify.
    package func sayGoodbye() {
        SSL_shutdown(ssl)
        _ = flush()
    }

    /// Updates its key and requests an update of the client's (RFC 8446 4.6.3).
    package func updateKeys() -> Bool {
        guard SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1 else { return false }
        return perform { SSL_do_handshake(self.ssl) } == 1
    }

    /// Sends a session ticket unasked (TLS 1.3).
    package func sendTicket() -> Bool {
        SSL_new_session_ticket(ssl) == 1 && perform { SSL_do_handshake(self.ssl) } == 1
    }

    /// Requests a renegotiation (TLS 1.2).
    package func renegotiate() -> Bool {
        SSL_renegotiate(ssl) == 1 && perform { SSL_do_handshake(self.ssl) } == 1
    }

    private func perform(_ step: () -> Int32) -> Int32 {
        while true {
            ERR_clear_error()
            let result = step()
            let code = SSL_get_error(ssl, result)
            guard flush() else { return -1 }
            if result > 0 { return result }
            guard code == SSL_ERROR_WANT_READ else { return result }
            guard fill() else { return 0 }
        }
    }

    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        var count = recv(descriptor, &chunk, chunk.count, 0)
        while count < 0 && errno == EINTR { count = recv(descriptor, &chunk, chunk.count, 0) }
        guard count > 0 else { return false }
        return BIO_write(input, chunk, Int32(count)) == count
    }

    private func flush() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = Int(BIO_read(output, &chunk, Int32(chunk.count))), count > 0 {
            var sent = 0
            while sent < count {
                let step = chunk[sent..<count].withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if step < 0 && errno == EINTR { continue }
                guard step > 0 else { return false }
                sent += step
            }
        }
        return true
    }
}
