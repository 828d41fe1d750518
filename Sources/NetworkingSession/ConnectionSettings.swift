public import EventIO
public import HTTPOutbound

@_exported public import struct EventIO.TLSConfiguration
@_exported public import class EventIO.TLSContext
@_exported public import struct EventIO.TLSError
@_exported public import struct HTTPOutbound.NoProxy
@_exported public import struct HTTPOutbound.ProxyConfiguration
@_exported public import struct HTTPOutbound.ProxyEnvironment

/// How upstreams are connected to: what their TLS has to show, and by way of which proxy.
public struct ConnectionSettings: Sendable {
    /// For `https` upstreams. Default: verified by the system's roots, TLS 1.2 and up.
    public var tls = TLSConfiguration()
    /// For single upstreams instead, by their name or else by their host: an authority of one's own, a client certificate,
    /// pinned keys. Connections with different configurations are never shared. A redirect to another origin has what its
    /// host is given, and nothing of the upstream's name.
    public var tlsByUpstream: [String: TLSConfiguration] = [:]
    /// Default none.
    public var proxy = Proxy.none

    /// Verified by the system's roots, without a proxy.
    public init() {}

    /// The proxy between here and the upstreams.
    public struct Proxy: Sendable {
        enum Form: Sendable {
            case none
            case environment
            case fixed(ProxyConfiguration, except: NoProxy)
        }

        let form: Form

        /// Upstreams are connected to straight.
        public static let none = Proxy(form: .none)
        /// As `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say (`ProxyEnvironment`), read once. What is not
        /// understood of them is a warning, and fails at most the calls that need it.
        public static let environment = Proxy(form: .environment)

        /// One for all, but for those that are excepted.
        public static func fixed(_ proxy: ProxyConfiguration, except: NoProxy = NoProxy()) -> Proxy {
            Proxy(form: .fixed(proxy, except: except))
        }
    }
}
