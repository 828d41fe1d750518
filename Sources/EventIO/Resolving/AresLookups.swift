import CLibevent
import Glibc

/// What a lookup found.
enum LookupReport: Sendable {
    /// The addresses of one family, while the other one is still looked up.
    case partial([SocketAddress])
    /// The result, with the addresses of both families. The lookup has ended.
    case complete(Result<FoundAddresses, SocketError>)
}

/// The lookups that the resolver's thread runs.
struct AresLookups: ~Copyable {
    private var lookups: [AresLookup] = []
    private var reports: [(String, LookupReport)] = []
    private let limit: Int
    private var polled: [pollfd] = []

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { lookups.isEmpty }

    /// How many more may begin.
    var room: Int { max(0, limit - lookups.count) }

    mutating func begin(_ host: String, for core: ResolverCore) {
        guard case .ares(let servers, let configuration) = core.method else { return }
        if let numeric = Resolver.numericLookup(host) {
            reports.append((host, .complete(ResolverCore.usable(.success(numeric), of: host))))
        } else if let lookup = AresLookup(host, at: servers, configuration, core.limits) {
            lookups.append(lookup)
        } else {
            reports.append((host, .complete(.failure(SocketError(.nameFailed, .resolve, subject: host)))))
        }
    }

    /// Waits until a lookup progresses, for `time` at most, or until `wake` is readable.
    mutating func wait(until time: TimeAmount, or wake: Int32) {
        let now = MonotonicTime.clock()
        let time = lookups.reduce(time) { min($0, $1.timeLeft(now: now)) }
        polled.removeAll(keepingCapacity: true)
        polled.append(pollfd(fd: wake, events: Int16(POLLIN), revents: 0))
        for lookup in lookups { lookup.addSockets(to: &polled) }
        // Rounded up, so that it does not spin through the last millisecond.
        let milliseconds = max(0, time.nanoseconds) / 1_000_000
        poll(&polled, nfds_t(polled.count), Int32(clamping: milliseconds + (time > .zero ? 1 : 0)))
        if polled[0].revents != 0 {
            var count: eventfd_t = 0
            eventfd_read(wake, &count)
        }
        var index = 1
        for lookup in lookups { lookup.process(polled, from: &index) }
    }

    /// Returns the reports since the last call. A lookup that has reported its result is closed.
    mutating func takeReports() -> [(String, LookupReport)] {
        let now = MonotonicTime.clock()
        var running: [AresLookup] = []
        for lookup in lookups {
            let report = lookup.report(now: now)
            if let report { reports.append((lookup.host, report)) }
            if case .complete = report { continue }
            running.append(lookup)
        }
        lookups = running
        defer { reports = [] }
        return reports
    }
}
