import HTTPModel
import Locking
import Rx
import Synchronization

/// Owns a provider's plugins. Calls refer to it weakly, because a plugin may store calls.
final class PluginList: Sendable {
    let all: [any PluginType]

    init(_ all: [any PluginType]) { self.all = all }
}

/// What a call needs from its provider, including its upstream but not the transport, which may store calls.
final class CallSettings: Sendable {
    let upstream: Upstream
    let policy: CallPolicy
    private weak let pluginList: PluginList?
    let hasPlugins: Bool
    let jitter: Jitter
    let totalNanoseconds: Int64
    let attemptLimits: AttemptLimits
    /// The transport's default fields, sent unless the target or the context overrides them.
    let fields: HTTPFields
    /// The transport's fields for calls made outside a request.
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

    /// Empty once the provider is released and none of its calls is in progress.
    var plugins: [any PluginType] { hasPlugins ? pluginList?.all ?? [] : [] }
}

/// The state that all calls of a provider share.
final class ProviderSettings: Sendable {
    let name: String
    private let isNamed: Bool
    let transport: any Transport
    /// The transport's observer; nil for most transports outside a gateway.
    let observer: (any UpstreamObserver)?
    let stages: CallStages?
    private let policy: CallPolicy
    private let plugins: PluginList
    let jitter: Jitter
    /// The configured upstream; nil if each target names its own base URL.
    let configuredUpstream: Upstream?
    /// The settings of calls to the configured upstream.
    private let configured: ConfiguredCalls?
    /// Which of them apply. Open until the first call, when the upstream's policy is known. An integer, and
    /// not a lazy reference to the settings: the compiler does not specialize that, and a call costs a
    /// thousand instructions more.
    private let choice = Atomic(Choice.open)
    private let parsed = Lock(Parsed())

    private struct Parsed: Sendable {
        /// Nearly all targets of a provider share one constant base URL.
        var last: (baseURL: String, calls: CallSettings)?
        var all: [String: CallSettings] = [:]
        /// Upstreams reached by redirects.
        var redirectTargets: [String: CallSettings] = [:]

        var count: Int { all.count + redirectTargets.count }

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
        stages = CallStages.makeIfNeeded(interceptor, cookies, policy.redirects, plugins)
        self.policy = policy
        let plugins = PluginList(plugins)
        self.plugins = plugins
        self.jitter = jitter
        configuredUpstream = upstream
        let fieldsWithoutContext = transport.fieldsWithoutContext
        configured = upstream.map { upstream in
            func calls(_ fields: HTTPFields) -> CallSettings {
                CallSettings(
                    upstream: upstream, policy: policy, plugins: plugins, jitter: jitter, fields: fields,
                    fieldsWithoutContext: fieldsWithoutContext)
            }
            return ConfiguredCalls(
                plain: calls(transport.fields), compressing: transport.compressionFields.map(calls))
        }
    }

    private struct ConfiguredCalls {
        /// With the transport's fields.
        let plain: CallSettings
        /// With the transport's `compressionFields`; nil if it has none.
        let compressing: CallSettings?
    }

    private enum Choice {
        static let open = 0
        static let plain = 1
        static let compressing = 2
    }

    @inline(never)
    private func choose(_ calls: ConfiguredCalls) -> CallSettings {
        let accepts =
            calls.compressing != nil && transport.acceptsCompression(from: calls.plain.upstream)
        // The first of several threads decides for all.
        let (isFirst, other) = choice.compareExchange(
            expected: Choice.open, desired: accepts ? Choice.compressing : Choice.plain, ordering: .relaxed)
        let isCompressing = isFirst ? accepts : other == Choice.compressing
        return isCompressing ? calls.compressing ?? calls.plain : calls.plain
    }

    func withTransport(_ transport: any Transport) -> ProviderSettings {
        ProviderSettings(
            name: name, isNamed: isNamed, upstream: configuredUpstream, transport: transport,
            policy: policy,
            plugins: plugins.all, interceptor: stages?.interceptor, cookies: stages?.cookies, jitter: jitter)
    }

    /// Returns the cold call with all of the provider's stages.
    ///
    /// - Parameter observer: receives the progress of one subscription.
    func response(to call: TransportCall, observer: (any CallObserver)? = nil) -> Single<Response> {
        if let stages { return stages.response(to: call, by: self, observer: observer) }
        let run = run(call, observer)
        if case .none = call.validation { return run }
        return run.map { try $0.validated() }
    }

    /// Returns the call on the wire, with its retries.
    ///
    /// - Parameter transport: the loop of the earlier stages. Default nil: chosen on subscription.
    func run(
        _ call: TransportCall, _ observer: (any CallObserver)?, over transport: (any Transport)? = nil
    ) -> Single<Response> {
        guard let observer else {
            let run = ResponseRun(call, self)
            run.bind(to: transport)
            return .emitting(run)
        }
        let run = ObservedRun<Response>(call, self, observer)
        run.bind(to: transport)
        return .emitting(run)
    }

    /// Returns the settings of calls to the configured upstream, or to the target's base URL. Each URL is
    /// parsed once.
    func calls(to baseURL: @autoclosure () -> String) throws(RequestFault) -> CallSettings {
        // The common cases first. They copy no more than they return.
        switch choice.load(ordering: .relaxed) {
        case Choice.plain: if let plain = configured?.plain { return plain }
        case Choice.compressing: if let compressing = configured?.compressing { return compressing }
        default: break
        }
        guard let configured else { return try calls(at: baseURL()) }
        return choose(configured)
    }

    /// Returns the settings of calls redirected to `url`: the settings of `call`, if `url` is within its
    /// upstream or else at another origin.
    func calls(atOriginOf url: HTTPURL, like call: TransportCall) throws(RequestFault) -> CallSettings {
        if call.upstream.hasOrigin(of: url) { return call.settings }
        return try calls(at: url.origin, isRedirectTarget: true)
    }

    /// Returns the call that replaces `original` after a plugin or an interceptor changed its request.
    func call(for request: HTTPRequest, replacing original: TransportCall) throws(RequestFault)
        -> TransportCall
    {
        let origin = try request.origin()
        let isSameOrigin = original.upstream.baseURLs.contains { $0.origin == origin }
        return try request.call(isSameOrigin ? original.settings : calls(to: origin), replacing: original)
    }

    private func calls(
        at baseURL: String, isRedirectTarget: Bool = false
    ) throws(RequestFault) -> CallSettings {
        let known = parsed.withLock { isRedirectTarget ? $0.redirectTargets[baseURL] : $0.calls(to: baseURL) }
        if let known { return known }
        let upstream: Upstream
        do {
            upstream = try Upstream.shared(
                name: name, baseURLs: [baseURL], isRedirectTarget: isRedirectTarget,
                isNamed: isNamed && !isRedirectTarget, isComputed: true)
        } catch {
            throw RequestFault(error)
        }
        var fields = transport.fields
        if let compressed = transport.compressionFields, transport.acceptsCompression(from: upstream) {
            fields = compressed
        }
        let calls = CallSettings(
            upstream: upstream, policy: policy, plugins: plugins, jitter: jitter, fields: fields,
            fieldsWithoutContext: transport.fieldsWithoutContext)
        let dropped = parsed.withLock { parsed in
            var dropped: Parsed?
            // Drops the whole cache: calls in progress keep their settings, and later ones parse again.
            if parsed.count >= ProviderSettings.keptBaseURLs {
                dropped = parsed
                parsed = Parsed()
            }
            if isRedirectTarget {
                parsed.redirectTargets[baseURL] = calls
            } else {
                parsed.all[baseURL] = calls
            }
            return dropped
        }
        // A thousand upstreams may end here: not under the lock.
        withExtendedLifetime(dropped) {}
        return calls
    }

    /// Maximum number of parsed base URLs that a provider caches.
    static let keptBaseURLs = 1024
}

/// Chooses a wait between zero and `bound`. The default draws uniformly ("full jitter").
public typealias Jitter = @Sendable (_ bound: Duration) -> Duration
