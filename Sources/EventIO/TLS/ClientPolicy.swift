import ASCIIText
import COpenSSL

/// Which clients a server accepts, read and checked.
struct ClientPolicy {
    /// The SHA-256 of the authorities, the names, and whether a certificate is required.
    let digest: [UInt8]
    /// When the first authority expires, in seconds since 1970; nil without authorities.
    private(set) var expiry: Int?
    private let clients: TLSServerConfiguration.Clients?
    private let text: TLSPEMText?

    /// The largest message with a client's chain, in bytes.
    private static let chainLimit = 32 << 10
    /// The most certificates between a client's own and the authority.
    private static let depth: Int32 = 5

    /// Reads the authorities, which blocks.
    init(_ clients: TLSServerConfiguration.Clients?) throws(TLSError) {
        self.clients = clients
        guard let clients else {
            text = nil
            digest = TLSPEMText.digest(of: [])
            return
        }
        for name in clients.names {
            guard let fault = CertificateNames.fault(of: name) else { continue }
            throw TLSError(.configuration, "the name '\(name)' of clients \(fault)")
        }
        let text = try TLSPEMText(clients.authorities, for: "client authorities")
        let settings = "\(clients.isRequired) \(clients.names.sorted())"
        digest = TLSPEMText.digest(of: text.digest + Array(settings.utf8))
        self.text = text
    }

    /// Makes a server verify its clients. Call it once.
    mutating func install(on context: OpaquePointer) throws(TLSError) {
        guard let clients, let text, let store = SSL_CTX_get_cert_store(context) else { return }
        let authorities = try TLSCertificates.read(text)
        expiry = authorities.firstExpiry
        for authority in authorities.all {
            // Clients choose a certificate by the names of the authorities.
            guard X509_STORE_add_cert(store, authority) == 1, SSL_CTX_add_client_CA(context, authority) == 1
            else { throw TLSError(.configuration, "\(text.subject): \(TLSError.openSSLReason)") }
        }
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        let mode = SSL_VERIFY_PEER | (clients.isRequired ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0)
        SSL_CTX_set_verify(context, mode, nil)
        SSL_CTX_set_verify_depth(context, Self.depth)
        copenssl_CTX_set_max_cert_list(context, Self.chainLimit)
        SSL_CTX_set_cert_verify_callback(context, tlsVerifyCertificate, nil)
    }
}
