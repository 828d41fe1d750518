import ASCIIText
import CAres

/// The names that a lookup tries one after the other, by `search` and `ndots` of resolv.conf(5).
///
/// c-ares has a search list of its own, but follows it for each query: the IPv4 addresses of one name could
/// be mixed with the IPv6 addresses of another.
struct SearchList {
    private let domains: [String]
    private let dots: Int

    init(domains: [String], dots: Int) {
        self.domains = domains
        self.dots = dots
    }

    /// Reads the list that `channel` got from its configuration. Empty if memory runs out.
    init(of channel: ares_channel) {
        var options = ares_options()
        var mask: Int32 = 0
        guard ares_save_options(channel, &options, &mask) == ARES_SUCCESS else {
            self.init(domains: [], dots: 1)
            return
        }
        // Allocated by `ares_save_options`, freed here.
        defer { ares_destroy_options(&options) }
        let domains = (0..<Int(max(0, options.ndomains))).compactMap { index in
            options.domains?[index].map { String(cString: $0) }
        }
        self.init(domains: domains, dots: Int(options.ndots))
    }

    /// Returns the names to try in order. A name with a dot at its end is tried as it is, and a name with at
    /// least `ndots` dots is tried first as it is.
    func names(for host: String) -> [String] {
        guard !HostName.isAbsolute(host) else { return [host] }
        var names = domains.map { domain in
            let domain = HostName.withoutFinalDot(domain)
            return domain.isEmpty ? host : "\(host).\(domain)"
        }
        let isFirst = host.utf8.count { $0 == UInt8(ascii: ".") } >= dots
        names.removeAll { $0 == host }
        names.insert(host, at: isFirst ? 0 : names.endIndex)
        return names
    }
}
