import ASCIIText
import HTTPModel

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Upstream {
    /// Whether all addresses are on this machine or in a private network, judged by the base URLs alone: no
    /// name is resolved.
    package var isNearby: Bool {
        unixSocketPath != nil || baseURLs.allSatisfy { NearbyHost.contains($0.host) }
    }
}

/// Hosts that are on this machine or in a private network.
private enum NearbyHost {
    /// - Parameter host: as in `HTTPURL.host`.
    static func contains(_ host: String) -> Bool {
        var ipv4 = in_addr()
        if inet_pton(AF_INET, host, &ipv4) == 1 { return isNearby(ipv4: UInt32(bigEndian: ipv4.s_addr)) }
        var ipv6 = in6_addr()
        if inet_pton(AF_INET6, host, &ipv6) == 1 {
            return withUnsafeBytes(of: ipv6) { isNearby(ipv6: $0) }
        }
        let name = HostName.withoutFinalDot(host)
        // A name with a single label is a service of the same cluster, or localhost.
        guard name.contains(".") else { return !host.contains(":") }
        return suffixes.contains { name.hasSuffix($0) }
    }

    /// RFC 6761 6.3, RFC 6762 3 (also Kubernetes' `cluster.local`), and ICANN's name for private use.
    private static let suffixes = [".localhost", ".local", ".internal"]

    private static func isNearby(ipv4: UInt32) -> Bool {
        ipv4 >> 24 == 127  // loopback
            || ipv4 >> 24 == 10 || ipv4 >> 20 == 0xac1 || ipv4 >> 16 == 0xc0a8  // RFC 1918
            || ipv4 >> 16 == 0xa9fe  // link-local
    }

    private static func isNearby(ipv6: UnsafeRawBufferPointer) -> Bool {
        if ipv6[..<10].allSatisfy({ $0 == 0 }), ipv6[10] == 0xff, ipv6[11] == 0xff {
            // IPv4-mapped (RFC 4291 2.5.5.2)
            return isNearby(ipv4: ipv6[12...].reduce(0) { $0 << 8 | UInt32($1) })
        }
        return ipv6[..<15].allSatisfy { $0 == 0 } && ipv6[15] == 1  // loopback
            || ipv6[0] & 0xfe == 0xfc  // unique local (RFC 4193)
            || ipv6[0] == 0xfe && ipv6[1] & 0xc0 == 0x80  // link-local
    }
}
