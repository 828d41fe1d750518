public import EventIO
public import HTTPOutbound

@_exported public import struct EventIO.TLSConfiguration
@_exported public import class EventIO.TLSContext
@_exported public import struct EventIO.TLSError
@_exported public import struct HTTPOutbound.NoProxy
@_exported public import struct HTTPOutbound.OutboundProxy
@_exported public import struct HTTPOutbound.OutboundProxyEnvironment

/// How to connect to upstreams: TLS settings and proxies.
public struct ConnectionSettings: Sendable {
    /// For all `https` upstreams. Default: the system's roots and at least TLS 1.2.
    public var tls = TLSConfiguration()
    /// Settings for single hosts: a private authority, a client certificate, pinned keys. The key is `host`
    /// for all ports, or `host:port`, which takes precedence: `bank.test`, `10.0.0.7:8443`, `[::1]`. The
    /// final dot of an absolute name does not matter. Different settings never share connections.
    public var tlsByHost: [String: TLSConfiguration] = [:]
    /// Settings for single upstreams, with precedence over `tlsByHost`. The key is a provider's `upstream` or
    /// the name of a gateway's upstream. A provider created without `upstream` has no such name, and a
    /// redirect to another origin loses it. A gateway refuses to start if a key names none of its upstreams.
    public var tlsByUpstream: [String: TLSConfiguration] = [:]
    /// How the names of single upstreams are resolved, with precedence over the session's or gateway's
    /// settings. The key is as in `tlsByUpstream`.
    public var dnsByUpstream: [String: DNSSettings] = [:]
    /// The limits of single upstreams' connections. They replace the session's or gateway's. The key is as in
    /// `tlsByUpstream`. An upstream with a name has connections of its own, even if another one has the same
    /// address.
    public var limitsByUpstream: [String: OutboundLimits] = [:]
    /// Default none.
    public var proxy = Proxy.none

    /// Creates settings with the system's roots and no proxy.
    public init() {}

    /// The error of a key of `tlsByHost` that is not a host or repeats one.
    public struct InvalidHost: Error, Sendable, Hashable, CustomStringConvertible {
        /// The key.
        public let text: String
        let isRepeated: Bool

        /// What is wrong, in words.
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
            case fixed(OutboundProxy, except: NoProxy)
        }

        let kind: Kind

        /// `none`, `environment`, or the address of a fixed proxy, without its password.
        package var description: String {
            switch kind {
            case .none: "none"
            case .environment: "environment"
            case .fixed(let proxy, _): "http://\(proxy)"
            }
        }

        /// Connects directly.
        public static let none = Proxy(kind: .none)
        /// Uses the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`
        /// (`OutboundProxyEnvironment`), read once. An invalid one causes a warning, and fails at most the
        /// calls that need it.
        public static let environment = Proxy(kind: .environment)

        /// Uses the same proxy for all upstreams except these hosts.
        public static func fixed(_ proxy: OutboundProxy, except: NoProxy = NoProxy()) -> Proxy {
            Proxy(kind: .fixed(proxy, except: except))
        }

        /// The hosts that are reached without a fixed proxy.
        package var exceptions: NoProxy {
            get {
                if case .fixed(_, let hosts) = kind { hosts } else { NoProxy() }
            }
            set {
                if case .fixed(let proxy, _) = kind { self = .fixed(proxy, except: newValue) }
            }
        }
    }
}
