internal import Metrics

/// What resolvers count. Lookups belong to no loop, so each addition is atomic.
struct ResolverCounts: Sendable {
    private let found: SharedCounter
    private let unknown: SharedCounter
    private let late: SharedCounter
    private let failed: SharedCounter
    private let duration: SharedHistogram
    private let stale: SharedCounter
    private let waiting: SharedCounter

    init(in table: MetricTable) {
        let process = table.name()
        found = process.shared(.dnsLookups, ["success"])
        unknown = process.shared(.dnsLookups, ["no_name"])
        late = process.shared(.dnsLookups, ["timeout"])
        failed = process.shared(.dnsLookups, ["error"])
        duration = process.sharedHistogram(.dnsLookupDuration)
        stale = process.shared(.dnsStaleAnswers)
        waiting = process.shared(.dnsWaitingLookups)
    }

    /// - Parameter time: since the lookup was wanted.
    func lookupEnded<Found>(_ result: Result<Found, SocketError>, after time: TimeAmount) {
        switch result {
        case .success: found.add()
        case .failure(let error):
            switch error.kind {
            case .nameNotFound: unknown.add()
            case .nameTimedOut: late.add()
            default: failed.add()
            }
        }
        duration.observe(Double(time.nanoseconds) / 1e9)
    }

    func answeredStale() { stale.add() }

    /// More lookups wait for their start, or fewer.
    func waiters(changedBy number: Int) {
        if number != 0 { waiting.add(number) }
    }
}
