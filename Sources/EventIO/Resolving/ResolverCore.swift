import CLibevent
import Glibc
import Locking
import Metrics

/// Who looks names up.
enum LookupMethod: Sendable {
    /// c-ares. Without servers it asks the configured ones, by default from `/etc/resolv.conf`.
    case ares(servers: [SocketAddress], configuration: String?)
    case blocking(Resolver.Lookup)
}

/// The cache of a resolver, and the thread that looks its names up. The thread keeps it alive until `stop`.
///
/// Locks nest in one order: the thread's state, then the cache.
final class ResolverCore: Sendable {
    struct ThreadState {
        /// The eventfd that wakes the thread; -1 without a thread. Whoever ends the thread closes it.
        var wake: Int32 = -1
        /// Names whose lookup by c-ares has not started.
        var waiting: [String] = []
        var isStopped = false

        /// Wakes the thread if there is one. Under the lock, so that it does not close the eventfd before.
        func signal() {
            if wake >= 0 { eventfd_write(wake, 1) }
        }
    }

    private enum Action { case nothing, startThread, refuse, fail }

    let method: LookupMethod
    let limits: Resolver.Limits
    private let cache: Lock<NameCache>
    private let clock: @Sendable () -> MonotonicTime
    private let thread = Lock(ThreadState())
    private let counting = Lock<ResolverCounts?>(nil)
    private let helpers: HelperThreads

    init(
        _ method: LookupMethod, _ settings: DNSSettings, _ limits: Resolver.Limits,
        clock: @escaping @Sendable () -> MonotonicTime = MonotonicTime.clock
    ) {
        self.method = method
        self.limits = limits
        self.clock = clock
        let ages = NameCache.Ages(
            minTTL: TimeAmount(settings.minTTL), maxTTL: TimeAmount(settings.maxTTL),
            withoutTTL: limits.positiveAge, negative: limits.negativeAge, stale: TimeAmount(settings.stale))
        cache = Lock(NameCache(ages, limit: limits.cachedNames))
        helpers = HelperThreads(name: "resolver", limit: limits.threads, waitingLimit: limits.waitingNames)
    }

    /// Nil until `count(in:)`.
    var counts: ResolverCounts? { counting.withLock { $0 } }

    func count(in table: MetricTable) {
        counting.withLock { $0 = $0 ?? ResolverCounts(in: table) }
    }

    /// Changes or reads the cache, with the time of `clock`.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout NameCache, MonotonicTime) -> Result) -> Result {
        let now = clock()
        return cache.withLock { body(&$0, now) }
    }

    /// Does what a change of the cache asks for, except for the answer.
    func perform(_ step: NameCache.Step, for host: String) {
        for watcher in step.watchers { watcher.look(at: self) }
        if step.looksUp { startLookup(host) }
        if step.refreshesChanged { wakeThread() }
    }

    func found(_ report: LookupReport, for host: String) {
        switch report {
        case .partial(let addresses):
            let step = change { $0.foundPart(addresses, for: host, now: $1) }
            for request in step.waiting { request.found(addresses) }
            perform(step, for: host)
        case .complete(let result):
            let step = change { $0.found(result, for: host, now: $1) }
            if let time = step.lookupTime { counts?.lookupEnded(result, after: time) }
            for request in step.waiting { request.finish(result.map(\.addresses)) }
            perform(step, for: host)
        }
    }

    /// Ends a watch. If nothing else is refreshed, the thread ends too.
    func unwatch(_ watcher: AddressWatcher) {
        change { cache, _ in cache.unwatched(watcher.host, by: watcher) }
        thread.withLock { $0.signal() }
    }

    // MARK: Lookups

    private func startLookup(_ host: String) {
        switch method {
        case .ares: wakeThread(adding: host)
        case .blocking(let lookup):
            let counts = counts
            counts?.waiters(changedBy: 1)
            let isAccepted = helpers.submit { [self] in
                counts?.waiters(changedBy: -1)
                found(.complete(Self.usable(lookup(host), of: host)), for: host)
            }
            if !isAccepted {
                counts?.waiters(changedBy: -1)
                fail(host)
            }
        }
    }

    /// Leaves out the addresses to which no connection can be made.
    static func usable(
        _ result: Result<[SocketAddress], SocketError>, of host: String
    ) -> Result<FoundAddresses, SocketError> {
        result.flatMap { addresses in
            let usable = addresses.filter(\.isDestination)
            return usable.isEmpty
                ? .failure(.unusable(addresses, of: host)) : .success(FoundAddresses(addresses: usable))
        }
    }

    /// - Parameter lacksDescriptors: whether it failed for want of a descriptor, which says nothing about the
    ///   name servers.
    func fail(_ host: String, lacksDescriptors: Bool = false) {
        let error =
            lacksDescriptors
            ? SocketError(.resolve, EMFILE, subject: host) : SocketError(.nameFailed, .resolve, subject: host)
        found(.complete(.failure(error)), for: host)
    }

    // MARK: The thread

    /// Lets the thread look at the cache and at the waiting names, to which it adds `host`. Starts it if it
    /// is not running.
    func wakeThread(adding host: String? = nil) {
        let counts = counts
        let action = thread.withLock { state -> Action in
            guard !state.isStopped else { return .nothing }
            if let host {
                guard state.waiting.count < limits.waitingNames else { return .refuse }
                state.waiting.append(host)
                counts?.waiters(changedBy: 1)
            }
            if state.wake >= 0 {
                state.signal()
                return .nothing
            }
            state.wake = Descriptor.leavingSpare(eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)))
            return state.wake >= 0 ? .startThread : .fail
        }
        switch action {
        case .nothing: break
        case .refuse: if let host { fail(host) }
        case .fail: failWaiting(lacksDescriptors: true)
        case .startThread:
            do {
                try NativeThread.start(name: "resolver") { self.run() }
            } catch {
                failWaiting(lacksDescriptors: false)
            }
        }
    }

    private func failWaiting(lacksDescriptors: Bool) {
        let waiting = thread.withLock { state in
            defer { state.waiting = [] }
            Self.end(&state)
            return state.waiting
        }
        counts?.waiters(changedBy: -waiting.count)
        for host in waiting { fail(host, lacksDescriptors: lacksDescriptors) }
    }

    private static func end(_ state: inout ThreadState) {
        if state.wake >= 0 { close(state.wake) }
        state.wake = -1
    }

    /// Whether the thread runs.
    var hasThread: Bool { thread.withLock { $0.wake >= 0 } }

    /// Ends the thread. All requests and watches have ended.
    func stop() {
        thread.withLock { state in
            state.isStopped = true
            state.signal()
        }
    }

    /// Looks names up and refreshes them until there is nothing left to do.
    private func run() {
        var lookups = AresLookups(limit: limits.lookups)
        var memory = MemoryFollower()
        while let (wake, admitted) = admit(into: lookups) {
            for host in admitted { lookups.begin(host, for: self) }
            for (host, report) in lookups.takeReports() { found(report, for: host) }
            // Lookups in `/etc/hosts` end at once and leave room for other names.
            lookups.wait(until: admitted.isEmpty ? refreshDelay : .zero, or: wake)
            for (host, report) in lookups.takeReports() { found(report, for: host) }
            for host in change({ $0.takeRefreshes(now: $1) }) { startLookup(host) }
            memory.follow()
        }
    }

    /// Returns the time until the next refresh.
    private var refreshDelay: TimeAmount {
        change { cache, now in cache.nextRefresh.map { $0 - now } ?? .never }
    }

    /// Returns the eventfd and the names to look up now, or nil if the thread has to end.
    private func admit(into lookups: borrowing AresLookups) -> (wake: Int32, hosts: [String])? {
        let (room, isIdle) = (lookups.room, lookups.isEmpty)
        let counts = counts
        return thread.withLock { state in
            // With the thread's state locked, so that nobody wakes a thread that is ending.
            let isDone =
                isIdle && state.waiting.isEmpty && change { cache, _ in cache.nextRefresh } == nil
            guard !state.isStopped, !isDone else {
                counts?.waiters(changedBy: -state.waiting.count)
                state.waiting = []
                Self.end(&state)
                return nil
            }
            let hosts = Array(state.waiting.prefix(room))
            state.waiting.removeFirst(hosts.count)
            counts?.waiters(changedBy: -hosts.count)
            return (state.wake, hosts)
        }
    }
}
