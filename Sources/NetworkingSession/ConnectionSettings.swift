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
    /// For single hosts instead, whoever calls them: an authority of one's own, a client certificate, pinned keys. The key is
    /// `host` for all of its ports, or `host:port`, which goes first: `bank.test`, `10.0.0.7:8443`, `[::1]`. Connections with
    /// different configurations are never shared.
    public var tlsByHost: [String: TLSConfiguration] = [:]
    /// For single upstreams instead, before `tlsByHost`: by the name that a provider was given as its `upstream`, or a
    /// gateway's. A provider that is only called by its target's type has no such name, and a redirect to another origin
    /// leaves it behind. A gateway does not start where nobody declares an upstream of that name.
    public var tlsByUpstream: [String: TLSConfiguration] = [:]
    /// Default none.
    public var proxy = Proxy.none

    /// Verified by the system's roots, without a proxy.
    public init() {}

    /// A key of `tlsByHost` that is no host, or that names a host twice.
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
