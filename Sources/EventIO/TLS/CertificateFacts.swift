import COpenSSL
import Glibc

/// Reads X.509 certificates.
enum CertificateFacts {
    struct Names {
        var dnsNames: [String] = []
        var uris: [String] = []
        var addresses: [String] = []
    }

    /// The names of the subjectAltName, in order. Names with a NUL or other control characters are left out.
    static func names(of certificate: OpaquePointer) -> Names {
        var names = Names()
        guard let read = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
            ERR_clear_error()
            return names
        }
        let all = OpaquePointer(read)
        defer { GENERAL_NAMES_free(all) }
        for index in 0..<copenssl_sk_GENERAL_NAME_num(all) {
            guard let name = copenssl_sk_GENERAL_NAME_value(all, index) else { continue }
            if let address = copenssl_GENERAL_NAME_address(name) {
                text(ofAddress: bytes(of: address)).map { names.addresses.append($0) }
            } else if let value = copenssl_GENERAL_NAME_text(name), let text = text(of: value) {
                if name.pointee.type == GEN_DNS {
                    names.dnsNames.append(text)
                } else {
                    names.uris.append(text)
                }
            }
        }
        return names
    }

    private static func bytes(of value: UnsafePointer<ASN1_STRING>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value)))
    }

    private static func text(of value: UnsafePointer<ASN1_STRING>) -> String? {
        let bytes = bytes(of: value)
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func text(ofAddress bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let bits = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        return SocketAddress(bits: bits, isIPv4: bytes.count == 4).host
    }

    /// The subject in one line, at most 1024 bytes. OpenSSL escapes all but printable ASCII.
    static func subject(of certificate: OpaquePointer) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        X509_NAME_print_ex(bio, X509_get_subject_name(certificate), 0, UInt(copenssl_XN_FLAG_ONELINE))
        var start: UnsafeMutablePointer<CChar>?
        let count = min(1024, max(0, copenssl_BIO_get_mem_data(bio, &start)))
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The SHA-256 of the certificate, in 64 hexadecimal digits.
    static func sha256(of certificate: OpaquePointer) -> String {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &encoded)
        defer { CRYPTO_free(encoded, "", 0) }
        let digest = SHA256()
        digest.append(UnsafeRawBufferPointer(start: encoded, count: max(0, Int(count))))
        return digest.finishHexadecimal()
    }

    /// In seconds since 1970; nil if the time cannot be read.
    static func notAfter(of certificate: OpaquePointer) -> Int? { seconds(X509_get0_notAfter(certificate)) }
    static func notBefore(of certificate: OpaquePointer) -> Int? { seconds(X509_get0_notBefore(certificate)) }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
        var parts = tm()
        guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return timegm(&parts)
    }

    /// Whether it requires a stapled OCSP response (RFC 7633).
    static func mustStaple(_ certificate: OpaquePointer) -> Bool {
        X509_get_ext_by_NID(certificate, NID_tlsfeature, -1) >= 0
    }

    /// Whether `issuer` has signed the certificate.
    static func isIssuer(_ issuer: OpaquePointer, of certificate: OpaquePointer) -> Bool {
        defer { ERR_clear_error() }
        return X509_check_issued(issuer, certificate) == X509_V_OK
            && X509_verify(certificate, X509_get0_pubkey(issuer)) == 1
    }
}
