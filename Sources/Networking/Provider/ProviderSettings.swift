import HTTPModel
import Locking

/// What a call knows of its provider. Not the transport, which may keep calls.
final class CallSettings: Sendable {
    let policy: CallPolicy
    let plugins: [any PluginType]
    /// Most providers have none.
    let hasPlugins: Bool
    let jitter: Jitter
    /// `policy.totalTimeout`.
    let totalNanoseconds: Int64
    /// What every call says unless its target or its context says otherwise. No content coding is undone here, so
    /// none is asked for.
    let fields = CallSettings.standardFields
    private static let standardFields =
        ([.accept: "application/json", .acceptEncoding: "identity"] as HTTPFields).checked()

    init(policy: CallPolicy, plugins: [any PluginType], jitter: @escaping Jitter) {
        self.policy = policy
        self.plugins = plugins
        hasPlugins = !plugins.isEmpty
        self.jitter = jitter
        totalNanoseconds = policy.totalTimeout.nanoseconds
    }
}

/// What all calls of a provider share.
final class ProviderSettings: Sendable {
    let name: String
    let transport: any Transport
    let calls: CallSettings
    private let configured: Upstream?
    private let parsed = Lock(Parsed())

    private struct Parsed: Sendable {
        /// What nearly every target has: the same constant.
        var last: (baseURL: String, upstream: Upstream)?
        var all: [String: Upstream] = [:]

        mutating func upstream(_ baseURL: String) -> Upstream? {
            if let last, last.baseURL == baseURL { return last.upstream }
            guard let upstream = all[baseURL] else { return nil }
            last = (baseURL, upstream)
            return upstream
        }
    }

    init(
        name: String, upstream: Upstream?, transport: any Transport, policy: CallPolicy,
        plugins: [any PluginType], jitter: @escaping Jitter
    ) {
        self.name = name
        configured = upstream
        self.transport = transport
        calls = CallSettings(policy: policy, plugins: plugins, jitter: jitter)
    }

    /// The configured upstream, or the one at the target's own base URL. Parsed once.
    func upstream(baseURL: @autoclosure () -> String) throws(RequestFault) -> Upstream {
        if let configured { return configured }
        let baseURL = baseURL()
        if let known = parsed.withLock({ $0.upstream(baseURL) }) { return known }
        let upstream: Upstream
        do {
            upstream = try Upstream.known(name: name, baseURL: baseURL)
        } catch {
            throw RequestFault(error.description)
        }
        let isKept = parsed.withLock { parsed in
            guard parsed.all.count < ProviderSettings.maximumBaseURLs else { return false }
            parsed.all[baseURL] = upstream
            return true
        }
        guard isKept else { throw RequestFault("the targets of \(name) have too many different base URLs") }
        return upstream
    }

    private static let maximumBaseURLs = 64
}

/// Draws a wait from nothing to the bound it is given. The default is even over that range ("full jitter").
public typealias Jitter = @Sendable (_ bound: Duration) -> Duration
