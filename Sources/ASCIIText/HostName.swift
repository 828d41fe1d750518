/// Whether two texts name the same host.
///
/// The final dot of `example.com.` says that the name is complete, so that no search domain is appended to it
/// (RFC 3986 3.2.2, resolv.conf(5)). Servers, certificates and settings leave it out: it matters to the
/// resolver and is sent in `Host`, but does not make another host. Everything that compares hosts does it
/// here: cookies, redirects, `Location` behind a gateway, base URLs, server names in TLS, settings by host,
/// `no_proxy`, names of a gateway. Connections are not shared, because a resolver may find other addresses.
public enum HostName {
    /// Whether both are the same name, but for the final dot of an absolute name. Both in the same case.
    public static func areSame(_ one: String, _ other: String) -> Bool {
        one == other || withoutFinalDot(one) == withoutFinalDot(other)
    }

    /// Whether the name ends in a dot, so that a resolver does not complete it.
    public static func isAbsolute(_ name: String) -> Bool { name.utf8.last == Byte.point }

    /// Returns the name without the final dot of an absolute name: the form in which hosts are compared.
    public static func withoutFinalDot(_ name: String) -> String {
        isAbsolute(name) ? String(Substring(name.utf8.dropLast())) : name
    }

    /// Returns the bytes of a name without the final dot of an absolute name.
    public static func withoutFinalDot(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        name.last == Byte.point ? UnsafeRawBufferPointer(rebasing: name.dropLast()) : name
    }
}
