import ASCIIText
import COpenSSL

/// The certificates, policy and ticket keys that the connections of a server share, on any loops. Make it on
/// a helper thread, since it reads files.
///
/// `@unchecked Sendable`: it adds only constants. Only `init` configures the SSL_CTX. OpenSSL counts
/// references and locks what changes later.
public final class TLSServerContext: @unchecked Sendable {
    /// What the context was created from.
    public let configuration: TLSServerConfiguration
    /// What the certificates say, in the order of the configuration.
    public let certificates: [ServerCertificate]
    /// When the first authority of clients expires, in seconds since 1970; nil without authorities.
    public let authorityExpiry: Int?
    /// The SHA-256 of its files and settings. Contexts with equal digests do the same.
    public let contentDigest: [UInt8]
    /// The SHA-256 of the policy for clients: the authorities, the names, and whether one is required.
    private let clientDigest: [UInt8]

    /// The names that a client's certificate may have; nil for any.
    let clientNames: CertificateNames?
    /// Created in `init`, freed in `deinit`. Connections hold their own references.
    let handle: OpaquePointer
    let certificateTable: ServerCertificates
    let tickets: TicketKeys
    /// The protocols for ALPN, each with its length before it.
    let protocols: [[UInt8]]

    /// Reads the files of the configuration, which blocks.
    ///
    /// - Parameters:
    ///   - configuration: the certificates and the policy.
    ///   - tickets: the keys of tickets, by default the process's.
    /// - Throws: `.configuration`, with the file and what is wrong with it.
    public init(
        _ configuration: TLSServerConfiguration, tickets: TicketKeys = .process
    ) throws(TLSError) {
        _ = TLSContext.library
        ERR_clear_error()
        self.configuration = configuration
        self.tickets = tickets
        let names = configuration.clients?.names ?? []
        clientNames = names.isEmpty ? nil : CertificateNames(names)
        protocols = configuration.applicationProtocols.map { Array($0.utf8) }
        var digests: [UInt8] = []
        certificateTable = try ServerCertificates(configuration.certificates, digests: &digests)
        certificates = certificateTable.facts
        var policy = try ClientPolicy(configuration.clients)
        clientDigest = policy.digest
        let settings = "\(configuration.minimumVersion.code) \(configuration.applicationProtocols)"
        contentDigest = TLSPEMText.digest(of: digests + policy.digest + Array(settings.utf8))
        guard let handle = SSL_CTX_new(TLS_server_method()) else {
            throw TLSError(.configuration, TLSError.openSSLReason)
        }
        self.handle = handle
        do throws(TLSError) {
            try policy.install(on: handle)
            authorityExpiry = policy.expiry
        } catch {
            SSL_CTX_free(handle)
            throw error
        }
        try setUp()
    }

    deinit { SSL_CTX_free(handle) }

    /// Whether a certificate is valid for this host: a DNS name in any case, or an IP address.
    public func serves(host: String) -> Bool { certificateTable.serves(host: host) }

    /// Whether both contexts accept the same clients. If not, those that one has accepted must not stay with
    /// the other.
    public func acceptsClients(like other: TLSServerContext) -> Bool { clientDigest == other.clientDigest }

    /// Mozilla's intermediate profile 5.7 without DHE, in the order of its list.
    private static let ciphers =
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
        + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
    private static let suites =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
    private static let groups = "X25519:P-256:P-384"

    private func setUp() throws(TLSError) {
        let lowest = Int32(configuration.minimumVersion.code)
        guard copenssl_CTX_set_min_proto_version(handle, lowest) == 1 else {
            throw TLSError(.configuration, "this OpenSSL does not support \(configuration.minimumVersion)")
        }
        guard SSL_CTX_set_cipher_list(handle, Self.ciphers) == 1,
            SSL_CTX_set_ciphersuites(handle, Self.suites) == 1,
            copenssl_CTX_set_groups(handle, Self.groups) == 1
        else { throw TLSError(.configuration, "this OpenSSL lacks a cipher: \(TLSError.openSSLReason)") }
        SSL_CTX_set_options(handle, copenssl_OP_NO_RENEGOTIATION | copenssl_OP_NO_COMPRESSION)
        copenssl_CTX_set_mode(handle, Int(SSL_MODE_RELEASE_BUFFERS))
        try certificateTable.install(on: handle)
        SSL_CTX_set_cert_cb(handle, tlsSelectCertificates, nil)
        if !protocols.isEmpty { SSL_CTX_set_alpn_select_cb(handle, tlsSelectProtocol, nil) }
        try setUpTickets()
    }

    private func setUpTickets() throws(TLSError) {
        // Sessions live in their tickets only.
        copenssl_CTX_set_session_cache_mode(handle, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_num_tickets(handle, 1)
        _ = SSL_CTX_set_timeout(handle, Int(TicketKeyRing.period.nanoseconds / 1_000_000_000))
        SSL_CTX_set_tlsext_ticket_key_evp_cb(handle, tlsTicketKey)
        SSL_CTX_set_session_ticket_cb(handle, tlsTicketMade, tlsTicketDecrypted, nil)
        // A ticket is good where the policy is the same, so none carries a client past a changed authority.
        let version = withUnsafeBytes(of: configuration.minimumVersion.code.bigEndian) { Array($0) }
        let policy = TLSPEMText.digest(of: version + clientDigest)
        guard SSL_CTX_set_session_id_context(handle, policy, UInt32(policy.count)) == 1 else {
            throw TLSError(.configuration, TLSError.openSSLReason)
        }
    }
}

/// Called by OpenSSL to select one of the client's protocols (RFC 7301, section 3.2).
private func tlsSelectProtocol(
    _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32,
    _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let ssl, let server = TLSEngine.of(ssl)?.server else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let offered = UnsafeBufferPointer(start: offered, count: Int(count))
    for name in server.protocols {
        var start = 0
        while start < offered.count {
            let end = start + 1 + Int(offered[start])
            guard end <= offered.count else { return SSL_TLSEXT_ERR_ALERT_FATAL }
            let candidate = UnsafeBufferPointer(rebasing: offered[(start + 1)..<end])
            if candidate.elementsEqual(name) {
                chosen?.pointee = candidate.baseAddress
                length?.pointee = UInt8(name.count)
                return SSL_TLSEXT_ERR_OK
            }
            start = end
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
