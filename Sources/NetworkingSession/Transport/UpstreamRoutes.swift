import ASCIIText
import EventIO
import FoundationEssentials
import HTTPModel
import HTTPOutbound
import Locking
package import Metrics
package import Networking

/// Each upstream's origin, TLS and proxy, from settings that are read and checked once.
package struct UpstreamRoutes: Sendable {
    private enum ProxyRule: Sendable {
        case none
        case environment(OutboundProxyEnvironment)
        case fixed(OutboundProxy, except: NoProxy)
    }

    private let byUpstream: [String: TLSContext]
    private let byHost: [Host: TLSContext]
    private let resolvers: [String: Resolver]
    private let limits: [String: OutboundLimits]
    /// Nil for the default settings, which use `system`.
    private let context: TLSContext?
    private let system = SystemContext()
    private let proxyRule: ProxyRule
    /// One line for each invalid proxy variable, without passwords. It is skipped, or fails the calls that
    /// need it.
    package let warnings: [String]

    /// Direct connections with the system's roots.
    package init() {
        byUpstream = [:]
        byHost = [:]
        resolvers = [:]
        limits = [:]
        context = nil
        proxyRule = .none
        warnings = []
    }

    /// Reads the files that the settings name. Blocks while it reads.
    ///
    /// - Parameters:
    ///   - settings: TLS and proxies.
    ///   - variables: the process's environment.
    /// - Throws: `TLSError`, `ConnectionSettings.InvalidHost`, `InvalidDNSSettings`.
    package init(
        _ settings: ConnectionSettings, variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        byUpstream = try settings.tlsByUpstream.mapValues { try TLSContext.shared(for: $0) }
        var byHost: [Host: TLSContext] = [:]
        for (text, configuration) in settings.tlsByHost {
            let host = try Host(text)
            guard byHost.updateValue(try TLSContext.shared(for: configuration), forKey: host) == nil else {
                throw ConnectionSettings.InvalidHost(text: host.description, isRepeated: true)
            }
        }
        self.byHost = byHost
        resolvers = try settings.dnsByUpstream.mapValues { try Resolver.shared($0) }
        limits = settings.limitsByUpstream
        context = settings.tls == TLSConfiguration() ? nil : try TLSContext.shared(for: settings.tls)
        switch settings.proxy.kind {
        case .none: (proxyRule, warnings) = (.none, [])
        case .environment:
            let environment = OutboundProxyEnvironment(variables)
            (proxyRule, warnings) = (.environment(environment), environment.warnings)
        case .fixed(let proxy, let except): (proxyRule, warnings) = (.fixed(proxy, except: except), [])
        }
    }

    /// Reads what calls to these upstreams would read at first use, such as the system's roots. Blocks while
    /// it reads.
    package func prepare(_ upstreams: [Upstream]) {
        // A fault is reported by the first call.
        for upstream in upstreams { _ = try? origins(of: upstream) }
    }

    /// Counts the lookups of resolvers that upstreams have of their own.
    package func count(in table: MetricTable) {
        for resolver in resolvers.values { resolver.count(in: table) }
    }

    /// Returns when the first configured certificate of each kind expires, in seconds since 1970, by the
    /// upstreams' labels.
    package func certificateExpiries(of upstreams: [Upstream]) -> [String: CertificateExpiries] {
        var expiries: [String: CertificateExpiries] = [:]
        for upstream in upstreams {
            for url in upstream.baseURLs where url.scheme == .https {
                guard let context = configuredContext(for: upstream, at: url) else { continue }
                expiries[upstream.label, default: CertificateExpiries()].add(context)
            }
        }
        return expiries
    }

    /// Returns the origin of each of the upstream's URLs.
    func origins(of upstream: Upstream) throws(TransportError) -> [Origin] {
        var origins: [Origin] = []
        let owner = upstream.isNamed ? upstream.name : nil
        let limits = owner.flatMap { self.limits[$0] }
        for url in upstream.baseURLs {
            origins.append(try origin(of: upstream, at: url).limited(by: limits).owned(by: owner))
        }
        return origins
    }

    private func origin(of upstream: Upstream, at url: HTTPURL) throws(TransportError) -> Origin {
        if let path = upstream.unixSocketPath {
            guard let origin = Origin(unixSocket: path) else { throw Self.unreachable(upstream) }
            return origin
        }
        guard let port = UInt16(exactly: url.port) else { throw Self.unreachable(upstream) }
        let tls = try url.scheme == .https ? context(for: upstream, at: url) : nil
        guard
            var origin = Origin(
                scheme: tls == nil ? .http : .https, host: url.host, port: port, tls: tls)
        else { throw Self.unreachable(upstream) }
        if upstream.isNamed, let resolver = resolvers[upstream.name] {
            origin = origin.resolved(by: resolver)
        }
        switch proxyRule {
        case .none: return origin
        case .environment(let environment):
            do throws(OutboundProxy.Failure) {
                return try origin.through(environment)
            } catch {
                throw TransportError(
                    .internalError, "the environment's proxy cannot be used: \(error)", underlying: error)
            }
        case .fixed(let proxy, let except):
            return except.contains(host: url.host, port: port) ? origin : origin.through(proxy)
        }
    }

    private func context(for upstream: Upstream, at url: HTTPURL) throws(TransportError) -> TLSContext {
        if let configured = configuredContext(for: upstream, at: url) { return configured }
        do {
            return try system.context()
        } catch {
            throw TransportError(.internalError, "TLS cannot be set up: \(error)", underlying: error)
        }
    }

    /// Returns nil for the default settings.
    private func configuredContext(for upstream: Upstream, at url: HTTPURL) -> TLSContext? {
        if upstream.isNamed, let named = byUpstream[upstream.name] { return named }
        let ofHost = byHost[Host(url.host, port: url.port)] ?? byHost[Host(url.host, port: nil)]
        return ofHost ?? context
    }

    private static func unreachable(_ upstream: Upstream) -> TransportError {
        TransportError(
            .destinationUnavailable,
            "the address of upstream \(upstream.name) cannot be connected to")
    }
}

/// When certificates of an upstream expire, in seconds since 1970. Nil without certificates of a kind.
package struct CertificateExpiries: Sendable {
    /// The first one of the chain that is shown to the upstream.
    package private(set) var client: Int?
    /// The first one of the configured authorities.
    package private(set) var authority: Int?

    fileprivate mutating func add(_ context: TLSContext) {
        let expiries = context.certificateExpiries
        client = [client, expiries.client].compactMap(\.self).min()
        authority = [authority, expiries.authority].compactMap(\.self).min()
    }
}

/// A key of `ConnectionSettings.tlsByHost`, in lower case, without brackets, and without the final dot of an
/// absolute name, as in the server names of TLS (RFC 6066 3).
private struct Host: Hashable, CustomStringConvertible {
    private let name: String
    /// Nil for all ports.
    private let port: Int?

    init(_ name: String, port: Int?) {
        self.name = HostName.withoutFinalDot(name)
        self.port = port
    }

    init(_ text: String) throws(ConnectionSettings.InvalidHost) {
        guard let plain = Self.url(.http, text), let secure = Self.url(.https, text) else {
            throw ConnectionSettings.InvalidHost(text: text, isRepeated: false)
        }
        // Without a port, the two URLs have different default ports.
        self.init(plain.host, port: plain.port == secure.port ? plain.port : nil)
    }

    private static func url(_ scheme: HTTPURL.Scheme, _ text: String) -> HTTPURL? {
        guard !text.contains("/"), !text.contains("?") else { return nil }
        let url = try? HTTPURL("\(scheme.rawValue)://\(text)")
        return url ?? (try? HTTPURL("\(scheme.rawValue)://[\(text)]"))
    }

    var description: String { port.map { "\(name):\($0)" } ?? name }
}

/// The context for the default settings, shared by all upstreams. Created when needed: reading the roots
/// takes a moment.
private final class SystemContext: Sendable {
    private let made = Lock<TLSContext?>(nil)

    func context() throws(TLSError) -> TLSContext {
        if let context = made.withLock({ $0 }) { return context }
        let context = try TLSContext.shared()
        return made.withLock { made in
            made = made ?? context
            return made ?? context
        }
    }
}
