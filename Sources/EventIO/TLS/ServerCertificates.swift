import COpenSSL

/// The certificates of a server, and which of them a client gets by the name that it asks for (SNI, RFC 6066,
/// section 3).
///
/// `@unchecked Sendable`: it adds only constants. OpenSSL counts the references of certificates and keys, and
/// locks what it caches in them.
final class ServerCertificates: @unchecked Sendable {
    /// A certificate with its key and its issuers. Freed in `deinit`.
    private struct Entry {
        let certificate: OpaquePointer
        let key: OpaquePointer
        let issuers: OpaquePointer
    }

    let facts: [ServerCertificate]
    private let entries: [Entry]
    /// The certificates for each DNS name, at most one for each type of key.
    private let byName: [String: [Int]]
    /// The same for wildcard names, without `*.`.
    private let byParent: [String: [Int]]
    /// The IP addresses of all certificates.
    private let addresses: Set<String>
    /// The first certificate, and those for its first name with other types of keys.
    private let standard: [Int]

    /// Reads the files, which blocks. Adds the digests of what it read to `digests`.
    init(_ identities: [TLSConfiguration.Identity], digests: inout [UInt8]) throws(TLSError) {
        guard !identities.isEmpty else {
            throw TLSError(.configuration, "a server with TLS needs a certificate")
        }
        guard identities.count <= TLSServerConfiguration.mostCertificates else {
            throw TLSError(
                .configuration,
                "\(identities.count) server certificates are given, more than "
                    + "\(TLSServerConfiguration.mostCertificates)")
        }
        var entries: [Entry] = []
        var facts: [ServerCertificate] = []
        var names = NameTable()
        // What was read before a failure is freed. `deinit` frees what is kept.
        var isKept = false
        defer { if !isKept { Self.free(entries) } }
        for (index, identity) in identities.enumerated() {
            let number = identities.count == 1 ? "" : " \(index + 1)"
            func use(_ what: String, _ pem: TLSConfiguration.PEM) -> String {
                pem.path == nil ? what + number : what
            }
            let text = try TLSPEMText(
                identity.certificateChain, for: use("server certificate", identity.certificateChain))
            let keyText = try TLSPEMText(identity.privateKey, for: use("server key", identity.privateKey))
            digests += text.digest + keyText.digest
            let chain = try TLSCertificates.read(text)
            let kind = try Self.check(chain)
            let key = try TLSPrivateKey(keyText, password: identity.password)
            guard X509_check_private_key(chain.all[0], key.handle) == 1 else {
                ERR_clear_error()
                throw TLSError(.configuration, "\(key.subject): does not match \(chain.subject)")
            }
            entries.append(try Self.entry(chain, key))
            let fact = Self.facts(of: chain, index, kind)
            facts.append(fact)
            try names.add(fact, label: Self.label(identity.certificateChain, index), kind)
        }
        self.entries = entries
        self.facts = facts
        byName = names.exact
        byParent = names.wildcard
        addresses = Set(facts.flatMap(\.addresses))
        standard = names.standard(facts[0])
        isKept = true
    }

    deinit { Self.free(entries) }

    private static func free(_ entries: [Entry]) {
        for entry in entries {
            X509_free(entry.certificate)
            EVP_PKEY_free(entry.key)
            copenssl_sk_X509_free(entry.issuers)
        }
    }

    /// How a message that has two certificates names one of them: by its file or its number.
    private static func label(_ pem: TLSConfiguration.PEM, _ index: Int) -> String {
        pem.path ?? "\(index + 1)"
    }

    // MARK: Checking

    /// Returns the type of the leaf's key.
    private static func check(_ chain: borrowing TLSCertificates) throws(TLSError) -> KeyKind {
        for index in chain.all.indices.dropFirst()
        where !CertificateFacts.isIssuer(chain.all[index], of: chain.all[index - 1]) {
            throw TLSError(
                .configuration,
                "\(chain.subject): certificate \(index + 1) did not issue certificate \(index); "
                    + "the leaf comes first, then its issuers")
        }
        do throws(KeyKind.Fault) {
            return try KeyKind(X509_get0_pubkey(chain.all[0]))
        } catch {
            throw TLSError(.configuration, "\(chain.subject): \(error.reason)")
        }
    }

    private static func entry(
        _ chain: borrowing TLSCertificates, _ key: borrowing TLSPrivateKey
    ) throws(TLSError) -> Entry {
        guard let issuers = copenssl_sk_X509_new() else {
            throw TLSError(.configuration, "\(chain.subject): \(TLSError.openSSLReason)")
        }
        for issuer in chain.all.dropFirst() where X509_add_cert(issuers, issuer, X509_ADD_FLAG_UP_REF) != 1 {
            copenssl_sk_X509_free(issuers)
            throw TLSError(.configuration, "\(chain.subject): \(TLSError.openSSLReason)")
        }
        X509_up_ref(chain.all[0])
        EVP_PKEY_up_ref(key.handle)
        return Entry(certificate: chain.all[0], key: key.handle, issuers: issuers)
    }

    private static func facts(
        of chain: borrowing TLSCertificates, _ index: Int, _ kind: KeyKind
    ) -> ServerCertificate {
        let leaf = chain.all[0]
        let names = CertificateFacts.names(of: leaf)
        return ServerCertificate(
            index: index, subject: CertificateFacts.subject(of: leaf),
            dnsNames: names.dnsNames.map { $0.lowercased() }, addresses: names.addresses,
            keyKind: kind.rawValue, notBefore: CertificateFacts.notBefore(of: leaf) ?? 0,
            notAfter: chain.all.compactMap { CertificateFacts.notAfter(of: $0) }.min() ?? 0,
            hasIssuer: chain.all.count > 1 || X509_self_signed(leaf, 1) == 1,
            mustStaple: CertificateFacts.mustStaple(leaf), sha256: CertificateFacts.sha256(of: leaf))
    }

    // MARK: Selecting

    /// Whether a certificate is for this host: a DNS name in any case, or an IP address. Costs the same with
    /// any number of names.
    func serves(host: String) -> Bool {
        if let address = SocketAddress(host: host, port: 0) { return addresses.contains(address.host) }
        let name = ServerNames.canonical(host)
        return byName[name] != nil
            || ServerNames.parent(of: name).map { byParent[String($0)] != nil } ?? false
    }

    /// The certificates for a server name, one for each type of key: with the exact name, else with a
    /// wildcard for its first label, else the standard ones.
    func selection(for name: String) -> [Int] {
        let name = ServerNames.canonical(name)
        if let exact = byName[name] { return exact }
        if let parent = ServerNames.parent(of: name), let found = byParent[String(parent)] { return found }
        return standard
    }

    func isStandard(_ selection: [Int]) -> Bool { selection == standard }

    /// Gives a context the standard certificates.
    func install(on context: OpaquePointer) throws(TLSError) {
        for index in standard {
            let entry = entries[index]
            guard SSL_CTX_use_cert_and_key(context, entry.certificate, entry.key, entry.issuers, 1) == 1
            else { throw TLSError(.configuration, "a server certificate: \(TLSError.openSSLReason)") }
        }
    }

    /// Gives a connection these certificates instead of the standard ones.
    func install(_ selection: [Int], on ssl: OpaquePointer) -> Bool {
        SSL_certs_clear(ssl)
        return selection.allSatisfy { index in
            let entry = entries[index]
            return SSL_use_cert_and_key(ssl, entry.certificate, entry.key, entry.issuers, 1) == 1
        }
    }
}

/// Called by OpenSSL when the ClientHello is read: selects the certificates. Returns 1, or 0 for an error.
func tlsSelectCertificates(_ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    guard let ssl, let certificates = TLSEngine.of(ssl)?.server?.certificateTable else { return 0 }
    guard let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else { return 1 }
    let selection = certificates.selection(for: String(cString: name))
    return certificates.isStandard(selection) || certificates.install(selection, on: ssl) ? 1 : 0
}

/// The types of keys that a server may have.
enum KeyKind: String {
    case ec = "EC"
    case rsa = "RSA"
    case ed25519 = "Ed25519"

    struct Fault: Error {
        let reason: String
    }

    /// The fewest bits of an RSA key.
    static let leastBits: Int32 = 2048

    init(_ key: OpaquePointer?) throws(Fault) {
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA:
            let bits = EVP_PKEY_get_bits(key)
            guard bits >= Self.leastBits else {
                throw Fault(reason: "the RSA key has \(bits) bits; at least \(Self.leastBits) are needed")
            }
            self = .rsa
        case EVP_PKEY_EC:
            var name = [CChar](repeating: 0, count: 64)
            var length = 0
            let isNamed = EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
            let curve = isNamed ? String(decoding: name[..<length].map { UInt8($0) }, as: UTF8.self) : ""
            guard curve == "prime256v1" || curve == "secp384r1" else {
                throw Fault(
                    reason: "the curve of the EC key is \(curve.isEmpty ? "unknown" : curve); "
                        + "it must be P-256 or P-384")
            }
            self = .ec
        case EVP_PKEY_ED25519: self = .ed25519
        default: throw Fault(reason: "the type of the key must be EC, RSA or Ed25519")
        }
    }

    /// With its article.
    var described: String {
        switch self {
        case .ec, .ed25519: "an \(rawValue)"
        case .rsa: "an \(rawValue)"
        }
    }
}

/// Collects the names of certificates.
private struct NameTable {
    private(set) var exact: [String: [Int]] = [:]
    private(set) var wildcard: [String: [Int]] = [:]
    private var kinds: [KeyKind] = []
    private var labels: [String] = []

    /// - Throws: `.configuration` if another certificate with this type of key has one of the names.
    mutating func add(_ facts: ServerCertificate, label: String, _ kind: KeyKind) throws(TLSError) {
        kinds.append(kind)
        labels.append(label)
        for name in Set(facts.dnsNames.map(ServerNames.canonical)).sorted() {
            if name.hasPrefix("*.") {
                let parent = String(name.dropFirst(2))
                try check(facts.index, name, wildcard[parent])
                wildcard[parent, default: []].append(facts.index)
            } else {
                try check(facts.index, name, exact[name])
                exact[name, default: []].append(facts.index)
            }
        }
    }

    private func check(_ index: Int, _ name: String, _ known: [Int]?) throws(TLSError) {
        guard let other = known?.first(where: { kinds[$0] == kinds[index] }) else { return }
        throw TLSError(
            .configuration,
            "server certificates \(labels[other]) and \(labels[index]) are both for \(name) "
                + "with \(kinds[index].described) key")
    }

    /// The first certificate, and those for its first name with other types of keys.
    func standard(_ first: ServerCertificate) -> [Int] {
        guard let name = first.dnsNames.first.map(ServerNames.canonical) else { return [0] }
        return (name.hasPrefix("*.") ? wildcard[String(name.dropFirst(2))] : exact[name]) ?? [0]
    }
}
