import COpenSSL
import Locking

/// The certificates, keys and resumable sessions that all connections of a configuration share, on any loops.
/// Two contexts are equal if their configurations and the content of their files are.
///
/// `@unchecked Sendable`: it adds only constants. Only `init` configures the SSL_CTX. OpenSSL counts
/// references and locks what changes later.
public final class TLSContext: @unchecked Sendable {
    /// What the context was created from.
    public let configuration: TLSConfiguration
    /// SHA-256 of the certificates and keys.
    private let digest: [UInt8]

    /// Created in `init`, freed in `deinit`. Connections hold their own references.
    let handle: OpaquePointer
    let pins: TLSPins
    let sessions = TLSSessionCache()
    private let expiries = Lock(Expiries())

    /// When the first of the configured certificates expire, in seconds since 1970. Nil without any.
    public struct Expiries: Sendable {
        /// Of the client's chain.
        public fileprivate(set) var client: Int?
        /// Of the authorities. Nil for the system's roots.
        public fileprivate(set) var authority: Int?
    }

    /// When the first configured certificates expire.
    public var certificateExpiries: Expiries { expiries.withLock { $0 } }

    /// Reads the files of the configuration, which blocks.
    ///
    /// - Throws: `.configuration`, with the file and OpenSSL's reason.
    public convenience init(_ configuration: TLSConfiguration = TLSConfiguration()) throws(TLSError) {
        try self.init(configuration, TLSMaterial(configuration))
    }

    private init(_ configuration: TLSConfiguration, _ material: TLSMaterial) throws(TLSError) {
        _ = Self.library
        self.configuration = configuration
        digest = material.digest
        pins = try TLSPins(configuration.pins)
        ERR_clear_error()
        guard let handle = SSL_CTX_new(TLS_client_method()) else {
            throw TLSError(.configuration, TLSError.openSSLReason)
        }
        self.handle = handle
        try setUp(material)
    }

    deinit {
        SSL_CTX_free(handle)
    }

    /// Without this OpenSSL frees shared state at exit, while loops may still be running.
    static let library: Bool = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    private func setUp(_ material: TLSMaterial) throws(TLSError) {
        let lowest = Int32(configuration.minimumVersion.code)
        guard copenssl_CTX_set_min_proto_version(handle, lowest) == 1 else {
            throw TLSError(.configuration, "this OpenSSL does not support \(configuration.minimumVersion)")
        }
        // Refuse renegotiation (TLS 1.2), which nothing we speak needs.
        SSL_CTX_set_options(handle, copenssl_OP_NO_RENEGOTIATION | copenssl_OP_NO_COMPRESSION)
        copenssl_CTX_set_mode(handle, Int(SSL_MODE_RELEASE_BUFFERS))
        // Tickets arrive after the handshake (RFC 8446, section 4.6.1). OpenSSL passes each to the callback
        // only.
        copenssl_CTX_set_session_cache_mode(
            handle, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        SSL_CTX_sess_set_new_cb(handle, tlsSessionArrived)
        SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(handle, tlsVerifyCertificate, nil)
        try offerProtocols()
        try trust(material.authorities)
        if let chain = material.certificateChain, let key = material.privateKey {
            try useIdentity(chain, key)
        }
        if let name = configuration.serverName, !TLSServerName.isValid(name) {
            throw TLSError(.configuration, "'\(name)' is not a server name")
        }
    }

    private func offerProtocols() throws(TLSError) {
        var wire: [UInt8] = []
        for name in configuration.applicationProtocols {
            guard (1...255).contains(name.utf8.count) else {
                throw TLSError(.configuration, "'\(name)' is not an ALPN protocol: expected 1 to 255 bytes")
            }
            wire.append(UInt8(name.utf8.count))
            wire.append(contentsOf: name.utf8)
        }
        // Unlike other OpenSSL functions, this one returns 0 on success.
        guard wire.isEmpty || SSL_CTX_set_alpn_protos(handle, wire, UInt32(wire.count)) == 0 else {
            throw TLSError(.configuration, "too many ALPN protocols")
        }
    }

    private func trust(_ authorities: TLSPEMText?) throws(TLSError) {
        guard configuration.verification.isFull else { return }
        guard let authorities else {
            guard SSL_CTX_set_default_verify_paths(handle) == 1 else {
                throw TLSError(.configuration, "the system's roots: \(TLSError.openSSLReason)")
            }
            return
        }
        let certificates = try TLSCertificates.read(authorities)
        let expiry = certificates.firstExpiry
        expiries.withLock { $0.authority = expiry }
        guard let store = SSL_CTX_get_cert_store(handle) else { return }
        for certificate in certificates.all where X509_STORE_add_cert(store, certificate) != 1 {
            throw TLSError(.configuration, "\(certificates.subject): \(TLSError.openSSLReason)")
        }
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }

    private func useIdentity(_ certificateChain: TLSPEMText, _ privateKey: TLSPEMText) throws(TLSError) {
        let chain = try TLSCertificates.read(certificateChain)
        let expiry = chain.firstExpiry
        expiries.withLock { $0.client = expiry }
        for (index, certificate) in chain.all.enumerated() {
            let isTaken =
                index == 0
                ? SSL_CTX_use_certificate(handle, certificate)
                : copenssl_CTX_add1_chain_cert(handle, certificate)
            guard isTaken == 1 else {
                throw TLSError(.configuration, "\(chain.subject): \(TLSError.openSSLReason)")
            }
        }
        let key = try TLSPrivateKey(privateKey, password: configuration.identity?.password)
        guard X509_check_private_key(chain.all[0], key.handle) == 1 else {
            throw TLSError(
                .configuration, "\(key.subject): does not match \(chain.subject)")
        }
        guard SSL_CTX_use_PrivateKey(handle, key.handle) == 1 else {
            throw TLSError(.configuration, "\(key.subject): \(TLSError.openSSLReason)")
        }
    }
}

extension TLSContext: Hashable {
    /// Whether both are equal.
    public static func == (one: TLSContext, other: TLSContext) -> Bool {
        one === other || one.digest == other.digest && one.configuration == other.configuration
    }

    /// Adds to the hasher what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(configuration) }
}

extension TLSContext {
    private struct CacheEntry {
        weak var context: TLSContext?
    }

    /// Adding an entry drops the entries of dead contexts. Configurations are not kept, because they may hold
    /// keys.
    private static let cache = Lock<[CacheEntry]>([])

    /// Returns the context of a configuration. Callers share one, and its sessions, while it is in use and
    /// the files keep their content. Reads the files each time, which blocks: if one changed, a new context
    /// is created, and the users of the old one keep it.
    ///
    /// - Throws: what `init` throws.
    public static func shared(for configuration: TLSConfiguration = TLSConfiguration()) throws(TLSError)
        -> TLSContext
    {
        let material = try TLSMaterial(configuration)
        func find(_ cache: [CacheEntry]) -> TLSContext? {
            for case let context? in cache.lazy.map(\.context)
            where context.digest == material.digest && context.configuration == configuration {
                return context
            }
            return nil
        }
        if let context = cache.withLock({ find($0) }) { return context }
        let made = try TLSContext(configuration, material)
        return cache.withLock { cache in
            if let first = find(cache) { return first }
            cache.removeAll { $0.context == nil }
            cache.append(CacheEntry(context: made))
            return made
        }
    }
}
