import ASCIIText
import EndpointPlans
import GatewayCore
import Resilience

/// A limit on requests.
enum RateLimitShape {
    /// The most limits of one endpoint.
    static let mostOfEndpoint = RateLimit.Ranges.mostLimits
}

extension SettingTable where Root == RateLimit {
    /// A limit on requests.
    static let rateLimit = SettingTable(
        "a limit", definition: "rateLimit", standard: RateLimit(), required: ["key", "rate"],
        example: "{key: client, rate: 100/1m}",
        meant: [
            "limit": "rate", "by": "key", "strategy": "key", "per": "rate", "every": "rate",
            "capacity": "burst",
            "redis": "store",
        ],
        check: { values, changes in
            let key = values.key
            if values.has("onStoreFailure"), !values.has("store"),
                let place = changes.place(of: key("onStoreFailure"))
            {
                values.reader.error("\(key("onStoreFailure")) needs store", at: place)
            }
            guard !changes.isUnknown(key("rate")), !changes.isUnknown(key("burst")), changes.has(key("rate")),
                let place = changes.place(of: key("burst"))
            else { return }
            let faults = changes.applied(to: RateLimit()).policy.faults
            if let fault = faults.first { values.reader.error("\(values.prefix).\(fault)", at: place) }
        }
    ) {
        Setting(
            "key", \.key, .limitKey,
            "What requests are counted by: client, identity, claims.NAME, header.NAME, endpoint, or several.")
        Setting("rate", .requestRate, "The number of requests per time: 100/1m.") {
            $0.rate = $1.count
            $0.per = $1.period
        }
        Setting(
            "burst", \.burst, .integer(Root.Ranges.burst),
            "How many requests may come at once after a pause. By default the number in rate.")
        Setting(
            "when", .claims, "Claims with their values: the limit counts only callers that have them."
        ) { limit, claims in
            for claim in claims { limit.when[claim.name.value] = claim.values.map(\.value) }
        }
        Setting("headers", \.headers, .flag, "Whether answers have RateLimit and RateLimit-Policy.")
        Setting(
            "store", \.store, .storeName,
            "The store in which processes count together. By default each counts alone.")
        Setting(
            "onStoreFailure", \.onStoreFailure, .word,
            "While the store does not answer: each process counts alone, or requests are answered with 503.")
        Setting(
            "maxKeys", \.maxKeys, .integer(Root.Ranges.maxKeys),
            "The most keys that are counted one by one. Beyond them, new keys share one count.")
    }
}

/// A number of requests in a time.
struct RequestRate: Sendable {
    let count: Int
    let period: Duration

    /// The form as a regular expression of JSON Schema.
    static let pattern =
        "^[0-9]+/[0-9]+(\\.[0-9]+)?(\(Quantity.time.units.map(\.name).joined(separator: "|")))$"
}

extension ValueType where Value == RequestRate {
    static let requestRate = ValueType(
        .scalar(.type("string", [("pattern", .text(RequestRate.pattern))])),
        unknown: RequestRate(count: 1, period: .seconds(1))
    ) { (scalar) throws(ScalarFault) in
        let parts = scalar.text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            if case .integer = YAMLValue(plain: scalar.text) { throw .bare("needs a time: 100/1m") }
            throw .unfit("is not a rate such as 100/1m or 20/1s")
        }
        let digits = parts[0].utf8
        guard (1...9).contains(digits.count), digits.allSatisfy(ASCII.isDigit), let count = Int(parts[0])
        else {
            throw .unfit("is not a rate such as 100/1m or 20/1s")
        }
        guard let period = Quantity.time.parse(String(parts[1])) else {
            // The unit alone is what others write.
            let unit = Quantity.time.units.first { $0.name == parts[1] }
            let isShown = scalar.substitution == nil
            throw .unfit(
                "is not a rate such as 100/1m or 20/1s"
                    + (isShown ? unit.map { "; did you mean \"\(count)/1\($0.name)\"?" } ?? "" : ""))
        }
        let (counts, periods) = (RateLimit.Ranges.rate, RateLimit.Ranges.per)
        guard counts.contains(count) else {
            throw .unfit("has a number that is not between \(counts.lowerBound) and \(counts.upperBound)")
        }
        guard periods.contains(.nanoseconds(period)) else {
            let (least, most) = (periods.lowerBound.inNanoseconds, periods.upperBound.inNanoseconds)
            throw .unfit(
                "has a time that is not between \(Quantity.time.text(least)) and \(Quantity.time.text(most))")
        }
        var limit = RateLimit()
        (limit.rate, limit.per) = (count, .nanoseconds(period))
        guard limit.policy.faults.isEmpty else { throw .unfit("is more than 1000000 requests a second") }
        return RequestRate(count: count, period: .nanoseconds(period))
    }
}

extension ValueType where Value == [RateLimit.Key] {
    /// What requests are counted by: one key, or a list.
    static let limitKey: ValueType = {
        let key = ValueType<RateLimit.Key>.limitKey
        let list = ValueType<[Located<RateLimit.Key>]>.list(of: key.located, 1...8)
        return ValueType { definitions in
            .any(of: [key.schema(&definitions), list.schema(&definitions)])
        } read: { node, subject, reader in
            guard case .list = node.content else { return key.read(node, subject, reader).map { [$0] } }
            guard let keys = list.read(node, subject, reader), !keys.isEmpty else { return nil }
            var known: Set<RateLimit.Key> = []
            for key in keys where !reader.unread.contains(key.place) && !known.insert(key.value).inserted {
                // A name that a variable sets is not shown.
                reader.error("\(subject.text): the key is listed twice", at: key.place)
            }
            return keys.map(\.value)
        }
    }()
}

extension ValueType where Value == RateLimit.Key {
    static let limitKey = ValueType(.type("string"), unknown: .client) { (scalar) throws(ScalarFault) in
        if let key = RateLimit.Key(scalar.text) { return key }
        throw .unfit(
            "is not client, identity, claims.NAME, header.NAME or endpoint"
                + (suggestion(for: scalar) ?? scalar.suggestion(among: ["client", "identity", "endpoint"])))
    }

    /// Words that others use for what requests are counted by.
    private static let meant = [
        "ip": "client", "address": "client", "remote_addr": "client", "user": "identity", "sub": "identity",
        "subject": "identity", "caller": "identity", "consumer": "identity", "path": "endpoint",
        "route": "endpoint",
    ]

    /// Returns `; did you mean "claims.plan"?` for `claim.plan` and the like; nil for other words.
    private static func suggestion(for scalar: YAMLScalar) -> String? {
        guard scalar.substitution == nil else { return nil }
        if let word = meant[scalar.text.lowercased()] { return "; did you mean \"\(word)\"?" }
        let parts = scalar.text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let roots = ["header", "claims"]
        let root =
            ReferenceRoot.meant[String(parts[0])]?.rawValue
            ?? Suggestion.nearest(to: String(parts[0]), among: roots)
        guard let root, roots.contains(root), RateLimit.Key("\(root).\(parts[1])") != nil else { return nil }
        return "; did you mean \"\(root).\(Shown.text(String(parts[1])))\"?"
    }
}

extension ValueType where Value == [ConfigRateLimit] {
    static let rateLimits = ValueType.map(
        of: ValueType<SettingChanges<RateLimit>>.settings(.rateLimit)
    ) { name, changes, reader in
        guard AccessName.check(name, of: "a limit", reader) else { return nil }
        // A key has the names of the objects around it.
        func key(_ member: String) -> String { "rateLimits.\(name.value).\(member)" }
        var limit = ConfigRateLimit(
            name, changes.value.applied(to: RateLimit()),
            keyPlace: changes.value.place(of: key("key")) ?? name.place)
        limit.whenPlace = changes.value.place(of: key("when")) ?? name.place
        limit.isUnknown = changes.value.isUnknown(key("key")) || changes.value.isUnknown(key("when"))
        return limit
    }
}
