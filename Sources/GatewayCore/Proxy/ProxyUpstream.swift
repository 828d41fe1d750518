public import Networking

/// An upstream whose responses pass through as they are, without an API that describes its paths.
public struct ProxyUpstream: Sendable {
    let provider: Provider<PassedPath>
}

/// A target that is never built: the calls of a `ProxyUpstream` take their paths from requests.
struct PassedPath: TargetType {
    var baseURL: String { "" }
    var path: RequestPath { "" }
}

extension Gateway {
    /// Declares an upstream for `proxy`. Its policy is set with `upstream(_:_:)`, as for any other.
    ///
    ///     let images = gateway.proxyUpstream("images", baseURL: "http://images.internal:8080/v1")
    ///     gateway.proxy("/images/{path...}", to: images)
    ///
    /// - Parameters:
    ///   - name: the name in logs, errors and settings.
    ///   - baseURL: where it is, unless the environment has an address for the name. An upstream without
    ///     either is a fault of the declaration.
    ///   - policy: retries and the limits of attempts. `totalTimeout` does not apply, as bodies may take any
    ///     time. Default: the policy of the file that declares the upstream, else `CallPolicy()`.
    ///   - plugins: called in this order.
    ///   - interceptor: adapts requests, for example with credentials of the gateway. With one, bodies of
    ///     failures are buffered, up to 256 KiB and for half of the time that is left until the endpoint's
    ///     deadline.
    public func proxyUpstream(
        _ name: String, baseURL: String? = nil, policy: CallPolicy? = nil,
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil
    ) -> ProxyUpstream {
        proxyUpstream(
            name, baseURLs: baseURL.map { UpstreamURLs($0) }, policy: policy, plugins: plugins,
            interceptor: interceptor)
    }

    /// Declares an upstream for `proxy` that may have several addresses.
    package func proxyUpstream(
        _ name: String, baseURLs: UpstreamURLs?, policy: CallPolicy?, plugins: [any PluginType] = [],
        interceptor: (any RequestInterceptor)? = nil
    ) -> ProxyUpstream {
        let provider = provider(
            PassedPath.self, upstream: name, baseURLs: baseURLs, policy: policy, plugins: plugins,
            interceptor: interceptor)
        if provider.configuredUpstream == nil {
            declarations.add(
                fault:
                    "the upstream \"\(name)\" of a proxy has no address: give it a baseURL, or set its address"
            )
        }
        return ProxyUpstream(provider: provider)
    }
}
