import COpenSSL

/// What PEM text holds of certificates, with the name under which complaints speak of it.
struct TLSCertificates: ~Copyable {
    let subject: String
    /// At least one. Made by `PEM_read_bio_X509`, freed in `deinit`: who keeps one takes a reference of his own.
    let all: [OpaquePointer]

    static func read(_ text: TLSText) throws(TLSError) -> TLSCertificates {
        var all: [OpaquePointer] = []
        while let certificate = PEM_read_bio_X509(text.handle, nil, tlsPassword, nil) {
            all.append(certificate)
        }
        // After the last one OpenSSL complains that no further begins; anything else is one that is broken.
        let code = ERR_peek_last_error()
        ERR_clear_error()
        let certificates = TLSCertificates(subject: text.subject, all: all)
        guard ERR_GET_REASON(code) == PEM_R_NO_START_LINE else {
            throw TLSError(
                .configuration, "\(text.subject): certificate \(all.count + 1): \(text.reason(code))")
        }
        guard !all.isEmpty else {
            throw TLSError(.configuration, "\(text.subject): no certificate is in it")
        }
        return certificates
    }

    deinit {
        for certificate in all { X509_free(certificate) }
    }
}
