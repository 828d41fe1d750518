import EndpointPlans
import EventIO
import GatewayConfig
import GatewayCore
import HTTPModel
import HTTPOutbound
import Networking
import NetworkingSession

/// Declares an upstream of a file.
struct FileUpstream {
    private let upstream: ConfigUpstream
    private let settings: UpstreamSettings

    init(_ upstream: ConfigUpstream) {
        self.upstream = upstream
        settings = upstream.settings
    }

    private var name: String { upstream.name.value }

    // MARK: Connections

    /// Applies the settings that belong to connections.
    func apply(to configuration: inout GatewayServerConfiguration, _ faults: inout FileFaults) {
        func check(_ key: String, _ test: () throws -> Void) {
            do {
                try test()
            } catch {
                faults.add("\(key): \(error)", at: upstream.changes.place(of: key) ?? upstream.name.place)
            }
        }
        do {
            _ = try Upstream(name: name, baseURLs: settings.urls)
        } catch {
            let place = upstream.changes.place(of: "url") ?? upstream.changes.place(of: "urls")
            faults.add("\(error)", at: place ?? upstream.name.place)
        }
        // A flag has precedence.
        if configuration.upstreams[name] == nil {
            configuration.upstreams[name] = UpstreamURLs(settings.urls)
        }
        if let tls = settings.tls {
            check("tls") { _ = try TLSContext(tls) }
            configuration.connections.tlsByUpstream[name] = tls
        }
        if let dns = settings.dns {
            check("dns") { _ = try Resolver(dns) }
            configuration.connections.dnsByUpstream[name] = dns
        }
        var own = UpstreamSettings()
        own.limits = configuration.outbound
        upstream.changes.apply(to: &own)
        if own.limits != configuration.outbound {
            configuration.connections.limitsByUpstream[name] = own.limits
        }
    }

    // MARK: Calls

    /// Declares the upstream with its policies.
    func declare(on gateway: Gateway) -> PlannedUpstream {
        gateway.upstream(name) { policy in change(&policy) }
        return gateway.plannedUpstream(
            name, UpstreamURLs(settings.urls), policy: settings.calls, envelope: settings.envelope,
            headers: settings.headers, allowsEmptyBody: settings.allowsEmptyBody)
    }

    /// Declares the upstream for requests that pass through.
    func declareProxy(on gateway: Gateway) -> ProxyUpstream {
        gateway.proxyUpstream(name, baseURLs: UpstreamURLs(settings.urls), policy: settings.calls)
    }

    /// Sent with each call.
    var headers: HTTPFields { settings.headers }

    var callPolicy: CallPolicy { settings.calls }

    func change(_ policy: inout UpstreamPolicy) {
        var own = UpstreamSettings()
        own.policy = policy
        policy = upstream.changes.applied(to: own).policy
    }
}
