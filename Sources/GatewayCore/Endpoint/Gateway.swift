public import HTTPModel
import Locking
public import Networking
public import Rx

/// The endpoints of a backend for a frontend, and the upstreams that they call.
///
///     let gateway = Gateway(environment)
///     let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
///
///     gateway.get("/api/weights/charts") { request in
///         let date = try request.query("fddDate", as: CalendarDate.self)
///         return .parts(
///             recent: diary.rx.request(.weights(date, .recent)).fragment(),
///             total: diary.rx.request(.weights(date, .total)).fragment())
///     }
///
///     let responder = try gateway.responder()
///
/// Declare everything, then make the `responder()`: it ignores later endpoints. All loops share it without a lock.
public final class Gateway: Sendable {
    private struct State {
        var router = Router<EndpointMatch>()
        var largestBody = 0
        var endpoints = 0
        var upstreams: [String] = []
        /// Those with an address in the environment, each once.
        var configured: [Upstream] = []
        var faults: [String] = []
        /// Upstreams with a policy. They may be declared later.
        var policies: [String: UpstreamPolicy] = [:]
        /// Endpoints that forward credentials. Their upstreams are checked last, because they may be declared later.
        var credentialEndpoints: [(name: String, settings: EndpointSettings)] = []
    }

    let environment: GatewayEnvironment
    let limits: GatewayLimits
    let cors: CORSPolicy?
    private let state = Lock(State())

    /// - Parameters:
    ///   - environment: the transport to the upstreams and the hook for incidents.
    ///   - limits: deadline and sizes, which an endpoint may override.
    ///   - cors: the scripts of other origins that may call. Default: none, and no CORS field is sent.
    public init(
        _ environment: GatewayEnvironment, limits: GatewayLimits = GatewayLimits(), cors: CORSPolicy? = nil
    ) {
        self.environment = environment
        self.limits = limits
        self.cors = cors
    }

    /// Returns a client of an upstream at the environment's address for it or the targets' own. Several may share it.
    public func provider<Target: TargetType>(
        _ target: Target.Type, upstream: String, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil
    ) -> Provider<Target> {
        let addresses = environment.upstreamOverrides[upstream]
        state.withLock { state in
            if !state.upstreams.contains(upstream) { state.upstreams.append(upstream) }
        }
        do {
            let provider = try Provider<Target>(
                upstream: upstream, baseURLs: addresses, transport: environment.transport, policy: policy,
                plugins: plugins, interceptor: interceptor)
            if let configured = provider.configuredUpstream {
                state.withLock { state in
                    if !state.configured.contains(where: { $0 === configured }) {
                        state.configured.append(configured)
                    }
                }
            }
            return provider
        } catch {
            // Reported once, even if several providers share the upstream.
            let fault = error.description
            state.withLock { state in
                if !state.faults.contains(fault) { state.faults.append(fault) }
            }
            return Self.unconfigured(upstream, environment.transport, policy, plugins)
        }
    }

    /// Changes the policy of an upstream, which otherwise is `GatewayServerConfiguration.upstreamPolicy`. Several calls
    /// change it one after the other.
    ///
    ///     gateway.upstream("weather") { $0.concurrency = 100 }
    public func upstream(_ name: String, _ change: (inout UpstreamPolicy) -> Void) {
        let policy = state.withLock { state in
            var policy = state.policies[name] ?? environment.upstreamPolicy
            change(&policy)
            state.policies[name] = policy
            return policy
        }
        (environment.transport as? any ProtectingTransport)?.protect(name, by: policy)
    }

    /// Returns a placeholder, never used because `responder()` throws for the invalid address.
    private static func unconfigured<Target: TargetType>(
        _ upstream: String, _ transport: any Transport, _ policy: CallPolicy, _ plugins: [any PluginType]
    ) -> Provider<Target> {
        do {
            return try Provider(upstream: upstream, transport: transport, policy: policy, plugins: plugins)
        } catch {
            preconditionFailure("a provider without an address cannot have an invalid one: \(error)")
        }
    }

    /// Returns the responder for the declared endpoints, and begins to resolve and check the configured upstreams.
    ///
    /// - Throws: all faults at once: invalid paths, addresses, options, policies and CORS policies, and undeclared upstreams.
    public func responder() throws(GatewayDeclarationError) -> GatewayResponder {
        let (router, largestBody, count, upstreams, declared, endpoints, policies) = state.withLock {
            (
                $0.router, $0.largestBody, $0.endpoints, $0.upstreams, $0.faults, $0.credentialEndpoints,
                $0.policies
            )
        }
        var faults = declared + (cors?.faults ?? [])
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
        for (endpoint, settings) in endpoints {
            for (field, upstream) in settings.unknownUpstreams(known: upstreams) {
                faults.append(
                    "\(endpoint) forwards \(field) to the unknown upstream \"\(upstream)\" (\(known))")
            }
        }
        guard faults.isEmpty else { throw GatewayDeclarationError(faults: faults) }
        if let transport = environment.transport as? any ProtectingTransport {
            for upstream in state.withLock({ $0.configured }) { transport.prepare(upstream) }
        }
        return GatewayResponder(
            router: router, environment: environment, limits: limits,
            largestBody: max(largestBody, limits.requestBody), endpointCount: count, cors: cors)
    }

    private func add(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption], _ handler: Endpoint.Handler
    ) {
        var settings = EndpointSettings(
            deadline: limits.deadline, bodyLimit: limits.requestBody, json: limits.json)
        for option in options { option.apply(&settings) }
        let name = "\(method.rawValue) \(path)"
        state.withLock { [settings] state in
            if let fault = settings.fault { state.faults.append("\(name) \(fault)") }
            if !settings.authorizationUpstreams.isEmpty || !settings.cookieUpstreams.isEmpty {
                state.credentialEndpoints.append((name, settings))
            }
        }
        do {
            let template = try PathTemplate(path)
            let number = state.withLock { state in
                defer { state.endpoints += 1 }
                return state.endpoints
            }
            let endpoint = Endpoint(
                number: number, method: method, template: template, handler: handler, settings: settings)
            state.withLock { [limit = settings.bodyLimit] state in
                state.largestBody = max(state.largestBody, limit)
                if !state.router.add(method, template, EndpointMatch(endpoint)) {
                    state.faults.append("\(name) is declared twice")
                }
            }
        } catch {
            state.withLock { $0.faults.append("the path \(path) \(error)") }
        }
    }
}

/// All faults of a gateway's declarations, found by `responder()`.
public struct GatewayDeclarationError: Error, Sendable, CustomStringConvertible {
    public let faults: [String]

    public var description: String { faults.joined(separator: "; ") }
}

// MARK: - Endpoints

extension Gateway {
    /// Adds an endpoint. The handler runs on the request's loop and must not block.
    ///
    /// - Parameters:
    ///   - method: the method of the endpoint.
    ///   - path: literal segments and parameters, `/api/weights/{date}/{half}`. A literal is preferred to a parameter. Case
    ///     matters, and `/x/` does not match `/x`.
    ///   - options: settings of this endpoint.
    ///   - handler: returns the answer. A thrown `GatewayError` is the answer, a `NetworkError` is answered like the failure of a
    ///     required part, anything else is `500 INTERNAL` and an incident.
    public func on(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        add(method, path, options, .sync(handler))
    }

    /// Adds an endpoint with an `async` handler. Its task is cancelled when the client leaves or the deadline passes.
    public func on(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        add(method, path, options, .async(handler))
    }

    /// Adds an endpoint with a handler that returns a pipeline, disposed when the client leaves or the deadline passes.
    @_disfavoredOverload
    public func on(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        add(method, path, options, .single(handler))
    }
}
