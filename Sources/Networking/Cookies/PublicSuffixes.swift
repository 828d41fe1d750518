import CPSL

/// Domains under which anyone can register a name. A cookie for such a domain would reach strangers (RFC
/// 6265bis 5.7.3).
///
/// The list is the public suffix list in libpsl, as its package was built: it is the same for every process
/// of a machine, and reading it takes no file. A lookup takes 0.1 us.
enum PublicSuffixes {
    /// Whether the domain is a public suffix: one of the list, of its private part (`github.io`) too, or any
    /// single label.
    ///
    /// - Parameter domain: in lower case, as ASCII (`xn--`) or UTF-8, without a leading or final dot.
    static func contains(_ domain: String) -> Bool {
        // Without a list, which Debian's library has, only single labels are known.
        guard let list = psl_builtin() else { return !domain.utf8.contains(UInt8(ascii: ".")) }
        return psl_is_public_suffix2(list, domain, PSL_TYPE_ANY) != 0
    }
}
