import HTTPModel
import Locking

/// What all calls of a provider share.
final class ProviderSettings: Sendable {
    let name: String
    let transport: any Transport
    let policy: CallPolicy
    let plugins: [any PluginType]
    let jitter: Jitter
    let fields: HTTPFields
    private let configured: Upstream?
    private let parsed = Lock<[String: Upstream]>([:])

    init(
        name: String, upstream: Upstream?, transport: any Transport, policy: CallPolicy,
        plugins: [any PluginType], jitter: @escaping Jitter
    ) {
        self.name = name
        configured = upstream
        self.transport = transport
        self.policy = policy
        self.plugins = plugins
        self.jitter = jitter
        // No content coding is undone here, so none is asked for.
        fields = [.accept: "application/json", .acceptEncoding: "identity"]
    }

    /// The configured upstream, or the one at the target's own base URL. Parsed once.
    func upstream(baseURL: @autoclosure () -> String) throws(RequestFault) -> Upstream {
        if let configured { return configured }
        let baseURL = baseURL()
        if let known = parsed.withLock({ $0[baseURL] }) { return known }
        let upstream: Upstream
        do {
            upstream = try Upstream(name: name, baseURL: baseURL)
        } catch {
            throw RequestFault(error.description)
        }
        let kept = parsed.withLock { parsed -> Upstream? in
            if let first = parsed[baseURL] { return first }
            guard parsed.count < ProviderSettings.maximumBaseURLs else { return nil }
            parsed[baseURL] = upstream
            return upstream
        }
        guard let kept else {
            throw RequestFault(
                "a target of \(name) has more than \(ProviderSettings.maximumBaseURLs) base URLs")
        }
        return kept
    }

    private static let maximumBaseURLs = 64
}

/// Draws a wait from nothing to the bound it is given. The default is even over that range ("full jitter").
public typealias Jitter = @Sendable (_ bound: Duration) -> Duration
