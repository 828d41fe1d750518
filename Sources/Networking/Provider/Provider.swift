import HTTPModel
public import Rx

/// The reactive client of one upstream API (Moya's `MoyaProvider`).
///
///     let diary = Provider<DiaryAPI>(upstream: "diary", transport: transport)
///     diary.rx.request(.weights(date))      // Single<Response>: nothing is sent yet
///         .fragment()                       // Single<JSONFragment>: `data`, cut out of the envelope's bytes
///
/// A provider is made once and used from every loop.
public final class Provider<Target: TargetType>: ReactiveCompatible, Sendable {
    let settings: ProviderSettings
    /// Nil for most providers.
    let stub: StubClosure?
    /// Whether its calls go straight to the wire, as most providers' do.
    let isPlain: Bool

    /// A provider of an upstream at an address that a program is told, rather than its targets'.
    ///
    /// - Parameters:
    ///   - upstream: the API's name in logs, metrics and errors, and in lists of upstreams.
    ///   - baseURL: replaces the targets' own `baseURL`.
    ///   - transport: what sends.
    ///   - policy: retries, time limits, redirects.
    ///   - plugins: asked in order.
    ///   - interceptor: changes requests and decides on sending them again; several in one are an `Interceptor`.
    ///   - cookies: keeps what upstreams set and sends it back. Default nil: cookies are neither kept nor sent.
    ///   - stub: which calls are answered with their targets' samples instead. Default nil: none.
    ///   - jitter: how long to wait within a backoff's bound. For tests.
    public init(
        upstream: String, baseURL: String? = nil, transport: any Transport, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil,
        stub: StubClosure? = nil, jitter: @escaping Jitter = fullJitter
    ) throws(Upstream.InvalidBaseURL) {
        var configured: Upstream?
        if let baseURL {
            configured = try Upstream.known(name: upstream, baseURL: baseURL, isNamed: true)
        }
        settings = ProviderSettings(
            name: upstream, isNamed: true, upstream: configured, transport: transport, policy: policy,
            plugins: plugins, interceptor: interceptor, cookies: cookies, jitter: jitter)
        self.stub = stub
        isPlain = stub == nil && settings.stages == nil
    }

    /// A provider of an upstream that others use too: they share its connections and its retry budget.
    public init(
        upstream: Upstream, transport: any Transport, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil,
        stub: StubClosure? = nil, jitter: @escaping Jitter = fullJitter
    ) {
        settings = ProviderSettings(
            name: upstream.name, isNamed: true, upstream: upstream, transport: transport, policy: policy,
            plugins: plugins, interceptor: interceptor, cookies: cookies, jitter: jitter)
        self.stub = stub
        isPlain = stub == nil && settings.stages == nil
    }

    /// A provider whose targets say themselves where they go.
    ///
    /// - Parameters:
    ///   - name: the API's name in logs and errors. Settings by an upstream's name are not for it: TLS goes by the host.
    ///   - transport: what sends.
    ///   - policy: retries, time limits, redirects.
    ///   - plugins: asked in order.
    ///   - interceptor: changes requests and decides on sending them again; several in one are an `Interceptor`.
    ///   - cookies: keeps what upstreams set and sends it back. Default nil: cookies are neither kept nor sent.
    ///   - stub: which calls are answered with their targets' samples instead. Default nil: none.
    ///   - jitter: how long to wait within a backoff's bound. For tests.
    public init(
        name: String = "\(Target.self)", transport: any Transport, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil,
        stub: StubClosure? = nil, jitter: @escaping Jitter = fullJitter
    ) {
        settings = ProviderSettings(
            name: name, isNamed: false, upstream: nil, transport: transport, policy: policy,
            plugins: plugins, interceptor: interceptor, cookies: cookies, jitter: jitter)
        self.stub = stub
        isPlain = stub == nil && settings.stages == nil
    }

    /// The call as it would go on the wire.
    ///
    /// - Parameter isUnbounded: whether it has no time in all but its target's own.
    func prepare(_ target: Target, isUnbounded: Bool = false) throws(RequestFault) -> TransportCall {
        let timeout = isUnbounded ? target.timeout ?? CallOptions.unbounded : target.timeout
        let calls = try settings.calls(to: target.baseURL)
        return try RequestBuilder.build(
            method: target.method, path: target.path, headers: target.headers,
            task: target.task, context: CallContext.current, envelope: target.envelope,
            allowsEmptyBody: target.allowsEmptyBody, settings: calls,
            options: CallOptions.needed(
                timeout: timeout, attemptLimits: target.attemptLimits, validation: target.validation,
                contentDecoding: target.contentDecoding))
    }
}

/// Evenly from nothing to `bound`.
public let fullJitter: Jitter = { bound in
    bound > .zero ? .nanoseconds(Int64.random(in: 0...bound.nanoseconds)) : .zero
}

extension Provider {
    /// The call of `rx.request(_:)`, cancelled with the task.
    public func request(_ target: Target) async throws -> Response {
        try await rx.request(target).value
    }
}

extension Reactive {
    /// A call: cold, sent anew for each subscription, cancelled with it.
    ///
    /// Succeeds with a whole HTTP response of any status that the target's `validation` takes, by default any at all
    /// (`checkStatusCode()`, `fragment()` and `map(_:)` judge it); retries as the provider's `CallRetryPolicy` says. Fails with a
    /// `NetworkError`. The calling task's `CallContext` goes with it. Once subscribed to, the call holds what it needs: it ends
    /// also where nobody keeps the provider.
    public func request<Target: TargetType>(_ target: Target) -> Single<Response>
    where Base == Provider<Target> {
        do {
            let call = try base.prepare(target)
            if base.isPlain, call.options == nil { return .emitting(ResponseRun(call, base.settings)) }
            return base.settings(for: target).response(to: call)
        } catch {
            return .error(NetworkError(unbuilt: error, upstream: base.settings.name))
        }
    }
}
