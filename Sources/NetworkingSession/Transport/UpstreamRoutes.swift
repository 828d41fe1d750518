import EventIO
import FoundationEssentials
import HTTPModel
import HTTPOutbound
import Networking

/// Where each upstream is, and by which TLS and which proxy: the settings, read once and checked.
package struct UpstreamRoutes: Sendable {
    private enum Proxying: Sendable {
        case none
        case environment(ProxyEnvironment)
        case fixed(ProxyConfiguration, except: NoProxy)
    }

    private let contexts: [String: TLSContext]
    /// Made when an upstream needs it, unless something was said about it: the system's roots take a moment to read.
    private let context: TLSContext?
    private let proxying: Proxying
    /// What was not understood of the environment, a line each, without passwords. Such an entry is skipped, or fails the calls
    /// that need it.
    package let warnings: [String]

    /// Straight, verified by the system's roots.
    package init() {
        contexts = [:]
        context = nil
        proxying = .none
        warnings = []
    }

    /// Reads the files that the settings name; blocks for as long as that takes.
    ///
    /// - Parameter variables: the process's environment.
    package init(
        _ settings: ConnectionSettings, variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws(TLSError) {
        var contexts: [String: TLSContext] = [:]
        for (name, configuration) in settings.tlsByUpstream {
            contexts[name] = try TLSContext.shared(for: configuration)
        }
        self.contexts = contexts
        context = settings.tls == TLSConfiguration() ? nil : try TLSContext.shared(for: settings.tls)
        switch settings.proxy.form {
        case .none: (proxying, warnings) = (.none, [])
        case .environment:
            let environment = ProxyEnvironment(variables)
            (proxying, warnings) = (.environment(environment), environment.warnings)
        case .fixed(let proxy, let except): (proxying, warnings) = (.fixed(proxy, except: except), [])
        }
    }

    func origin(of upstream: Networking.Upstream) throws(TransportError) -> Origin {
        if let path = upstream.unixSocketPath {
            guard let origin = Origin(unixSocket: path) else { throw Self.unreachable(upstream) }
            return origin
        }
        let url = upstream.baseURL
        guard let port = UInt16(exactly: url.port) else { throw Self.unreachable(upstream) }
        let tls = try url.scheme == .https ? context(for: upstream) : nil
        guard
            let origin = Origin(
                scheme: tls == nil ? .http : .https, host: url.host, port: port, tls: tls)
        else { throw Self.unreachable(upstream) }
        switch proxying {
        case .none: return origin
        case .environment(let environment):
            do throws(ProxyConfiguration.Failure) {
                return try origin.through(environment)
            } catch {
                throw TransportError(
                    .internalError, "the environment names no usable proxy: \(error)", underlying: error)
            }
        case .fixed(let proxy, let except):
            return except.contains(host: url.host, port: port) ? origin : origin.through(proxy)
        }
    }

    private func context(for upstream: Networking.Upstream) throws(TransportError) -> TLSContext {
        let named = upstream.isElsewhere ? nil : contexts[upstream.name]
        if let own = named ?? contexts[upstream.baseURL.host] ?? context { return own }
        do {
            return try TLSContext.shared()
        } catch {
            throw TransportError(.internalError, "TLS cannot be set up: \(error)", underlying: error)
        }
    }

    private static func unreachable(_ upstream: Networking.Upstream) -> TransportError {
        TransportError(
            .destinationUnavailable,
            "the address of upstream \(upstream.name) is not one that can be connected to")
    }
}
