public import HTTPModel
package import Resilience

/// How often somebody may call (`Gateway.rateLimit(_:_:)`).
///
///     var limit = RateLimit(key: [.identity], rate: 100, per: .seconds(60))
///     limit.burst = 20
///     gateway.rateLimit("perUser", limit)
///     gateway.get("/me", .require("mobile"), .rateLimits("perUser")) { ... }
///
/// Requests come back evenly: here one in 600 ms, and 20 may come at once after a pause. A request that is
/// refused uses up nothing.
public struct RateLimit: Sendable, Hashable {
    /// A piece of what requests are counted by.
    public struct Key: Sendable, Hashable, CustomStringConvertible {
        enum Source: Sendable, Hashable {
            case client
            case identity
            case claim(String)
            case header(HTTPFieldName)
            case endpoint
        }

        let source: Source

        /// The client's address. Of an IPv6 address the first 64 bits, because a client has all the others.
        public static let client = Key(source: .client)
        /// The caller: the name of the entry and the claim `sub`.
        public static let identity = Key(source: .identity)
        /// The endpoint: its method and path template.
        public static let endpoint = Key(source: .endpoint)

        /// A claim of the caller: `.claim("plan")`. If no claim has this name, points lead to members of
        /// members: `.claim("org.id")`.
        public static func claim(_ name: String) -> Key { Key(source: .claim(name)) }

        /// A field of the request. Anybody may send any value, so it protects nothing by itself.
        public static func header(_ name: HTTPFieldName) -> Key { Key(source: .header(name)) }

        private init(source: Source) { self.source = source }

        /// Reads the word of a file: `client`, `identity`, `endpoint`, `claims.org.id`, `header.X-Tenant`.
        /// Nil for any other word.
        package init?(_ text: String) {
            switch text {
            case "client": self = .client
            case "identity": self = .identity
            case "endpoint": self = .endpoint
            default:
                if text.hasPrefix("claims."), text.utf8.count > 7 {
                    self = .claim(String(text.dropFirst(7)))
                } else if text.hasPrefix("header."), let name = HTTPFieldName(text.dropFirst(7)) {
                    self = .header(name)
                } else {
                    return nil
                }
            }
        }

        /// The key in the words of a file: `claims.org.id`.
        public var description: String {
            switch source {
            case .client: "client"
            case .identity: "identity"
            case .endpoint: "endpoint"
            case .claim(let name): "claims.\(name)"
            case .header(let name): "header.\(name)"
            }
        }

        /// Whether it exists only for a known caller.
        package var needsIdentity: Bool {
            switch source {
            case .identity, .claim: true
            case .client, .header, .endpoint: false
            }
        }
    }

    /// What a limit does while its store does not answer.
    public struct StoreFailure: RawRepresentable, CaseIterable, Hashable, Sendable {
        /// Each process counts for itself.
        public static let local = StoreFailure("local")
        /// Requests are answered with 503.
        public static let deny = StoreFailure("deny")

        /// Both.
        public static let allCases: [StoreFailure] = [.local, .deny]

        /// The word in files.
        public let rawValue: String

        private init(_ word: String) { rawValue = word }

        /// Returns the rule with this word; nil for another word.
        public init?(rawValue: String) {
            guard let rule = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = rule
        }
    }

    /// What requests are counted by: all pieces together. At least one.
    public var key: [Key]
    /// The number of requests in `per`. 1 to 1 000 000, and at most 1 000 000 a second.
    public var rate: Int
    /// The time in which `rate` requests are allowed. 1 ms to 31 days.
    public var per: Duration
    /// The number of requests that may come at once after a pause. 1 to 1 000 000; all must come back within
    /// 100 days. Nil for `rate`. Default nil.
    public var burst: Int?
    /// Claims with their possible values, all of which a caller must have for the limit to apply. Default:
    /// none, and it applies to all.
    public var when: [String: [String]]
    /// Whether answers tell the client of the limit, in `RateLimit-Policy` and `RateLimit`. A refusal has
    /// `Retry-After` in any case. Default true.
    public var headers: Bool
    /// The store that counts for several processes; nil to count in this one. Default nil.
    public var store: String?
    /// What happens while the store does not answer. Default `local`.
    public var onStoreFailure: StoreFailure
    /// The most keys that are counted one by one. Beyond them, new keys share one count. 1 to 10 000 000,
    /// default 100 000.
    public var maxKeys: Int

    /// Creates a limit. It counts requests to the endpoints that name it in `.rateLimits`.
    public init(
        key: [Key], rate: Int, per: Duration, burst: Int? = nil, when: [String: [String]] = [:],
        headers: Bool = true, store: String? = nil, onStoreFailure: StoreFailure = .local,
        maxKeys: Int = 100_000
    ) {
        self.key = key
        self.rate = rate
        self.per = per
        self.burst = burst
        self.when = when
        self.headers = headers
        self.store = store
        self.onStoreFailure = onStoreFailure
        self.maxKeys = maxKeys
    }

    /// A limit with faults, for a reader of files to fill in.
    package init() { self.init(key: [], rate: 0, per: .zero) }

    package enum Ranges {
        package static let rate = RateLimitPolicy.Ranges.count
        package static let per = RateLimitPolicy.Ranges.period
        package static let burst = RateLimitPolicy.Ranges.burst
        package static let maxKeys = 1...10_000_000
        /// At one endpoint.
        package static let mostLimits = 16
    }

    package var policy: RateLimitPolicy { RateLimitPolicy(count: rate, period: per, burst: burst) }

    /// Whether it applies only to known callers.
    package var needsIdentity: Bool { !when.isEmpty || key.contains { $0.needsIdentity } }

    /// Whether it counts before the caller is known.
    package var precedesIdentity: Bool {
        when.isEmpty && key.allSatisfy { $0 == .client || $0 == .endpoint }
    }

    /// One line for each setting that is wrong. Whether the store exists is not checked here.
    package var faults: [String] {
        var faults = key.isEmpty ? ["key: it needs at least one of \(Self.keyWords)"] : []
        faults += policy.faults
        var ranges = RangeFaults()
        ranges.check("maxKeys", maxKeys, in: Ranges.maxKeys)
        faults += ranges.list
        for claim in when.keys.sorted() where when[claim]?.isEmpty ?? true {
            faults.append("when: \(claim) needs at least one value")
        }
        return faults
    }

    /// The words of keys, for messages.
    package static let keyWords = "client, identity, claims.NAME, header.NAME and endpoint"
}
