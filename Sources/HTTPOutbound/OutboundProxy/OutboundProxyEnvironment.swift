/// The proxy of each origin according to the process's environment variables, by curl's rules:
///
///     http_proxy                  for http; not HTTP_PROXY, which a CGI client sets by a Proxy field
///     https_proxy, HTTPS_PROXY    for https
///     all_proxy, ALL_PROXY        for a scheme without its own variable
///     no_proxy, NO_PROXY          hosts that are reached without a proxy (`NoProxy`)
///
/// The lower-case variable takes precedence, and an empty one counts as unset.
///
/// An invalid variable affects as little as possible, since a program does not choose its environment: an
/// invalid entry of `no_proxy` is skipped, and a proxy that is malformed or of another kind (`socks5h://`)
/// fails only the calls that need it. `warnings` lists both.
public struct OutboundProxyEnvironment: Sendable, Hashable {
    private enum Route: Sendable, Hashable {
        case direct
        case proxy(OutboundProxy)
        case failure(OutboundProxy.Failure)
    }

    private let http: Route
    private let https: Route
    /// The hosts that are called without a proxy, from `no_proxy`.
    public let exceptions: NoProxy
    /// One line for each invalid variable or entry: its name, what is wrong, and the consequence. Without
    /// passwords.
    public let warnings: [String]

    /// Reads the variables above and ignores all others.
    public init(_ variables: [String: String]) {
        var warnings: [String] = []
        let all = ["all_proxy", "ALL_PROXY"]
        http = Self.route(["http_proxy"] + all, variables)
        https = Self.route(["https_proxy", "HTTPS_PROXY"] + all, variables)
        for (scheme, route) in [("http", http), ("https", https)] {
            if case .failure(let failure) = route { warnings.append("\(failure); \(scheme) calls fail") }
        }
        if let (name, text) = Self.value(["no_proxy", "NO_PROXY"], variables) {
            var skipped: [String] = []
            exceptions = NoProxy(text, skipped: &skipped)
            warnings += skipped.map { "\(name): \(NoProxy.failure($0)); it is skipped" }
        } else {
            exceptions = NoProxy()
        }
        self.warnings = warnings
    }

    /// Returns the proxy for this origin, or nil if the origin is reached directly.
    ///
    /// - Throws: if the variable that names the proxy is invalid. The description includes its name.
    public func proxy(for origin: Origin) throws(OutboundProxy.Failure) -> OutboundProxy? {
        guard case .tcp(let host, let port) = origin.endpoint, !exceptions.contains(host: host, port: port)
        else { return nil }
        switch origin.scheme == .https ? https : http {
        case .direct: return nil
        case .proxy(let proxy): return proxy
        case .failure(let failure): throw failure
        }
    }

    private static func route(_ names: [String], _ variables: [String: String]) -> Route {
        guard let (name, text) = value(names, variables) else { return .direct }
        do {
            return .proxy(try OutboundProxy(text))
        } catch {
            return .failure(OutboundProxy.Failure(description: "\(name): \(error)"))
        }
    }

    private static func value(_ names: [String], _ variables: [String: String]) -> (
        name: String, text: String
    )? {
        for name in names {
            if let text = variables[name], !text.isEmpty { return (name, text) }
        }
        return nil
    }
}

extension Origin {
    /// Returns this origin, reached through the proxy that the environment names for it.
    ///
    /// - Throws: if the variable that names the proxy is invalid.
    public func through(_ environment: OutboundProxyEnvironment) throws(OutboundProxy.Failure) -> Origin {
        through(try environment.proxy(for: self))
    }
}
