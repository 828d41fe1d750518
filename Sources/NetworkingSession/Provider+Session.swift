public import Networking

extension Provider {
    /// Creates a provider over a session's connections. Its targets name their own base URLs (Moya's
    /// `MoyaProvider()`).
    ///
    /// - Parameters:
    ///   - name: name of the API in logs and errors. `ConnectionSettings.tlsByUpstream` does not apply to it.
    ///   - session: sends the calls. Default `Session.shared`.
    ///   - policy: retries, time limits and redirects.
    ///   - plugins: called in this order.
    ///   - interceptor: adapts requests and decides whether to send them again. Combine several in an
    ///     `Interceptor`.
    ///   - cookies: stores the upstream's cookies and sends them back. Default nil: no cookies.
    ///   - stub: selects the calls to answer with their targets' samples. Default nil: none.
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

    /// Creates a provider over a session's connections, for an upstream with a configured address.
    ///
    /// - Parameters:
    ///   - upstream: name of the API in logs, errors and `ConnectionSettings.tlsByUpstream`.
    ///   - baseURL: replaces the targets' `baseURL`.
    ///   - session: sends the calls. Default `Session.shared`.
    ///   - policy: retries, time limits and redirects.
    ///   - plugins: called in this order.
    ///   - interceptor: adapts requests and decides whether to send them again. Combine several in an
    ///     `Interceptor`.
    ///   - cookies: stores the upstream's cookies and sends them back. Default nil: no cookies.
    ///   - stub: selects the calls to answer with their targets' samples. Default nil: none.
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

    /// Creates a provider over a session's connections, for an upstream with several configured addresses.
    ///
    /// - Parameters:
    ///   - upstream: name of the API in logs, errors and `ConnectionSettings.tlsByUpstream`.
    ///   - baseURLs: replace the targets' `baseURL`: `["http://10.0.0.1:81", "http://10.0.0.2:81"]`.
    ///   - session: sends the calls. Default `Session.shared`.
    ///   - policy: retries, time limits and redirects.
    ///   - plugins: called in this order.
    ///   - interceptor: adapts requests and decides whether to send them again. Combine several in an
    ///     `Interceptor`.
    ///   - cookies: stores the upstream's cookies and sends them back. Default nil: no cookies.
    ///   - stub: selects the calls to answer with their targets' samples. Default nil: none.
    /// - Throws: if the base URLs are invalid.
    public convenience init(
        upstream: String, baseURLs: UpstreamURLs, session: Session = .shared,
        policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil,
        stub: StubClosure? = nil
    ) throws(Upstream.InvalidBaseURL) {
        try self.init(
            upstream: upstream, baseURLs: baseURLs, transport: session.transport, policy: policy,
            plugins: plugins, interceptor: interceptor, cookies: cookies, stub: stub)
    }
}
