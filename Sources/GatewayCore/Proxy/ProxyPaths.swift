import ASCIIText
import EndpointPlans
import HTTPModel
import Networking

/// How the paths of a proxy's requests map to its upstream's paths.
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

extension ProxyPaths {
    /// The paths of a proxy as far as they are known without a request; nil if its prefix has parameters.
    ///
    /// - Parameters:
    ///   - template: the path of its endpoints.
    ///   - upstreamPrefix: as in the property.
    init?(_ template: PathTemplate, upstreamPrefix: [UInt8]) {
        var prefix: [UInt8] = template.segments.isEmpty ? [UInt8(ascii: "/")] : []
        for segment in template.segments {
            prefix.append(UInt8(ascii: "/"))
            switch segment {
            case .literal(let bytes):
                for byte in bytes {
                    if ASCII.isSegmentByte(byte) {
                        prefix.append(byte)
                    } else {
                        prefix += [UInt8(ascii: "%"), ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)]
                    }
                }
            case .parameter: return nil
            case .rest: break
            }
        }
        self.init(
            requestPrefix: prefix[...], upstreamPrefix: upstreamPrefix, isFixed: !template.endsInRest)
    }
}

/// A proxy as other endpoints of the gateway see it.
struct ProxyPlace: Sendable {
    let upstream: Upstream
    let paths: ProxyPaths
    let passesGet: Bool
}

/// The proxies of a gateway by upstream, to find the gateway's path for an upstream's address.
struct ProxyTable: Sendable {
    private let places: [String: [ProxyPlace]]

    init(_ places: [ProxyPlace]) {
        // Most clients follow an address with GET. Of nested proxies the inner one is meant.
        self.places = Dictionary(grouping: places, by: \.upstream.name).mapValues { places in
            places.sorted { left, right in
                if left.passesGet != right.passesGet { return left.passesGet }
                return left.paths.upstreamPrefix.count > right.paths.upstreamPrefix.count
            }
        }
    }

    /// Returns the gateway's path for a path of the upstream, with query and fragment; nil if no proxy has
    /// it.
    func publicPath(of path: [UInt8], at upstream: Upstream) -> ArraySlice<UInt8>? {
        for place in places[upstream.name] ?? [] where place.upstream.sharesOrigin(with: upstream) {
            if let own = place.paths.publicPath(of: path) { return own }
        }
        return nil
    }
}

extension Upstream {
    /// Whether both have an address in common. Upstreams of one name may be at different addresses, for
    /// example if targets compute them.
    fileprivate func sharesOrigin(with other: Upstream) -> Bool {
        self === other
            || baseURLs.contains { url in other.baseURLs.contains { $0.hasSameServer(as: url) } }
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
