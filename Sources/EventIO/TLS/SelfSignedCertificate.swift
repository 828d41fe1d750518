import ASCIIText
import COpenSSL

/// A throw-away certificate with a P-256 key, for a server on a developer's machine. It is valid for seven
/// days and exists in memory only.
public struct SelfSignedCertificate: Sendable {
    /// The certificate in PEM.
    public let certificate: [UInt8]
    /// Its key in PEM.
    public let key: [UInt8]
    /// The SHA-256 of its public key, as `curl --pinnedpubkey` takes it: `sha256//` and base64.
    public let pin: String

    /// The certificate and its key, for a `TLSServerConfiguration`.
    public var identity: TLSConfiguration.Identity {
        TLSConfiguration.Identity(certificateChain: .bytes(certificate), privateKey: .bytes(key))
    }

    /// How long it is valid.
    public static let days = 7

    /// Makes a key and a certificate for `localhost`, `127.0.0.1`, `::1` and these hosts.
    ///
    /// - Parameter hosts: further DNS names or numeric addresses.
    /// - Throws: `.configuration` for a host that cannot be in a certificate.
    public init(hosts: [String] = []) throws(TLSError) {
        var names: [String] = []
        for host in ["localhost", "127.0.0.1", "::1"] + hosts {
            let name: String
            if let address = SocketAddress(host: host, port: 0) {
                name = "IP:" + address.host
            } else {
                guard CertificateNames.fault(of: host) == nil, !host.utf8.contains(Byte.colon) else {
                    throw TLSError(.configuration, "'\(host)' is not a host name or an address")
                }
                name = "DNS:" + host.lowercased()
            }
            if !names.contains(name) { names.append(name) }
        }
        ERR_clear_error()
        guard let key = copenssl_EC_gen("P-256"), let made = X509_new() else { throw Self.failure }
        defer { EVP_PKEY_free(key) }
        defer { X509_free(made) }
        guard Self.fill(made, key, names.joined(separator: ",")), X509_sign(made, key, EVP_sha256()) > 0,
            let certificate = Self.pem({ PEM_write_bio_X509($0, made) }),
            let secret = Self.pem({ PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }),
            let hash = TLSPins.hash(ofKeyOf: made)
        else { throw Self.failure }
        self.certificate = certificate
        self.key = secret
        pin = "sha256//" + Self.base64(hash)
    }

    private static var failure: TLSError { TLSError(.configuration, TLSError.openSSLReason) }

    private static func fill(_ made: OpaquePointer, _ key: OpaquePointer, _ names: String) -> Bool {
        var serial: UInt64 = 0
        let isRandom = withUnsafeMutableBytes(of: &serial) {
            RAND_bytes($0.bindMemory(to: UInt8.self).baseAddress, Int32($0.count)) == 1
        }
        X509_set_version(made, 2)
        // Positive, as RFC 5280 4.1.2.2 requires.
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(made), serial >> 1 | 1)
        // An hour of grace for clocks that run behind.
        X509_gmtime_adj(X509_getm_notBefore(made), -3600)
        X509_gmtime_adj(X509_getm_notAfter(made), days * 86_400)
        X509_set_pubkey(made, key)
        let subject = X509_get_subject_name(made)
        // 0x1001 is MBSTRING_ASC, a macro that Swift does not import.
        X509_NAME_add_entry_by_txt(subject, "CN", 0x1001, "Sluice, self-signed", -1, -1, 0)
        X509_set_issuer_name(made, subject)
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, made, made, nil, nil, 0)
        let extensions: [(Int32, String)] = [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, names),
        ]
        return isRandom
            && extensions.allSatisfy { kind, value in
                guard let made = X509V3_EXT_conf_nid(nil, &context, kind, value) else { return false }
                defer { X509_EXTENSION_free(made) }
                return X509_add_ext(context.subject_cert, made, -1) == 1
            }
    }

    private static func pem(_ write: (OpaquePointer?) -> Int32) -> [UInt8]? {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        let count = copenssl_BIO_get_mem_data(bio, &start)
        return Array(UnsafeRawBufferPointer(start: start, count: max(0, count)))
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: bytes.count / 3 * 4 + 5)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text[..<Int(count)], as: UTF8.self)
    }
}
