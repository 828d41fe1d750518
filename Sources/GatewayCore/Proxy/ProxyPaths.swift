import HTTPModel

/// How the paths of a proxy's request map to those of its upstream.
///
///     gateway.proxy("/images/{path...}", to: images, at: "/pictures")
///
///     the client's   /images/2026/cat.png       prefix /images/
///     the upstream's /pictures/2026/cat.png     prefix /pictures/, behind the path of its base URL
struct ProxyPaths: Sendable {
    /// Of the request, percent-encoded, up to what the upstream gets.
    let requestPrefix: ArraySlice<UInt8>
    /// Of the upstream, percent-encoded, with the path of its base URL and without a slash at its end.
    let upstreamPrefix: [UInt8]
    /// Whether the prefixes are whole paths.
    let isFixed: Bool

    /// Returns the gateway's path for a path of the upstream, with query and fragment; nil if it has none.
    func publicPath(of path: [UInt8]) -> ArraySlice<UInt8>? {
        let prefix =
            isFixed && !upstreamPrefix.isEmpty ? upstreamPrefix : upstreamPrefix + [UInt8(ascii: "/")]
        guard path.starts(with: prefix) else { return nil }
        let rest = path[prefix.count...]
        if isFixed, let next = rest.first, next != UInt8(ascii: "?"), next != UInt8(ascii: "#") { return nil }
        let own = requestPrefix + rest
        // A browser would take the first segment of `//name/` for a host.
        return own.starts(with: "//".utf8) ? nil : own
    }
}

extension ArraySlice where Element == UInt8 {
    /// The rest of a path from its nth segment on, percent-encoded; nil if it has fewer.
    func path(fromSegment number: Int) -> ArraySlice<UInt8>? {
        var slashes = 0
        for index in indices where self[index] == UInt8(ascii: "/") {
            slashes += 1
            if slashes == number { return self[(index + 1)...] }
        }
        return nil
    }
}
