import HTTPModel
public import Rx

/// The reactive client of one upstream API (Moya's `MoyaProvider`).
///
///     let diary = Provider<DiaryAPI>(upstream: "diary", transport: transport)
///     diary.rx.request(.weights(date))      // Single<Response>: nothing is sent yet
///         .fragment()                       // Single<JSONFragment>: `data`, cut out of the envelope's bytes
///
/// Create a provider once and use it from any loop.
public final class Provider<Target: TargetType>: ReactiveCompatible, Sendable {
    let settings: ProviderSettings
    let stub: StubClosure?
    /// Whether calls go straight to the wire, as for most providers.
    let isPlain: Bool

    /// The upstream, if its address is configured. Otherwise each target names its own base URL.
    package var configuredUpstream: Upstream? { settings.configuredUpstream }

    /// Whether a call to the configured upstream would fail now with `circuit_open`.
    package func isCircuitOpen(for endpoint: Int) -> Bool {
        settings.configuredUpstream.map { settings.transport.isCircuitOpen(of: $0, for: endpoint) } ?? false
    }

    /// Creates a provider for a configured upstream.
    ///
    /// - Parameters:
    ///   - upstream: name of the API in logs, metrics, errors and settings.
    ///   - baseURL: replaces the targets' `baseURL`.
    ///   - transport: sends the calls.
    ///   - policy: retries, time limits and redirects.
    ///   - plugins: called in this order.
    ///   - interceptor: adapts requests and decides whether to send them again. Combine several in an
    ///     `Interceptor`.
    ///   - cookies: stores the upstream's cookies and sends them back. Default nil: no cookies.
    ///   - stub: selects the calls to answer with their targets' samples. Default nil: none.
    ///   - jitter: chooses the wait within a backoff's bound. For tests.
    public convenience init(
        upstream: String, baseURL: String? = nil, transport: any Transport, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil,
        stub: StubClosure? = nil, jitter: @escaping Jitter = fullJitter
    ) throws(Upstream.InvalidBaseURL) {
        try self.init(
            upstream: upstream, baseURLs: baseURL.map { UpstreamURLs($0) }, transport: transport,
            policy: policy, plugins: plugins, interceptor: interceptor, cookies: cookies, stub: stub,
            jitter: jitter)
    }

    /// Creates a provider for a configured upstream, which may have several addresses.
    ///
    /// - Parameters:
    ///   - upstream: name of the API in logs, metrics, errors and settings.
    ///   - baseURLs: replace the targets' `baseURL`: `["http://10.0.0.1:81", "http://10.0.0.2:81"]`. Nil for
    ///     the targets' own.
    ///   - transport: sends the calls.
    ///   - policy: retries, time limits and redirects.
    ///   - plugins: called in this order.
    ///   - interceptor: adapts requests and decides whether to send them again. Combine several in an
    ///     `Interceptor`.
    ///   - cookies: stores the upstream's cookies and sends them back. Default nil: no cookies.
    ///   - stub: selects the calls to answer with their targets' samples. Default nil: none.
    ///   - jitter: chooses the wait within a backoff's bound. For tests.
    public convenience init(
        upstream: String, baseURLs: UpstreamURLs?, transport: any Transport,
        policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil,
        stub: StubClosure? = nil, jitter: @escaping Jitter = fullJitter
    ) throws(Upstream.InvalidBaseURL) {
        var configured: Upstream?
        if let baseURLs {
            configured = try Upstream.shared(name: upstream, baseURLs: baseURLs.all, isNamed: true)
        }
        self.init(
            ProviderSettings(
                name: upstream, isNamed: true, upstream: configured, transport: transport, policy: policy,
                plugins: plugins, interceptor: interceptor, cookies: cookies, jitter: jitter), stub)
    }

    /// Creates a provider for an upstream that other providers may share, with its connections and its retry
    /// budget.
    public convenience init(
        upstream: Upstream, transport: any Transport, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil,
        stub: StubClosure? = nil, jitter: @escaping Jitter = fullJitter
    ) {
        self.init(
            ProviderSettings(
                name: upstream.name, isNamed: true, upstream: upstream, transport: transport, policy: policy,
                plugins: plugins, interceptor: interceptor, cookies: cookies, jitter: jitter), stub)
    }

    /// Creates a provider whose targets name their own base URLs.
    ///
    /// - Parameters:
    ///   - name: name of the API in logs and errors. Settings by upstream name do not apply; TLS settings go
    ///     by host.
    ///   - transport: sends the calls.
    ///   - policy: retries, time limits and redirects.
    ///   - plugins: called in this order.
    ///   - interceptor: adapts requests and decides whether to send them again. Combine several in an
    ///     `Interceptor`.
    ///   - cookies: stores the upstream's cookies and sends them back. Default nil: no cookies.
    ///   - stub: selects the calls to answer with their targets' samples. Default nil: none.
    ///   - jitter: chooses the wait within a backoff's bound. For tests.
    public convenience init(
        name: String = "\(Target.self)", transport: any Transport, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil,
        stub: StubClosure? = nil, jitter: @escaping Jitter = fullJitter
    ) {
        self.init(
            ProviderSettings(
                name: name, isNamed: false, upstream: nil, transport: transport, policy: policy,
                plugins: plugins, interceptor: interceptor, cookies: cookies, jitter: jitter), stub)
    }

    private init(_ settings: ProviderSettings, _ stub: StubClosure?) {
        self.settings = settings
        self.stub = stub
        isPlain = stub == nil && settings.stages == nil
    }

    ///
    /// - Parameter isUnbounded: whether the target's own `timeout` is the only limit on the total time.
    func prepare(_ target: Target, isUnbounded: Bool = false) throws(RequestFault) -> TransportCall {
        let timeout = isUnbounded ? target.timeout ?? CallOptions.unbounded : target.timeout
        return try build(
            target, target.headers, timeout, target.attemptLimits, settings.calls(to: target.baseURL))
    }

    /// Returns the call of a stream of records, between which the upstream may be silent for long.
    ///
    /// - Parameters:
    ///   - target: the target.
    ///   - fields: sent unless the target sets them. `Last-Event-ID` replaces the target's, which is the
    ///     first one.
    func prepareRecords(
        of target: Target, adding fields: HTTPFields
    ) throws(RequestFault) -> TransportCall {
        let calls = try settings.calls(to: target.baseURL)
        var limits = target.attemptLimits ?? calls.attemptLimits
        limits.between = limits.between ?? calls.attemptLimits.between ?? StreamLimits.silence
        var headers = target.headers
        if fields.contains("Last-Event-ID") { headers.remove("Last-Event-ID") }
        return try build(
            target, headers.adding(fields), target.timeout ?? CallOptions.unbounded, limits, calls)
    }

    @inline(__always)
    private func build(
        _ target: Target, _ headers: HTTPFields, _ timeout: Duration?, _ limits: AttemptLimits?,
        _ calls: CallSettings
    ) throws(RequestFault) -> TransportCall {
        try RequestBuilder.build(
            method: target.method, path: target.path, headers: headers,
            task: target.task, context: CallContext.current, envelope: target.envelope,
            allowsEmptyBody: target.allowsEmptyBody, settings: calls,
            options: CallOptions.makeIfNeeded(
                timeout: timeout, attemptLimits: limits, validation: target.validation,
                contentDecoding: target.contentDecoding))
    }
}

/// Draws uniformly from zero to `bound`.
public let fullJitter: Jitter = { bound in
    bound > .zero ? .nanoseconds(Int64.random(in: 0...bound.nanoseconds)) : .zero
}

extension Provider {
    /// Performs the call of `rx.request(_:)`. Cancelling the task cancels the call.
    public func request(_ target: Target) async throws -> Response {
        try await rx.request(target).value
    }
}

extension Reactive {
    /// Returns a cold call: each subscription sends it, and disposal cancels it.
    ///
    /// Succeeds with a complete response of any status that the target's `validation` accepts, by default
    /// every status; `checkStatusCode()`, `fragment()` and `map(_:)` check it. Repeats failed attempts as the
    /// provider's `CallRetryPolicy` says and fails with a `NetworkError`. Carries the `CallContext` of the
    /// calling task. Completes even if the provider is released after the subscription.
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
