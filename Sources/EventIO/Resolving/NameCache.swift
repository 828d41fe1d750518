/// The addresses of a name.
struct FoundAddresses: Sendable {
    var addresses: [SocketAddress]
    /// nil if unknown.
    var timeToLive: TimeAmount?
}

/// What is known about names, who waits for them, and when each is looked up again. Time is a parameter.
///
/// An answer is *fresh* for its time to live and *usable* for `stale` longer. When its freshness ends, a name
/// that is *wanted* is looked up again: one that was answered from the cache since its last lookup, or is
/// watched.
struct NameCache {
    typealias Answer = Result<[SocketAddress], SocketError>

    struct Ages: Sendable {
        /// The bounds of a time to live.
        var minTTL: TimeAmount
        var maxTTL: TimeAmount
        /// How long addresses without a time to live are fresh.
        var withoutTTL: TimeAmount
        var negative: TimeAmount
        var stale: TimeAmount
    }

    private struct Entry {
        var answer: Answer?
        /// The addresses of one family, while the other one is looked up and older addresses are missing.
        var partial: [SocketAddress]?
        var freshUntil = MonotonicTime(nanoseconds: 0)
        var usableUntil = MonotonicTime(nanoseconds: 0)
        var isLookingUp = false
        /// When the lookup that runs, or the last one, was wanted.
        var lookupBegan = MonotonicTime(nanoseconds: 0)
        /// Whether the addresses were asked for since the last lookup began.
        var isInUse = false
        /// Keyed by identity, so that a request that times out leaves in constant time.
        var waiting: [ObjectIdentifier: ResolveRequest] = [:]
        var watchers: [ObjectIdentifier: AddressWatcher] = [:]

        /// Nobody waits for an expired name, because its lookup would be running.
        func isExpired(_ now: MonotonicTime) -> Bool {
            !isLookingUp && watchers.isEmpty && usableUntil <= now
        }

        /// Begins a lookup unless one runs. Returns whether it did.
        mutating func beginLookup(at now: MonotonicTime) -> Bool {
            guard !isLookingUp else { return false }
            isLookingUp = true
            lookupBegan = now
            return true
        }

        /// When the name is looked up again; nil if it is not wanted or a lookup is running.
        var refreshTime: MonotonicTime? {
            guard !isLookingUp, let answer else { return nil }
            guard watchers.isEmpty else { return freshUntil }
            if isInUse, case .success = answer { return freshUntil }
            return nil
        }
    }

    /// What to do after a change.
    struct Step {
        /// What the request is answered with; nil if it waits.
        var answer: Answer?
        /// Addresses of one family, for a request that waits for the other one, or for `waiting`.
        var partial: [SocketAddress]?
        /// Whether the answer's time to live is over.
        var isStale = false
        /// The caller has to look the name up and report the result to `found`.
        var looksUp = false
        /// The time that the lookup took, if one has ended.
        var lookupTime: TimeAmount?
        /// The next refresh may be earlier than before.
        var refreshesChanged = false
        var waiting: [ResolveRequest] = []
        /// Have to look at the addresses.
        var watchers: [AddressWatcher] = []
    }

    private var entries: [String: Entry] = [:]
    private let ages: Ages
    private let limit: Int

    init(_ ages: Ages, limit: Int) {
        self.ages = ages
        self.limit = limit
    }

    mutating func requested(_ host: String, by request: ResolveRequest, now: MonotonicTime) -> Step {
        makeRoom(for: host)
        var entry = entries[host] ?? Entry()
        defer { entries[host] = entry }
        var step = Step()
        if let answer = entry.answer, now < entry.freshUntil {
            step.answer = answer
            if case .success = answer, !entry.isInUse {
                entry.isInUse = true
                step.refreshesChanged = true
            }
            return step
        }
        step.looksUp = entry.beginLookup(at: now)
        if case .success = entry.answer, now < entry.usableUntil {
            step.answer = entry.answer
            step.isStale = true
            entry.isInUse = !step.looksUp
        } else {
            step.partial = entry.partial
            entry.waiting[ObjectIdentifier(request)] = request
            if step.looksUp { entry.isInUse = false }
        }
        return step
    }

    mutating func requestLeft(_ host: String, _ request: ResolveRequest) {
        entries[host]?.waiting[ObjectIdentifier(request)] = nil
    }

    mutating func watched(_ host: String, by watcher: AddressWatcher, now: MonotonicTime) -> Step {
        makeRoom(for: host)
        var entry = entries[host] ?? Entry()
        defer { entries[host] = entry }
        entry.watchers[ObjectIdentifier(watcher)] = watcher
        var step = Step()
        step.refreshesChanged = true
        if entry.answer == nil || now >= entry.freshUntil {
            step.looksUp = entry.beginLookup(at: now)
        }
        // An answer that is too old does not count.
        if now >= entry.usableUntil { entry.answer = nil }
        if entry.answer != nil { step.watchers = [watcher] }
        return step
    }

    mutating func unwatched(_ host: String, by watcher: AddressWatcher) {
        entries[host]?.watchers[ObjectIdentifier(watcher)] = nil
    }

    /// The addresses for watchers, possibly empty; nil if the first lookup has not ended.
    func addresses(of host: String) -> [SocketAddress]? {
        let entry = entries[host]
        if let partial = entry?.partial { return partial }
        return switch entry?.answer {
        case .success(let addresses): addresses
        case .failure: []
        case nil: nil
        }
    }

    /// Records the addresses of one family while the other one is looked up. Older addresses of both stay in
    /// use.
    mutating func foundPart(_ addresses: [SocketAddress], for host: String, now: MonotonicTime) -> Step {
        var step = Step()
        guard var entry = entries[host], entry.isLookingUp else { return step }
        if case .success = entry.answer, now < entry.usableUntil { return step }
        entry.partial = addresses
        step.partial = addresses
        step.waiting = Array(entry.waiting.values)
        step.watchers = Array(entry.watchers.values)
        entries[host] = entry
        return step
    }

    mutating func found(
        _ result: Result<FoundAddresses, SocketError>, for host: String, now: MonotonicTime
    ) -> Step {
        guard var entry = entries[host] else { return Step() }
        defer { entries[host] = entry }
        switch result {
        case .success(let found):
            let age = found.timeToLive.map { max(ages.minTTL, min($0, ages.maxTTL)) } ?? ages.withoutTTL
            entry.answer = .success(found.addresses)
            entry.freshUntil = now + age
            entry.usableUntil = entry.freshUntil + ages.stale
        case .failure(let error):
            // A failing resolver does not invalidate a name that it resolved before.
            let isFinal = error.kind == .nameNotFound || error.kind == .nameUnusable
            let keepsOld = !isFinal && now < entry.usableUntil
            if keepsOld, case .success = entry.answer {
                entry.freshUntil = min(now + ages.negative, entry.usableUntil)
            } else {
                entry.answer = .failure(error)
                entry.freshUntil = now + ages.negative
                entry.usableUntil = entry.freshUntil
            }
        }
        var step = Step()
        if entry.isLookingUp { step.lookupTime = now - entry.lookupBegan }
        entry.isLookingUp = false
        entry.partial = nil
        step.refreshesChanged = entry.refreshTime != nil
        step.waiting = Array(entry.waiting.values)
        step.watchers = Array(entry.watchers.values)
        entry.waiting = [:]
        return step
    }

    // MARK: Refreshes

    /// When the next name has to be looked up again; nil if none is wanted.
    var nextRefresh: MonotonicTime? { entries.values.lazy.compactMap(\.refreshTime).min() }

    /// Returns the names to look up again now. The caller has to report each result to `found`.
    mutating func takeRefreshes(now: MonotonicTime) -> [String] {
        let due = entries.filter { $0.value.refreshTime.map { $0 <= now } ?? false }.map(\.key)
        for host in due {
            _ = entries[host]?.beginLookup(at: now)
            entries[host]?.isInUse = false
        }
        return due
    }

    // MARK: Room

    var count: Int { entries.count }

    /// Removes the names whose answers are too old to be used.
    mutating func removeExpired(now: MonotonicTime) {
        guard entries.values.contains(where: { $0.isExpired(now) }) else { return }
        entries = entries.filter { !$0.value.isExpired(now) }
    }

    /// Evicts the idle names that expire first.
    private mutating func makeRoom(for host: String) {
        guard entries.count >= limit, entries[host] == nil else { return }
        let idle = entries.filter { !$0.value.isLookingUp && $0.value.watchers.isEmpty }.sorted {
            $0.value.usableUntil < $1.value.usableUntil
        }
        for (host, _) in idle.prefix(max(1, limit / 8)) { entries[host] = nil }
    }
}
