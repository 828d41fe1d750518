import COpenSSL

/// When a client has to prove its certificate again: at the end of the first certificate in the chain that
/// the server has verified. A resumed session is not verified, and each resumption by TLS 1.3 gets a ticket
/// with a new life, so the time goes from ticket to ticket as application data of the session.
enum TicketExpiry {
    /// Puts the time into the session of a full handshake. Returns whether that succeeded.
    static func note(in session: OpaquePointer, of ssl: OpaquePointer) -> Bool {
        guard let chain = SSL_get0_verified_chain(ssl) else { return true }
        let ends = (0..<copenssl_sk_X509_num(chain)).map { index in
            copenssl_sk_X509_value(chain, index).flatMap { CertificateFacts.notAfter(of: $0) } ?? 0
        }
        let expiry = Int64(ends.min() ?? 0)
        return withUnsafeBytes(of: expiry) {
            SSL_SESSION_set1_ticket_appdata(session, $0.baseAddress, $0.count) == 1
        }
    }

    /// Whether the session of a ticket may be resumed. One without a client's certificate always may.
    static func allows(_ session: OpaquePointer, at now: Int) -> Bool {
        guard SSL_SESSION_get0_peer(session) != nil else { return true }
        var noted: UnsafeMutableRawPointer?
        var count = 0
        guard SSL_SESSION_get0_ticket_appdata(session, &noted, &count) == 1, let noted,
            count == MemoryLayout<Int64>.size
        else { return false }
        return noted.loadUnaligned(as: Int64.self) > now
    }
}

/// Called by OpenSSL before it encrypts a ticket. Returns 1, or 0 to end the handshake.
func tlsTicketMade(_ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    guard let ssl, let session = SSL_get_session(ssl) else { return 0 }
    // A resumed session has brought its time along.
    return SSL_session_reused(ssl) == 1 || TicketExpiry.note(in: session, of: ssl) ? 1 : 0
}

/// Called by OpenSSL with the session of a decrypted ticket.
func tlsTicketDecrypted(
    _ ssl: OpaquePointer?, _ session: OpaquePointer?, _: UnsafePointer<UInt8>?, _: Int,
    _ status: SSL_TICKET_STATUS, _: UnsafeMutableRawPointer?
) -> SSL_TICKET_RETURN {
    switch status {
    case SSL_TICKET_SUCCESS, SSL_TICKET_SUCCESS_RENEW:
        guard let ssl, let session, let server = TLSEngine.of(ssl)?.server,
            TicketExpiry.allows(session, at: server.tickets.wallClock())
        else { return SSL_TICKET_RETURN_IGNORE_RENEW }
        return status == SSL_TICKET_SUCCESS ? SSL_TICKET_RETURN_USE : SSL_TICKET_RETURN_USE_RENEW
    default: return SSL_TICKET_RETURN_IGNORE_RENEW
    }
}
