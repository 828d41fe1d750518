public import EventIO
public import HTTPOutbound

@_exported public import struct EventIO.TLSConfiguration
@_exported public import class EventIO.TLSContext
@_exported public import struct EventIO.TLSError
@_exported public import struct HTTPOutbound.NoProxy
@_exported public import struct HTTPOutbound.ProxyConfiguration
@_exported public import struct HTTPOutbound.ProxyEnvironment

/// How to connect to upstreams: their TLS settings and the proxy on the way.
public struct ConnectionSettings: Sendable {
    /// For all `https` upstreams. Default: the system's roots, TLS 1.2 and up.
    public var tls = TLSConfiguration()
    /// For single hosts instead: an authority of your own, a client certificate, pinned keys. The key is `host` for all of its
    /// ports, or `host:port`, which takes precedence: `bank.test`, `10.0.0.7:8443`, `[::1]`. Connections with different
    /// settings are never shared.
    public var tlsByHost: [String: TLSConfiguration] = [:]
    /// For single upstreams instead, before `tlsByHost`. The key is the name that a provider was given as its `upstream`, or
    /// the name of a gateway's upstream. A provider created without `upstream` has no such name, and a redirect to another
    /// origin loses it. A gateway refuses to start if a key names none of its upstreams.
    public var tlsByUpstream: [String: TLSConfiguration] = [:]
    /// Default: none.
    public var proxy = Proxy.none

    /// The system's roots, without a proxy.
    public init() {}

    /// A key of `tlsByHost` that is not a host, or that repeats one.
    public struct InvalidHost: Error, Sendable, Hashable, CustomStringConvertible {
        /// The key.
        public let text: String
        let isRepeated: Bool

        public var description: String {
            isRepeated
                ? "tlsByHost names the host '\(text)' twice"
                : "tlsByHost: '\(text)' is not a host or host:port"
        }
    }

    /// The proxy between the session and its upstreams.
    public struct Proxy: Sendable {
        enum Kind: Sendable {
            case none
            case environment
            case fixed(ProxyConfiguration, except: NoProxy)
        }

        let kind: Kind

        /// Connects directly.
        public static let none = Proxy(kind: .none)
        /// As the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say (`ProxyEnvironment`), read once. An
        /// invalid one causes a warning, and fails at most the calls that need it.
        public static let environment = Proxy(kind: .environment)

        /// The same proxy for all upstreams, except for these hosts.
        public static func fixed(_ proxy: ProxyConfiguration, except: NoProxy = NoProxy()) -> Proxy {
            Proxy(kind: .fixed(proxy, except: except))
        }
    }
}
