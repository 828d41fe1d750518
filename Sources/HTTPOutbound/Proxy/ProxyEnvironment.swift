/// The proxy of each origin, as the variables of a process name it, by curl's rules:
///
///     http_proxy                  for http; HTTP_PROXY is not read, since a CGI client sets it by a Proxy field
///     https_proxy, HTTPS_PROXY    for https
///     all_proxy, ALL_PROXY        for a scheme that has no variable of its own
///     no_proxy, NO_PROXY          hosts that are reached without a proxy (`NoProxy`)
///
/// The one in lower case comes first, and an empty one counts as not set.
///
/// A program does not choose its environment, so a variable that is not understood affects as little as possible: an entry of
/// `no_proxy` is skipped, and a proxy that is malformed or of another kind (`socks5h://`) fails only the calls that need it.
/// `warnings` lists both.
public struct ProxyEnvironment: Sendable, Hashable {
    private enum Way: Sendable, Hashable {
        case straight
        case proxy(ProxyConfiguration)
        case failure(ProxyConfiguration.Failure)
    }

    private let http: Way
    private let https: Way
    /// The hosts that are reached without a proxy.
    public let exceptions: NoProxy
    /// What was not understood, a line for each variable or entry: which it is, why, and what follows. Without passwords.
    public let warnings: [String]

    /// Reads the variables; others than those above do not matter.
    public init(_ variables: [String: String]) {
        var warnings: [String] = []
        let all = ["all_proxy", "ALL_PROXY"]
        http = Self.way(["http_proxy"] + all, variables)
        https = Self.way(["https_proxy", "HTTPS_PROXY"] + all, variables)
        for (scheme, way) in [("http", http), ("https", https)] {
            if case .failure(let failure) = way { warnings.append("\(failure); \(scheme) calls fail") }
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

    /// The proxy of this origin; nil if it is reached without one.
    ///
    /// - Throws: if the variable that names the proxy was not understood; the description has its name.
    public func proxy(for origin: Origin) throws(ProxyConfiguration.Failure) -> ProxyConfiguration? {
        guard case .tcp(let host, let port) = origin.endpoint, !exceptions.contains(host: host, port: port)
        else { return nil }
        switch origin.scheme == .https ? https : http {
        case .straight: return nil
        case .proxy(let proxy): return proxy
        case .failure(let failure): throw failure
        }
    }

    private static func way(_ names: [String], _ variables: [String: String]) -> Way {
        guard let (name, text) = value(names, variables) else { return .straight }
        do {
            return .proxy(try ProxyConfiguration(text))
        } catch {
            return .failure(ProxyConfiguration.Failure(description: "\(name): \(error)"))
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
    /// The same origin by way of the proxy that the environment names for it.
    ///
    /// - Throws: if the variable that names the proxy was not understood.
    public func through(_ environment: ProxyEnvironment) throws(ProxyConfiguration.Failure) -> Origin {
        through(try environment.proxy(for: self))
    }
}
