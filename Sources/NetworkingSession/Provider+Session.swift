public import Networking

extension Provider {
    /// Creates a provider over a session's connections. Its targets say where they go (Moya's `MoyaProvider()`).
    ///
    /// - Parameters:
    ///   - name: the API's name in logs and errors. `ConnectionSettings.tlsByUpstream` does not apply to it.
    ///   - session: carries the calls. Default: `Session.shared`.
    ///   - policy: retries, time limits, redirects.
    ///   - plugins: called in order.
    ///   - interceptor: changes requests and decides on retries. Combine several as an `Interceptor`.
    ///   - cookies: keeps and sends the upstreams' cookies. Default: nil, neither.
    ///   - stub: selects calls that are answered with their targets' samples. Default: nil, none.
    public convenience init(
        name: String = "\(Target.self)", session: Session = .shared, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil,
        stub: StubClosure? = nil
    ) {
        self.init(
            name: name, transport: session.transport, policy: policy, plugins: plugins,
            interceptor: interceptor,
            cookies: cookies, stub: stub)
    }

    /// Creates a provider over a session's connections, for an upstream whose address is configured rather than part of the
    /// targets.
    ///
    /// - Parameters:
    ///   - upstream: the API's name in logs, errors and `ConnectionSettings.tlsByUpstream`.
    ///   - baseURL: replaces the targets' own `baseURL`.
    ///   - session: carries the calls. Default: `Session.shared`.
    ///   - policy: retries, time limits, redirects.
    ///   - plugins: called in order.
    ///   - interceptor: changes requests and decides on retries. Combine several as an `Interceptor`.
    ///   - cookies: keeps and sends the upstreams' cookies. Default: nil, neither.
    ///   - stub: selects calls that are answered with their targets' samples. Default: nil, none.
    /// - Throws: if `baseURL` is invalid.
    public convenience init(
        upstream: String, baseURL: String, session: Session = .shared, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil,
        stub: StubClosure? = nil
    ) throws(Upstream.InvalidBaseURL) {
        try self.init(
            upstream: upstream, baseURL: baseURL, transport: session.transport, policy: policy,
            plugins: plugins, interceptor: interceptor, cookies: cookies, stub: stub)
    }
}
