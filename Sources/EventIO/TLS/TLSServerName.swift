import ASCIIText
import COpenSSL
import Glibc

/// The name a server must prove: a DNS name or an IP address. An address is never sent as SNI (RFC 6066,
/// section 3).
enum TLSServerName {
    static func isValid(_ name: String) -> Bool {
        let bytes = bare(name).utf8
        return (1...255).contains(bytes.count) && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x2f }
    }

    /// Makes `ssl` send the name and require it in the certificate. Returns false for an invalid name.
    static func expect(_ name: String, on ssl: OpaquePointer) -> Bool {
        let name = bare(name)
        guard isValid(name) else { return false }
        guard let parameters = SSL_get0_param(ssl) else { return false }
        if SocketAddress(host: name, port: 0) != nil {
            // The zone names a local interface, which no certificate contains.
            let address = name.split(separator: "%").first.map(String.init) ?? name
            return X509_VERIFY_PARAM_set1_ip_asc(parameters, address) == 1
        }
        X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        return X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1
            && copenssl_set_tlsext_host_name(ssl, name) == 1
    }

    /// Removes the final dot of an absolute name (RFC 6066 3), or the brackets of an IPv6 address.
    private static func bare(_ name: String) -> String {
        if name.hasPrefix("["), name.hasSuffix("]") { return String(name.dropFirst().dropLast()) }
        return HostName.withoutFinalDot(name)
    }
}
