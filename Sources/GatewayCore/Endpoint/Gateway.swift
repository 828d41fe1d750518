public import HTTPModel
import Locking
public import Networking
public import Rx

/// The endpoints of a backend-for-frontend, and the upstreams that they call.
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
/// Declare everything, then ask for the `responder()`: it answers what was declared until then, from any number of
/// loops, without a lock. What is wrong with the declarations is said there, all of it at once.
public final class Gateway: Sendable {
    private struct State {
        var router = Router<GatewayResponder.Routed>()
        var largestBody = 0
        var upstreams: [String] = []
        var faults: [String] = []
        /// Endpoints that forward credentials, for the check of the upstreams' names: these may come later.
        var credentialEndpoints: [(name: String, settings: EndpointSettings)] = []
    }

    let environment: GatewayEnvironment
    let limits: GatewayLimits
    let cors: CORSPolicy?
    private let state = Lock(State())

    /// - Parameters:
    ///   - environment: the way to the upstreams, and where incidents go.
    ///   - limits: deadline and sizes; an endpoint may have its own.
    ///   - cors: which browsers' scripts of other origins may call. Default: none, no field is sent.
    public init(
        _ environment: GatewayEnvironment, limits: GatewayLimits = GatewayLimits(), cors: CORSPolicy? = nil
    ) {
        self.environment = environment
        self.limits = limits
        self.cors = cors
    }

    /// A client of the upstream `upstream`, at the environment's address for that name or else at the targets'
    /// own. Two targets may share an upstream.
    public func provider<Target: TargetType>(
        _ target: Target.Type, upstream: String, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil
    ) -> Provider<Target> {
        let address = environment.upstreamOverrides[upstream]
        state.withLock { state in
            if !state.upstreams.contains(upstream) { state.upstreams.append(upstream) }
        }
        do {
            return try Provider(
                upstream: upstream, baseURL: address, transport: environment.transport, policy: policy,
                plugins: plugins, interceptor: interceptor)
        } catch {
            // Several providers may share the upstream, and its address is one fault.
            let fault = error.description
            state.withLock { state in
                if !state.faults.contains(fault) { state.faults.append(fault) }
            }
            return Self.unconfigured(upstream, environment.transport, policy, plugins)
        }
    }

    /// Stands in until `responder()` refuses to start with the bad address.
    private static func unconfigured<Target: TargetType>(
        _ upstream: String, _ transport: any Transport, _ policy: CallPolicy, _ plugins: [any PluginType]
    ) -> Provider<Target> {
        do {
            return try Provider(upstream: upstream, transport: transport, policy: policy, plugins: plugins)
        } catch {
            preconditionFailure("a provider without an address of its own has none to refuse: \(error)")
        }
    }

    /// Returns what answers requests. Throws all faults at once: an endpoint that is declared wrongly, an invalid
    /// address, or an upstream that is named in an override, in settings of connections or for credentials and that nobody
    /// declared.
    public func responder() throws(GatewayDeclarationError) -> GatewayResponder {
        let (router, largestBody, upstreams, declared, endpoints) = state.withLock {
            ($0.router, $0.largestBody, $0.upstreams, $0.faults, $0.credentialEndpoints)
        }
        var faults = declared + (cors?.faults ?? [])
        let known =
            upstreams.isEmpty ? "there are none" : "known: \(upstreams.sorted().joined(separator: ", "))"
        for name in environment.upstreamOverrides.keys.sorted() where !upstreams.contains(name) {
            faults.append("there is no upstream \"\(name)\" to give an address (\(known))")
        }
        for name in environment.configuredUpstreams.sorted()
        where !upstreams.contains(name) && environment.upstreamOverrides[name] == nil {
            faults.append("there is no upstream \"\(name)\" to set TLS for (\(known))")
        }
        for (endpoint, settings) in endpoints {
            for (field, upstream) in settings.unknownUpstreams(known: upstreams) {
                faults.append(
                    "\(endpoint) forwards \(field) to \"\(upstream)\", which is not an upstream (\(known))")
            }
        }
        guard faults.isEmpty else { throw GatewayDeclarationError(faults: faults) }
        return GatewayResponder(
            router: router, environment: environment, limits: limits,
            largestBody: max(largestBody, limits.requestBody), cors: cors)
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
            let endpoint = Endpoint(method: method, template: template, handler: handler, settings: settings)
            state.withLock { [limit = settings.bodyLimit] state in
                state.largestBody = max(state.largestBody, limit)
                if !state.router.add(method, template, GatewayResponder.Routed(endpoint)) {
                    state.faults.append("\(name) is declared twice")
                }
            }
        } catch {
            state.withLock { $0.faults.append("the path \(path) \(error)") }
        }
    }
}

/// Everything that is wrong with a gateway's declarations.
public struct GatewayDeclarationError: Error, Sendable, CustomStringConvertible {
    public let faults: [String]

    public var description: String { faults.joined(separator: "; ") }
}

// MARK: - Endpoints

extension Gateway {
    /// An endpoint by any method. The handler runs on the request's loop: it must not block.
    ///
    /// - Parameters:
    ///   - method: the method that is answered.
    ///   - path: literal segments and parameters, `/api/weights/{date}/{half}`. A literal is preferred to a
    ///     parameter. Case matters, and `/x/` is another path than `/x`: it is 404.
    ///   - options: what this endpoint does in its own way.
    ///   - handler: says the answer, or throws: a `GatewayError` is the answer it names, a `NetworkError` the one of
    ///     the contract's table, anything else `500 INTERNAL` and an incident.
    public func on(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        add(method, path, options, .sync(handler))
    }

    /// An endpoint whose handler awaits. Its task is cancelled when the client leaves or the deadline passes.
    public func on(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        add(method, path, options, .async(handler))
    }

    /// An endpoint whose answer comes out of a pipeline. It is disposed when the client leaves or the deadline
    /// passes.
    @_disfavoredOverload
    public func on(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        add(method, path, options, .single(handler))
    }
}
