import EndpointPlans
import EventIO
import GatewayConfig
import GatewayCore
import HTTPModel

/// Declares who may call a gateway, and how often, as a file has it.
struct FileAccess {
    private let document: ConfigDocument

    init(_ document: ConfigDocument) {
        self.document = document
    }

    func declare(on gateway: Gateway) {
        for entry in document.auth {
            gateway.auth(
                entry.name.value, entry.method,
                send: entry.sent.map { SentField($0.name.value, $0.value.value) })
        }
        for limit in document.rateLimits { gateway.rateLimit(limit.name.value, limit.limit) }
    }

    // MARK: Stores

    /// Adds the stores to the settings, and reports TLS settings that cannot be used.
    func apply(to configuration: inout GatewayServerConfiguration, _ faults: inout FileFaults) {
        for store in document.stores {
            let settings = store.settings
            if let tls = settings.tls {
                do {
                    _ = try TLSContext(tls)
                } catch {
                    let key = "stores.\(store.name.value).tls"
                    faults.add("\(key): \(error)", at: store.changes.place(of: key) ?? store.name.place)
                }
            }
            configuration.stores[store.name.value] = settings
        }
    }

    /// A store that counts nothing for each name in the file, for checks.
    var uncountedStores: [String: any RateLimitStore] {
        Dictionary(uniqueKeysWithValues: document.stores.map { ($0.name.value, UncountedStore()) })
    }
}

/// A store of a check, which serves no request.
private struct UncountedStore: RateLimitStore {
    func take(
        _ limits: [StoreLimitRequest], within time: Int64,
        deliver: @escaping @Sendable (StoreOutcome) -> Void
    ) {
        deliver(.unavailable)
    }
}

extension PlannedSettings {
    /// The options that say who may call, and how often.
    ///
    /// - Parameter document: has the entries of `auth`. The entries of a requirement are tried in its order.
    func accessOptions(_ document: ConfigDocument) -> [EndpointOption] {
        var options: [EndpointOption] = []
        if let requirement { options.append(.require(requirement.inOrder(of: document))) }
        if let rateLimits { options.append(.rateLimits(rateLimits.map(\.value))) }
        if let csrf { options.append(.csrf(csrf)) }
        return options
    }
}

extension PlannedRequirement {
    fileprivate func inOrder(of document: ConfigDocument) -> Requirement {
        guard !entries.isEmpty else { return .none }
        let order = document.auth.map(\.name.value)
        func index(_ name: String) -> Int { order.firstIndex(of: name) ?? order.count }
        var values: [String: [String]] = [:]
        for claim in claims { values[claim.name.value] = claim.values.map(\.value) }
        return Requirement(
            any: entries.map(\.value).sorted { index($0) < index($1) }, scopes: scopes.map(\.value),
            claims: values, isOptional: isOptional ?? false)
    }
}

extension ConfigDocument {
    /// Who may call, for a static check, which reads no files of keys: each entry admits nobody. The reader
    /// has checked the settings of the entries.
    var authWithoutFiles: [ConfigAuth] {
        auth.enumerated().map { index, entry in
            var keys = APIKeySettings(lines: [])
            // Two entries of one requirement must not read the same field. The names of the entries do not
            // serve, because they may differ in case alone, or make a field that the gateway sets.
            keys.header = HTTPFieldName("X-Static-Check-\(index)") ?? keys.header
            var known = ConfigAuth(entry.name, .apiKeys(keys))
            known.sent = entry.sent.filter { !isSubstituted($0.value.place) }
            return known
        }
    }

    /// The limits without values that variables set.
    var knownRateLimits: [ConfigRateLimit] {
        rateLimits.map { limit in
            var known = limit
            known.limit = RateLimit(key: [.client], rate: limit.limit.rate, per: limit.limit.per)
            if !limit.isUnknown {
                known.limit.key = limit.limit.key
                known.limit.when = limit.limit.when
            }
            return known
        }
    }
}
