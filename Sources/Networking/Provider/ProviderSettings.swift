import HTTPModel
import Locking
import Rx

/// The plugins of a provider, which has them: a plugin may keep calls.
final class PluginList: Sendable {
    let all: [any PluginType]

    init(_ all: [any PluginType]) { self.all = all }
}

/// What a call knows of its provider, and where it goes. Not the transport, which may keep calls.
final class CallSettings: Sendable {
    let upstream: Upstream
    let policy: CallPolicy
    private weak let pluginList: PluginList?
    /// Most providers have none.
    let hasPlugins: Bool
    let jitter: Jitter
    /// `policy.totalTimeout`.
    let totalNanoseconds: Int64
    /// `policy.attemptLimits`.
    let attemptLimits: AttemptLimits
    /// The transport's: what every call says unless its target or its context says otherwise.
    let fields: HTTPFields
    /// The transport's: what a call says that is made for no request of a client.
    let fieldsWithoutContext: HTTPFields

    init(
        upstream: Upstream, policy: CallPolicy, plugins: PluginList, jitter: @escaping Jitter,
        fields: HTTPFields, fieldsWithoutContext: HTTPFields
    ) {
        self.fields = fields
        self.fieldsWithoutContext = fieldsWithoutContext
        self.upstream = upstream
        self.policy = policy
        pluginList = plugins
        hasPlugins = !plugins.all.isEmpty
        self.jitter = jitter
        totalNanoseconds = policy.totalTimeout.nanoseconds
        attemptLimits = policy.attemptLimits
    }

    /// None once the provider is gone, and no call of its is under way.
    var plugins: [any PluginType] { hasPlugins ? pluginList?.all ?? [] : [] }
}

/// What all calls of a provider share.
final class ProviderSettings: Sendable {
    let name: String
    /// Whether the name was chosen for the upstream (`Upstream.isNamed`).
    private let isNamed: Bool
    let transport: any Transport
    /// The transport's; nil for most that are not a gateway's.
    let observer: (any UpstreamObserver)?
    /// Nil for most providers.
    let stages: CallStages?
    private let policy: CallPolicy
    private let plugins: PluginList
    private let jitter: Jitter
    private let configured: CallSettings?
    private let parsed = Lock(Parsed())

    private struct Parsed: Sendable {
        /// What nearly every target has: the same constant.
        var last: (baseURL: String, calls: CallSettings)?
        var all: [String: CallSettings] = [:]
        /// Where redirects led to.
        var elsewhere: [String: CallSettings] = [:]

        mutating func calls(to baseURL: String) -> CallSettings? {
            if let last, last.baseURL == baseURL { return last.calls }
            guard let calls = all[baseURL] else { return nil }
            last = (baseURL, calls)
            return calls
        }
    }

    init(
        name: String, isNamed: Bool, upstream: Upstream?, transport: any Transport, policy: CallPolicy,
        plugins: [any PluginType], interceptor: (any RequestInterceptor)?, cookies: CookieJar?,
        jitter: @escaping Jitter
    ) {
        self.name = name
        self.isNamed = isNamed
        self.transport = transport
        observer = (transport as? any ObservedTransport)?.upstreamObserver
        stages = CallStages.needed(interceptor, cookies, policy.redirects, plugins)
        self.policy = policy
        let plugins = PluginList(plugins)
        self.plugins = plugins
        self.jitter = jitter
        configured = upstream.map {
            CallSettings(
                upstream: $0, policy: policy, plugins: plugins, jitter: jitter, fields: transport.fields,
                fieldsWithoutContext: transport.fieldsWithoutContext)
        }
    }

    /// The same over another transport.
    func over(_ transport: any Transport) -> ProviderSettings {
        ProviderSettings(
            name: name, isNamed: isNamed, upstream: configured?.upstream, transport: transport,
            policy: policy,
            plugins: plugins.all, interceptor: stages?.interceptor, cookies: stages?.cookies, jitter: jitter)
    }

    /// The call, cold: with all that the provider has for it.
    ///
    /// - Parameter observer: who hears of more than the end; of one subscription.
    func response(to call: TransportCall, observer: (any CallObserver)? = nil) -> Single<Response> {
        if let stages { return stages.response(to: call, by: self, observer: observer) }
        let run = run(call, observer)
        if case .none = call.validation { return run }
        return run.map { try $0.validated() }
    }

    /// The call on the wire, with its retries.
    ///
    /// - Parameter transport: stays on the loop of the stages before. Default nil: one is chosen at the subscription.
    func run(
        _ call: TransportCall, _ observer: (any CallObserver)?, over transport: (any Transport)? = nil
    ) -> Single<Response> {
        guard let observer else {
            let run = ResponseRun(call, self)
            run.bind(to: transport)
            return .emitting(run)
        }
        let run = ObservedRun(call, self, observer)
        run.bind(to: transport)
        return .emitting(run)
    }

    /// What calls to the configured upstream have in common, or those to the one at the target's own base URL. Parsed once.
    func calls(to baseURL: @autoclosure () -> String) throws(RequestFault) -> CallSettings {
        if let configured { return configured }
        return try calls(at: baseURL())
    }

    /// What calls that a redirect leads to `url` have in common: what those like `call` have, but for the place.
    func calls(atOriginOf url: HTTPURL, like call: TransportCall) throws(RequestFault) -> CallSettings {
        if url.hasSameOrigin(as: call.upstream.baseURL) { return call.settings }
        return try calls(at: "\(url.scheme.rawValue)://\(url.authority)", isElsewhere: true)
    }

    /// The call that `original` becomes with a request in its place that a plugin or an interceptor made of it.
    func call(for request: HTTPRequest, replacing original: TransportCall) throws(RequestFault)
        -> TransportCall
    {
        let origin = try request.origin()
        let base = original.upstream.baseURL
        let isThere = origin == "\(base.scheme.rawValue)://\(base.authority)"
        return try request.call(isThere ? original.settings : calls(to: origin), replacing: original)
    }

    private func calls(at baseURL: String, isElsewhere: Bool = false) throws(RequestFault) -> CallSettings {
        let known = parsed.withLock { isElsewhere ? $0.elsewhere[baseURL] : $0.calls(to: baseURL) }
        if let known { return known }
        let upstream: Upstream
        do {
            upstream = try Upstream.known(
                name: name, baseURL: baseURL, isElsewhere: isElsewhere, isNamed: isNamed && !isElsewhere)
        } catch {
            throw RequestFault(error)
        }
        let calls = CallSettings(
            upstream: upstream, policy: policy, plugins: plugins, jitter: jitter, fields: transport.fields,
            fieldsWithoutContext: transport.fieldsWithoutContext)
        parsed.withLock { parsed in
            // Forgets all at once: the calls under way keep what they need, and the next ones parse again.
            if parsed.all.count + parsed.elsewhere.count >= ProviderSettings.keptBaseURLs {
                parsed = Parsed()
            }
            if isElsewhere { parsed.elsewhere[baseURL] = calls } else { parsed.all[baseURL] = calls }
        }
        return calls
    }

    /// Different base URLs of which a provider keeps what it parsed.
    static let keptBaseURLs = 1024
}

/// Draws a wait from nothing to the bound it is given. The default is even over that range ("full jitter").
public typealias Jitter = @Sendable (_ bound: Duration) -> Duration
