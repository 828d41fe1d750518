import ASCIIText
import COpenSSL

/// Called by OpenSSL to verify the peer's certificate. Returns 1, or 0 with the reason in `store`.
func tlsVerifyCertificate(_ store: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    guard let store,
        let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let engine = TLSEngine.of(OpaquePointer(ssl))
    else { return 0 }
    switch engine.role {
    case .client(let context, _, _): return verifyServer(context, store, engine)
    case .server(let context): return verifyClient(context, store, engine)
    }
}

private func verifyServer(_ context: TLSContext, _ store: OpaquePointer, _ engine: TLSEngine) -> Int32 {
    if context.configuration.verification.isFull {
        guard verifyChain(store, engine) else { return 0 }
        guard context.pins.isEmpty || hasPin(context.pins, inChainOf: store) else { return refuse(store) }
    } else if !context.pins.isEmpty {
        // Anyone can send any certificate in an unverified chain, so only the server's own counts.
        guard let certificate = X509_STORE_CTX_get0_cert(store), context.pins.contain(keyOf: certificate)
        else { return refuse(store) }
    }
    X509_STORE_CTX_set_error(store, X509_V_OK)
    return 1
}

private func verifyClient(_ context: TLSServerContext, _ store: OpaquePointer, _ engine: TLSEngine) -> Int32 {
    guard verifyChain(store, engine) else { return 0 }
    guard let names = context.clientNames else { return 1 }
    guard let certificate = X509_STORE_CTX_get0_cert(store) else { return refuse(store) }
    let own = CertificateFacts.names(of: certificate)
    guard names.match(dnsNames: own.dnsNames, uris: own.uris) == nil else { return 1 }
    engine.refusedSubject = subject(ofRefusedIn: store)
    return refuse(store)
}

private func verifyChain(_ store: OpaquePointer, _ engine: TLSEngine) -> Bool {
    guard X509_verify_cert(store) == 1 else {
        engine.refusedSubject = subject(ofRefusedIn: store)
        return false
    }
    return true
}

private func hasPin(_ pins: TLSPins, inChainOf store: OpaquePointer) -> Bool {
    guard let chain = X509_STORE_CTX_get0_chain(store) else { return false }
    return (0..<copenssl_sk_X509_num(chain)).contains { index in
        copenssl_sk_X509_value(chain, index).map { pins.contain(keyOf: $0) } ?? false
    }
}

private func refuse(_ store: OpaquePointer) -> Int32 {
    X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
    return 0
}

/// Returns the subject of the certificate that was refused: the server's own or one of its chain.
private func subject(ofRefusedIn store: OpaquePointer) -> String? {
    guard
        let certificate = X509_STORE_CTX_get_current_cert(store) ?? X509_STORE_CTX_get0_cert(store),
        let name = X509_get_subject_name(certificate)
    else { return nil }
    // The server chooses the text, so it is cut. OpenSSL escapes bytes that are not printable ASCII.
    var text = [CChar](repeating: 0, count: 256)
    guard X509_NAME_oneline(name, &text, Int32(text.count)) != nil else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
