import HTTPModel
import Locking
import Networking

/// An endpoint as it was declared, before its options and middleware are known.
struct EndpointDeclaration: Sendable {
    let method: HTTPMethod
    /// With the prefixes of its groups.
    let path: String
    let options: [EndpointOption]
    let handler: Endpoint.Handler
    let scope: RouteScope
    /// Where a file declares it: `sluice.yaml:12:3`. Nil for an endpoint in Swift.
    let place: String?

    var name: String { "\(method.rawValue) \(path)" }
}

/// What has been declared so far, shared by a gateway and its groups.
final class GatewayDeclarations: Sendable {
    private struct State {
        var endpoints: [EndpointDeclaration] = []
        /// The gateway, and its groups with a prefix.
        var scopes: [RouteScope] = []
        var upstreams: [String] = []
        /// Those with an address in the environment, each once.
        var configured: [Upstream] = []
        var faults: [String] = []
        /// Upstreams with a policy. They may be declared later.
        var policies: [String: UpstreamPolicy] = [:]
        var proxies: [ProxyPlace] = []
        /// The calls' policies and constant fields of the upstreams that a file declares.
        var calls: [String: (policy: CallPolicy, fields: HTTPFields)] = [:]
        var lifecycle = GatewayLifecycle()
        var sharedNames: Set<String> = []
        var access = AccessDeclarations()
        /// The fields of clients' requests that proxies pass on besides the standard ones.
        var passedFields: [(path: String, fields: [HTTPFieldName])] = []
        var areClosed = false
    }

    private let state = Lock(State())

    /// Whether a responder has been made, so that hooks, jobs and shared values come too late.
    var areClosed: Bool { state.withLock { $0.areClosed } }

    func close() { state.withLock { $0.areClosed = true } }

    /// Releases the closures of endpoints, middleware, hooks and jobs, which may refer to the gateway.
    func release() {
        // Released outside the lock.
        let (endpoints, scopes, lifecycle) = state.withLock { state in
            defer {
                state.endpoints = []
                state.scopes = []
                state.lifecycle = GatewayLifecycle()
            }
            return (state.endpoints, state.scopes, state.lifecycle)
        }
        for scope in scopes + endpoints.map(\.scope) { scope.release() }
        withExtendedLifetime(lifecycle) {}
    }

    var endpoints: [EndpointDeclaration] { state.withLock { $0.endpoints } }

    func add(_ endpoint: EndpointDeclaration) { state.withLock { $0.endpoints.append(endpoint) } }

    /// - Parameter prefix: the scope's own part of its prefix.
    func add(_ scope: RouteScope, _ prefix: String) {
        // A group without a prefix of its own says nothing about paths.
        if scope.parent == nil || !prefix.isEmpty { state.withLock { $0.scopes.append(scope) } }
    }

    func add(_ hook: LifecycleHook) { state.withLock { $0.lifecycle.hooks.append(hook) } }

    /// Returns false if another job has this name.
    func add(_ job: PeriodicJob.Declaration) -> Bool {
        state.withLock { state in
            let isNew = !state.lifecycle.jobs.contains { $0.name == job.name }
            if isNew { state.lifecycle.jobs.append(job) }
            return isNew
        }
    }

    var lifecycle: GatewayLifecycle { state.withLock { $0.lifecycle } }

    /// Returns false if other shared values have this name.
    func add(sharedName name: String) -> Bool { state.withLock { $0.sharedNames.insert(name).inserted } }

    func add(_ entry: AuthDeclaration) { state.withLock { $0.access.entries.append(entry) } }

    func add(_ limit: RateLimit, named name: String) {
        state.withLock { $0.access.limits.append((name, limit)) }
    }

    func add(passedFields fields: [HTTPFieldName], by path: String) {
        state.withLock { $0.passedFields.append((path, fields)) }
    }

    var access: AccessDeclarations { state.withLock { $0.access } }

    func add(_ proxy: ProxyPlace) { state.withLock { $0.proxies.append(proxy) } }

    var proxies: ProxyTable { ProxyTable(state.withLock { $0.proxies }) }

    func add(upstream name: String) {
        state.withLock { state in
            if !state.upstreams.contains(name) { state.upstreams.append(name) }
        }
    }

    func add(_ upstream: Upstream) {
        state.withLock { state in
            if !state.configured.contains(where: { $0 === upstream }) { state.configured.append(upstream) }
        }
    }

    /// Reported once, even if several providers share the upstream.
    func add(fault: String) {
        state.withLock { state in
            if !state.faults.contains(fault) { state.faults.append(fault) }
        }
    }

    func changePolicy(
        of upstream: String, standard: UpstreamPolicy, _ change: (inout UpstreamPolicy) -> Void
    ) -> UpstreamPolicy {
        var policy = state.withLock { $0.policies[upstream] } ?? standard
        change(&policy)
        state.withLock { [policy] in $0.policies[upstream] = policy }
        return policy
    }

    /// - Parameter fields: sent with every call.
    func add(_ policy: CallPolicy, _ fields: HTTPFields, ofCallsTo upstream: String) {
        state.withLock { $0.calls[upstream] = (policy, fields) }
    }

    func callPolicy(of upstream: String) -> CallPolicy {
        state.withLock { $0.calls[upstream]?.policy } ?? CallPolicy()
    }

    /// Returns the fields of each call to an upstream that a file declares.
    func callFields(of upstream: String) -> HTTPFields {
        state.withLock { $0.calls[upstream]?.fields } ?? HTTPFields()
    }

    var upstreams: (configured: [Upstream], names: [String], policies: [String: UpstreamPolicy]) {
        state.withLock { ($0.configured, $0.upstreams, $0.policies) }
    }

    /// Makes the endpoints, with the options and the middleware of their groups.
    ///
    /// - Parameter directory: who may call. Gets the faults of requirements and limits.
    func routes(
        _ limits: GatewayLimits, _ services: EndpointServices, _ directory: inout AccessDirectory
    ) -> GatewayRoutes {
        let (endpoints, scopes, passed) = state.withLock { ($0.endpoints, $0.scopes, $0.passedFields) }
        return GatewayRoutes(endpoints, scopes, limits, services, passed, &directory)
    }

    /// Returns the reasons why the gateway cannot run.
    func faults(of environment: GatewayEnvironment, _ routes: GatewayRoutes, _ cors: CORSPolicy?) -> [String]
    {
        let (declared, upstreams, policies) = state.withLock { ($0.faults, $0.upstreams, $0.policies) }
        var faults = declared + routes.faults + (cors?.faults ?? [])
        faults += conflicts(with: environment.ownPaths).faults
        let known =
            upstreams.isEmpty
            ? "none is declared" : "declared: \(upstreams.sorted().joined(separator: ", "))"
        for name in environment.upstreamOverrides.keys.sorted() where !upstreams.contains(name) {
            faults.append("an address is set for the unknown upstream \"\(name)\" (\(known))")
        }
        for name in environment.configuredUpstreams.sorted()
        where !upstreams.contains(name) && environment.upstreamOverrides[name] == nil {
            faults.append("TLS or DNS is set for the unknown upstream \"\(name)\" (\(known))")
        }
        for (name, policy) in policies.sorted(by: { $0.key < $1.key }) {
            if !upstreams.contains(name) {
                faults.append("a policy is set for the unknown upstream \"\(name)\" (\(known))")
            }
            faults += policy.faults.map { "upstream \"\(name)\": \($0)" }
        }
        for (endpoint, settings) in routes.credentialEndpoints {
            for (field, upstream) in settings.unknownUpstreams(known: upstreams) {
                faults.append(
                    "\(endpoint) forwards \(field) to the unknown upstream \"\(upstream)\" (\(known))")
            }
        }
        return faults
    }
}
