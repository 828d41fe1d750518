import AccessControl
import HTTPModel
import JSONBytes
import Locking
import Resilience
import Testing

@testable import GatewayCore

/// Requests, callers and stores for tests of limits.
enum LimitWorld {
    static func identity(_ entry: String = "mobile", _ claims: String = #"{"sub":"ann"}"#) throws -> Identity
    {
        Identity(entry: entry, claims: try JSONFragment(parsing: claims), send: [])
    }

    static func request(
        from client: String? = "192.0.2.1", _ fields: HTTPFields = [:], by identity: Identity? = nil,
        endpoint: String = "GET /me", at now: Int64 = 0
    ) -> LimitedRequest {
        LimitedRequest(
            fields: fields, client: client.flatMap { IPAddress($0) }, identity: identity, endpoint: endpoint,
            now: now)
    }

    /// 60 requests in a minute, three at once.
    static func limit(_ key: RateLimit.Key..., burst: Int? = 3) -> RateLimit {
        RateLimit(key: key, rate: 60, per: .seconds(60), burst: burst)
    }

    /// The same in a store.
    static func stored(
        _ key: RateLimit.Key..., burst: Int? = 3, or failure: RateLimit.StoreFailure = .local
    ) -> RateLimit {
        RateLimit(
            key: key, rate: 60, per: .seconds(60), burst: burst, store: "main", onStoreFailure: failure)
    }

    static func limits(
        _ limits: KeyValuePairs<String, RateLimit>, stores: [String: any RateLimitStore] = [:]
    ) -> EndpointLimits {
        EndpointLimits(limits.map { KeptLimit($0.key, $0.value) }, stores: stores)
    }
}

/// A store that the test answers for.
struct SilentStore: RateLimitStore {
    func take(
        _ limits: [StoreLimitRequest], within time: Int64,
        deliver: @escaping @Sendable (StoreOutcome) -> Void
    ) {}
}

extension LimitStep {
    var isPassed: Bool { if case .passed = self { true } else { false } }

    /// The names of the limits that refuse; nil for another step.
    var refusing: [String]? { if case .refused(_, let limits) = self { limits } else { nil } }

    var error: GatewayError? {
        switch self {
        case .refused(let error, _), .unavailable(let error): error
        case .passed, .asks: nil
        }
    }

    /// The names of the limits that a store is asked for; nil for another step.
    var asked: [String]? { if case .asks(_, let requests) = self { requests.map(\.name) } else { nil } }
}

extension EndpointLimits {
    /// Counts a request at limits without a store.
    func take(_ request: LimitedRequest) -> (step: LimitStep, usage: LimitUsage) {
        var usage = LimitUsage()
        let first = begin(request, &usage)
        guard first.isPassed else { return (first, usage) }
        let second = proceed(request, &usage)
        return (second, usage)
    }
}
