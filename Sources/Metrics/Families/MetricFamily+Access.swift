// Who may call, and how often.
extension MetricFamily {
    /// `sluice_auth_total`: requests whose callers were looked at, by what became of them.
    public static let auth = MetricFamily(
        "sluice_auth_total", .counter, of: .entry, labels: ["result"], limit: 16,
        help: "Requests to endpoints that require an identity, by the entry that decided and its result.")
    /// `sluice_rate_limit_total`: requests that a rate limit counted or refused.
    public static let rateLimit = MetricFamily(
        "sluice_rate_limit_total", .counter, of: .limit, labels: ["result"], limit: 16,
        help: "Requests that a rate limit allowed or refused.")
    /// `sluice_store_errors_total`: checks of limits that a store did not answer.
    public static let storeErrors = MetricFamily(
        "sluice_store_errors_total", .counter, of: .store, labels: ["reason"], limit: 16,
        help: "Checks of rate limits that a store did not answer.")
}
