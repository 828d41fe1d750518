/// Which proxy each origin is reached through, as the variables of a process say it, by curl's rules:
///
///     http_proxy                  for http; HTTP_PROXY is not read, since a CGI client sets it by a Proxy field
///     https_proxy, HTTPS_PROXY    for https
///     all_proxy, ALL_PROXY        for those that have none of their own
///     no_proxy, NO_PROXY          hosts that are reached without one (`NoProxy`)
///
/// The one in lower case comes first, and an empty one is as good as none.
public struct ProxyEnvironment: Sendable, Hashable {
    public let http: ProxyConfiguration?
    public let https: ProxyConfiguration?
    public let exceptions: NoProxy

    /// - Throws: with the variable that cannot be understood in the description.
    public init(_ variables: [String: String]) throws(ProxyConfiguration.Failure) {
        let all = try Self.proxy(["all_proxy", "ALL_PROXY"], variables)
        http = try Self.proxy(["http_proxy"], variables) ?? all
        https = try Self.proxy(["https_proxy", "HTTPS_PROXY"], variables) ?? all
        exceptions =
            try Self.reading(["no_proxy", "NO_PROXY"], variables) {
                (text) throws(ProxyConfiguration.Failure) in try NoProxy(text)
            } ?? NoProxy()
    }

    /// The proxy of this origin; nil where it is reached straight.
    public func proxy(for origin: Origin) -> ProxyConfiguration? {
        guard case .tcp(let host, let port) = origin.endpoint, !exceptions.contains(host: host, port: port)
        else { return nil }
        return origin.scheme == .https ? https : http
    }

    private static func proxy(
        _ names: [String], _ variables: [String: String]
    ) throws(ProxyConfiguration.Failure) -> ProxyConfiguration? {
        try reading(names, variables) { (text) throws(ProxyConfiguration.Failure) in
            try ProxyConfiguration(text)
        }
    }

    private static func reading<Value>(
        _ names: [String], _ variables: [String: String],
        _ parse: (String) throws(ProxyConfiguration.Failure) -> Value
    ) throws(ProxyConfiguration.Failure) -> Value? {
        for name in names {
            guard let text = variables[name], !text.isEmpty else { continue }
            do {
                return try parse(text)
            } catch {
                throw ProxyConfiguration.Failure(description: "\(name): \(error)")
            }
        }
        return nil
    }
}

extension Origin {
    /// The same origin by way of the proxy that the environment has for it.
    public func through(_ environment: ProxyEnvironment) -> Origin { through(environment.proxy(for: self)) }
}
