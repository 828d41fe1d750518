/// Whether an upstream may compress its responses. It decides which `Accept-Encoding` a gateway's calls have,
/// unless their target sets one. Compressed responses are decoded in either case.
///
///     gateway.upstream("weather") { $0.compression = .never }
public struct UpstreamCompression: Sendable, Hashable {
    private enum Kind { case unlessNearby, always, never }

    private let kind: Kind

    /// Accepts gzip, deflate and br unless the upstream is nearby, where compressing and decoding usually
    /// take longer than the bytes that they save.
    ///
    /// An upstream is nearby if each of its addresses is on this machine or in a private network: a
    /// Unix-domain socket; an IP address of the loopback (`127.0.0.1`, `::1`), of a private network
    /// (`10.0.0.7`, `172.16.0.7`, `192.168.0.7`, `fd00::7`) or of the local link; a name without a dot
    /// (`localhost`, `diary`); a name that ends with `.local`, `.internal` or `.localhost`. Names are not
    /// resolved for it.
    public static let unlessNearby = UpstreamCompression(kind: .unlessNearby)
    /// Accepts gzip, deflate and br.
    public static let always = UpstreamCompression(kind: .always)
    /// Accepts none: `Accept-Encoding: identity`.
    public static let never = UpstreamCompression(kind: .never)

    /// Whether calls to the upstream accept compressed responses.
    package func accepts(from upstream: Upstream) -> Bool {
        switch kind {
        case .unlessNearby: !upstream.isNearby
        case .always: true
        case .never: false
        }
    }
}
