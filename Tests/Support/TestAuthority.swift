import COpenSSL

/// A certificate and its key in PEM.
package struct TestIdentity: Sendable {
    package let certificate: String
    package let key: String
    /// The SHA-256 of its SubjectPublicKeyInfo in base64.
    package let pin: String
}

/// The types of keys of test certificates.
package enum TestKey: Sendable {
    case curve(String)
    case rsa(bits: Int32)
    case ed25519
}

/// A certificate authority for one run of the tests.
///
/// `@unchecked Sendable`: key and certificate are constant after `init`.
package final class TestAuthority: @unchecked Sendable {
    /// Shared by all tests, since making keys takes time.
    package static let shared = TestAuthority()
    package static let other = TestAuthority(name: "Another authority")

    private let key: OpaquePointer
    private let certificate: OpaquePointer
    package let identity: TestIdentity

    /// The certificate that clients have to trust.
    package var pem: String { identity.certificate }

    /// - Parameters:
    ///   - issuer: nil for a root authority.
    ///   - days: the period of validity, in days from now.
    package init(
        name: String = "Test authority", issuer: TestAuthority? = nil, days: ClosedRange<Int> = -1...30
    ) {
        key = Self.makeKey()
        certificate = Self.makeCertificate(
            name, of: key, issuer: issuer, alternatives: nil, days: days, isAuthority: true)
        identity = Self.identity(certificate, key, password: nil)
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// Issues a certificate.
    ///
    /// - Parameters:
    ///   - alternatives: the subjectAltName; nil for none.
    ///   - days: the period of validity, in days from now.
    ///   - isSelfSigned: whether it is signed with its own key instead of this authority's.
    ///   - key: the type of its key.
    ///   - mustStaple: whether it requires a stapled OCSP response (RFC 7633).
    package func issue(
        _ alternatives: String? = "DNS:localhost,IP:127.0.0.1", name: String = "A test",
        days: ClosedRange<Int> = -1...30, isSelfSigned: Bool = false, password: String? = nil,
        key type: TestKey = .curve("P-256"), mustStaple: Bool = false
    ) -> TestIdentity {
        let key = Self.makeKey(type)
        defer { EVP_PKEY_free(key) }
        let certificate = Self.makeCertificate(
            name, of: key, issuer: isSelfSigned ? nil : self, alternatives: alternatives, days: days,
            isAuthority: false, mustStaple: mustStaple)
        defer { X509_free(certificate) }
        return Self.identity(certificate, key, password: password)
    }

    private static func makeKey(_ type: TestKey = .curve("P-256")) -> OpaquePointer {
        let key: OpaquePointer?
        switch type {
        case .curve(let name): key = copenssl_EC_gen(name)
        case .rsa(let bits): key = makeKey(EVP_PKEY_RSA) { EVP_PKEY_CTX_set_rsa_keygen_bits($0, bits) }
        case .ed25519: key = makeKey(EVP_PKEY_ED25519) { _ in 1 }
        }
        guard let key else { fatalError("no key could be made") }
        return key
    }

    private static func makeKey(_ kind: Int32, _ setUp: (OpaquePointer?) -> Int32) -> OpaquePointer? {
        let context = EVP_PKEY_CTX_new_id(kind, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, setUp(context) == 1, EVP_PKEY_keygen(context, &key) == 1
        else { return nil }
        return key
    }

    private static func makeCertificate(
        _ name: String, of key: OpaquePointer, issuer: TestAuthority?, alternatives: String?,
        days: ClosedRange<Int>, isAuthority: Bool, mustStaple: Bool = false
    ) -> OpaquePointer {
        guard let certificate = X509_new() else { fatalError("no certificate could be made") }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...(1 << 60)))
        X509_gmtime_adj(X509_getm_notBefore(certificate), days.lowerBound * 86_400)
        X509_gmtime_adj(X509_getm_notAfter(certificate), days.upperBound * 86_400)
        X509_set_pubkey(certificate, key)
        let subject = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(subject, "CN", 0x1001, name, -1, -1, 0)
        X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? subject)
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer?.certificate ?? certificate, certificate, nil, nil, 0)
        var extensions: [(Int32, String)] = [
            (NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"),
            (NID_key_usage, isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature"),
            (NID_subject_key_identifier, "hash"),
        ]
        if let alternatives { extensions.append((NID_subject_alt_name, alternatives)) }
        if mustStaple { extensions.append((NID_tlsfeature, "status_request")) }
        for (kind, value) in extensions {
            guard let made = X509V3_EXT_conf_nid(nil, &context, kind, value) else {
                fatalError("no extension '\(value)' could be made")
            }
            X509_add_ext(certificate, made, -1)
            X509_EXTENSION_free(made)
        }
        guard X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0 else {
            fatalError("no certificate could be signed")
        }
        return certificate
    }

    private static func identity(
        _ certificate: OpaquePointer, _ key: OpaquePointer, password: String?
    ) -> TestIdentity {
        TestIdentity(
            certificate: text { PEM_write_bio_X509($0, certificate) },
            key: text { bio in
                guard let password else {
                    return PEM_write_bio_PrivateKey(bio, key, nil, nil, 0, nil, nil)
                }
                let secret = Array(password.utf8)
                return PEM_write_bio_PrivateKey(
                    bio, key, EVP_aes_256_cbc(), secret, Int32(secret.count), nil, nil)
            },
            pin: pin(of: certificate))
    }

    private static func pin(of certificate: OpaquePointer) -> String {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        defer { CRYPTO_free(encoded, "", 0) }
        var hash = [UInt8](repeating: 0, count: 32)
        EVP_Digest(encoded, Int(count), &hash, nil, EVP_sha256(), nil)
        var base64 = [UInt8](repeating: 0, count: 45)
        let length = EVP_EncodeBlock(&base64, hash, 32)
        return String(decoding: base64[..<Int(length)], as: UTF8.self)
    }

    private static func text(_ write: (OpaquePointer?) -> Int32) -> String {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { fatalError("no PEM could be written") }
        var start: UnsafeMutablePointer<CChar>?
        let count = copenssl_BIO_get_mem_data(bio, &start)
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        return String(decoding: bytes, as: UTF8.self)
    }
}
