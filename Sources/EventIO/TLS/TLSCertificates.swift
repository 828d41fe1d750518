import COpenSSL

struct TLSCertificates: ~Copyable {
    let subject: String
    /// At least one. Created by `PEM_read_bio_X509`, freed in `deinit`.
    let all: [OpaquePointer]

    static func read(_ text: TLSPEMText) throws(TLSError) -> TLSCertificates {
        var all: [OpaquePointer] = []
        while let certificate = PEM_read_bio_X509(text.handle, nil, tlsPassword, nil) {
            all.append(certificate)
        }
        // After the last certificate OpenSSL reports that no other starts. Any other error means a broken
        // certificate.
        let code = ERR_peek_last_error()
        ERR_clear_error()
        let certificates = TLSCertificates(subject: text.subject, all: all)
        guard ERR_GET_REASON(code) == PEM_R_NO_START_LINE else {
            throw TLSError(
                .configuration, "\(text.subject): certificate \(all.count + 1) is not valid")
        }
        guard !all.isEmpty else {
            throw TLSError(.configuration, "\(text.subject): contains no certificate")
        }
        return certificates
    }

    /// When the first of them expires, in seconds since 1970; nil if a time cannot be read.
    var firstExpiry: Int? {
        all.compactMap { CertificateFacts.notAfter(of: $0) }.min()
    }

    deinit {
        for certificate in all { X509_free(certificate) }
    }
}
