public import HTTPModel
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
/// Declare everything, then make the `responder()`: it ignores later endpoints, and later hooks, jobs and
/// shared values are faults. All loops share it without a lock.
public final class Gateway: Sendable {
    let environment: GatewayEnvironment
    let limits: GatewayLimits
    let cors: CORSPolicy?
    let declarations: GatewayDeclarations
    /// The prefix, options and middleware of the endpoints declared here.
    let scope: RouteScope

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
        declarations = GatewayDeclarations()
        scope = RouteScope()
        declarations.add(scope, "")
    }

    /// A group of `gateway`.
    init(group scope: RouteScope, of gateway: Gateway) {
        environment = gateway.environment
        limits = gateway.limits
        cors = gateway.cors
        declarations = gateway.declarations
        self.scope = scope
    }

    /// Returns a client of an upstream at the environment's address for it or the targets' own. Several may
    /// share it.
    ///
    /// - Parameters:
    ///   - target: the type of the API's calls.
    ///   - upstream: the name in logs, errors and settings.
    ///   - policy: retries and time limits. Default: the settings of the file that declares the upstream,
    ///     else `CallPolicy()`.
    ///   - plugins: called in this order.
    ///   - interceptor: adapts requests and decides whether to send them again.
    public func provider<Target: TargetType>(
        _ target: Target.Type, upstream: String, policy: CallPolicy? = nil,
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil
    ) -> Provider<Target> {
        provider(
            target, upstream: upstream, baseURL: nil, policy: policy, plugins: plugins,
            interceptor: interceptor)
    }

    /// - Parameter baseURL: replaces the targets' own.
    func provider<Target: TargetType>(
        _ target: Target.Type, upstream: String, baseURL: String?, policy: CallPolicy?,
        plugins: [any PluginType], interceptor: (any RequestInterceptor)?
    ) -> Provider<Target> {
        provider(
            target, upstream: upstream, baseURLs: baseURL.map { UpstreamURLs($0) }, policy: policy,
            plugins: plugins, interceptor: interceptor)
    }

    /// - Parameter baseURLs: replace the targets' own.
    func provider<Target: TargetType>(
        _ target: Target.Type, upstream: String, baseURLs: UpstreamURLs?, policy: CallPolicy?,
        plugins: [any PluginType], interceptor: (any RequestInterceptor)?
    ) -> Provider<Target> {
        declarations.add(upstream: upstream)
        let policy = policy ?? declarations.callPolicy(of: upstream)
        let addresses =
            environment.upstreamOverrides[upstream] ?? environment.otherUpstreams?(upstream) ?? baseURLs
        do {
            let provider = try Provider<Target>(
                upstream: upstream, baseURLs: addresses, transport: environment.transport, policy: policy,
                plugins: plugins, interceptor: interceptor)
            if let configured = provider.configuredUpstream { declarations.add(configured) }
            return provider
        } catch {
            declarations.add(fault: error.description)
            return Self.unconfigured(upstream, environment.transport, policy, plugins)
        }
    }

    /// Changes the policy of an upstream, which otherwise is `GatewayServerConfiguration.upstreamPolicy`.
    /// Several calls change it one after the other.
    ///
    ///     gateway.upstream("weather") { $0.concurrency = 100 }
    public func upstream(_ name: String, _ change: (inout UpstreamPolicy) -> Void) {
        let policy = declarations.changePolicy(of: name, standard: environment.upstreamPolicy, change)
        guard environment.appliesDeclarations else { return }
        (environment.transport as? any ProtectingTransport)?.protect(name, by: policy)
    }

    /// The upstreams with an address that is not a target's, the names of all upstreams, and the policies
    /// that some of them have.
    package var upstreams: (configured: [Upstream], names: [String], policies: [String: UpstreamPolicy]) {
        declarations.upstreams
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

    /// Returns the responder for the declared endpoints, including the groups', and begins to resolve and
    /// check the configured upstreams.
    ///
    /// - Throws: all faults at once: invalid paths, addresses, options, policies and CORS policies, and
    ///   undeclared upstreams.
    public func responder() throws(GatewayDeclarationError) -> GatewayResponder {
        declarations.close()
        var directory = AccessDirectory(declarations.access, of: self)
        let routes = declarations.routes(limits, EndpointServices(environment), &directory)
        let faults = declarations.faults(of: environment, routes, cors) + directory.faults
        guard faults.isEmpty else { throw GatewayDeclarationError(faults: faults) }
        if environment.appliesDeclarations, let transport = environment.transport as? any ProtectingTransport
        {
            for upstream in declarations.upstreams.configured { transport.prepare(upstream) }
        }
        let responder = GatewayResponder(
            routes, environment: environment, limits: limits, cors: directory.exposingCORS,
            proxies: declarations.proxies, policies: declarations.upstreams.policies, access: directory)
        if environment.appliesDeclarations { responder.useAccess() }
        return responder
    }

    /// Releases what was declared, once all of it is in use. Otherwise a handler or job that refers to the
    /// gateway would keep it for ever.
    package func releaseDeclarations() { declarations.release() }

    /// What its declarations probably do not mean.
    package var warnings: [String] { declarations.conflicts(with: environment.ownPaths).warnings }

    /// - Parameter place: where a file declares the endpoint: `sluice.yaml:12:3`.
    func add(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption], _ handler: Endpoint.Handler,
        place: String? = nil
    ) {
        declarations.add(
            EndpointDeclaration(
                method: method, path: scope.prefix + path, options: options, handler: handler, scope: scope,
                place: place))
    }
}

/// All faults of a gateway's declarations, found by `responder()`.
public struct GatewayDeclarationError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, one sentence for each fault.
    public let faults: [String]

    /// What is wrong, in words.
    public var description: String { faults.joined(separator: "; ") }
}

// MARK: - Endpoints

extension Gateway {
    /// Adds an endpoint. The handler runs on the request's loop and must not block: see
    /// `GatewayRequest.blocking(_:)`.
    ///
    /// - Parameters:
    ///   - method: the method of the endpoint.
    ///   - path: literal segments and parameters, `/api/weights/{date}/{half}`. A literal is preferred to a
    ///     parameter. Case matters, and `/x/` does not match `/x`. In a group, the path continues the group's
    ///     prefix.
    ///   - options: settings of this endpoint.
    ///   - handler: returns the answer. A thrown `GatewayError` is the answer, a `NetworkError` is answered
    ///     like the failure of a required part, anything else is `500 INTERNAL` and an incident.
    public func on(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        add(method, path, options, .sync(handler))
    }

    /// Adds an endpoint with an `async` handler. Its task runs on the request's loop, too, and must not block
    /// between its waits. It is cancelled when the client leaves or the deadline passes.
    public func on(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        add(method, path, options, .async(handler))
    }

    /// Adds an endpoint with a handler that returns a pipeline. It is disposed when the client leaves or the
    /// deadline passes.
    @_disfavoredOverload
    public func on(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        add(method, path, options, .single(handler))
    }

    /// Adds an endpoint with a handler that returns a stream, whose first answer counts. It is disposed when
    /// it has answered, the client leaves or the deadline passes.
    @_disfavoredOverload
    public func on(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) throws -> Observable<Answer>
    ) {
        add(method, path, options, .single { try handler($0).take(1).asSingle() })
    }
}
