public import Networking

extension Provider {
    /// A provider over a session's connections, whose targets say themselves where they go (Moya's `MoyaProvider()`).
    ///
    /// - Parameter name: the API's name in logs and errors.
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
}
