public import Networking

extension Provider {
    /// A provider over a session's connections, whose targets say themselves where they go (Moya's `MoyaProvider()`).
    ///
    /// - Parameters:
    ///   - name: the API's name in logs and errors. `ConnectionSettings.tlsByUpstream` is not for it.
    ///   - session: whose connections carry the calls. Default `Session.shared`.
    ///   - policy: retries, time limits, redirects.
    ///   - plugins: asked in order.
    ///   - interceptor: changes requests and decides on sending them again; several in one are an `Interceptor`.
    ///   - cookies: keeps what upstreams set and sends it back. Default nil: cookies are neither kept nor sent.
    ///   - stub: which calls are answered with their targets' samples instead. Default nil: none.
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

    /// A provider over a session's connections of an upstream at an address that a program is told, rather than its targets'.
    ///
    /// - Parameters:
    ///   - upstream: the API's name in logs, errors and `ConnectionSettings.tlsByUpstream`.
    ///   - baseURL: replaces the targets' own `baseURL`.
    ///   - session: whose connections carry the calls. Default `Session.shared`.
    ///   - policy: retries, time limits, redirects.
    ///   - plugins: asked in order.
    ///   - interceptor: changes requests and decides on sending them again; several in one are an `Interceptor`.
    ///   - cookies: keeps what upstreams set and sends it back. Default nil: cookies are neither kept nor sent.
    ///   - stub: which calls are answered with their targets' samples instead. Default nil: none.
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
