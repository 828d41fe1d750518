import AccessControl
import Networking

/// When the signing keys of an issuer are fetched. A state machine without a clock: times are nanoseconds on
/// the clock of the gateway's calls.
///
/// Strangers must not make it fetch: a token names its key, and anybody can write a token. So unknown keys
/// cause one fetch in 30 s, and the first unknown key gets it, good or not. Until the next fetch, nobody can
/// tell a token with a new key from a forged one. Such a token is 503 with `Retry-After`, because 401 would
/// be a false statement, after which an app logs its user out.
///
/// But a key that is gone must be 401: its users have to log in again, and would otherwise retry for ever.
/// `iat` tells the two apart. If a token was issued before the known keys were fetched, its key is not a new
/// one. Nobody has verified `iat` at that moment. A forger who lies about it gets 503 instead of 401.
struct KeyFetches: Sendable {
    enum Limits {
        /// The time between two fetches for the sake of an unknown key, and after one that failed.
        static let pause = Duration.seconds(30)
        /// The time between two fetches before the first success.
        static let pauseWithoutKeys: Int64 = 5_000_000_000
        /// How long keys are used without a look at newer ones, at least and at most, in seconds.
        static let freshness = 300...86_400
        /// For how much longer than they are fresh keys are used while fetches fail.
        static let longestUse: Int64 = 86_400_000_000_000
        /// For how much longer than they are fresh keys are used without waiting for newer ones.
        static let grace: Int64 = 300_000_000_000
        /// From when on nobody waits for a fetch. Connecting and one more attempt take less.
        static let patience = Duration.seconds(2)
        /// The most requests that wait for a fetch, on all loops together: a quarter of what one endpoint may
        /// have in flight on one loop. A crowd of forged tokens leaves the rest to callers who are known.
        static let waiting = 256
        /// At an endpoint with `concurrency`, the part of its requests that may wait.
        static let waitingShare = 4
    }

    /// What a request that has to verify a token does.
    enum Step {
        /// Verifies it with these keys. `begins` says whether the caller begins a fetch, for which nobody
        /// waits.
        case use(KeySet, begins: Bool)
        /// Waits for the fetch in progress, which the caller begins if `begins`.
        case wait(begins: Bool)
        /// Gives up.
        case unavailable(KeysMissing)
    }

    /// What a request whose token is signed with an unknown key does.
    enum UnknownKeyStep {
        case wait(begins: Bool)
        /// The key does not exist. `next`: nanoseconds until an unknown key begins the next fetch.
        case refuse(next: Int64)
        case unavailable(KeysMissing)
    }

    /// The keys, if there are any that may be used.
    private(set) var keys: KeySet?
    private var staleAt: Int64 = .min
    /// When the last fetch began.
    private var begun: Int64?
    /// When the fetch of `keys` began.
    private var fetched: Int64?
    private(set) var isFetching = false
    /// Whether the last fetch that has ended failed.
    private(set) var hasFailed = false
    /// When the last fetch for the sake of an unknown key began.
    private var begunForKey: Int64?
    /// `Limits.pause` in nanoseconds, but for tests.
    private let pause: Int64

    init(pause: Duration = Limits.pause) { self.pause = pause.nanoseconds }

    /// When something else than the use of the keys has to be decided.
    var lookAt: Int64 {
        guard keys != nil else { return .min }
        if isFetching { return .max }
        return hasFailed ? begun.map { max(staleAt, $0 + pause) } ?? .min : staleAt
    }

    /// When whoever waits for the fetch in progress gives up.
    var patienceEnd: Int64 { (begun ?? 0) + Limits.patience.nanoseconds }

    mutating func keysNeeded(at now: Int64) -> Step {
        forgetOld(at: now)
        guard let keys else {
            if isFetching { return isSlow(at: now) ? .unavailable(.slowFetch) : .wait(begins: false) }
            if begins(after: Limits.pauseWithoutKeys, at: now) { return .wait(begins: true) }
            return .unavailable(.noKeys(next: (begun ?? now) + Limits.pauseWithoutKeys - now))
        }
        guard now >= staleAt, !isFetching else {
            // A gateway without requests did not notice that its keys are old.
            let waits = isFetching && isOverdue(at: now) && !isSlow(at: now)
            return waits ? .wait(begins: false) : .use(keys, begins: false)
        }
        let begins = begins(after: pause, at: now)
        return begins && isOverdue(at: now) ? .wait(begins: true) : .use(keys, begins: begins)
    }

    private func isOverdue(at now: Int64) -> Bool { now - Limits.grace >= staleAt && !hasFailed }

    private func isSlow(at now: Int64) -> Bool { isFetching && now >= patienceEnd }

    /// - Parameters:
    ///   - existed: when the token existed at the latest; nil if it does not say when it was issued.
    ///   - waited: since when the request has waited for a fetch; nil if it has not.
    mutating func keyIsUnknown(at now: Int64, existed: Int64?, waited: Int64?) -> UnknownKeyStep {
        if let waited, !hasFailed, isKnown(since: min(existed ?? waited, waited)) {
            return .refuse(next: untilNextForKey(at: now))
        }
        if isFetching { return isSlow(at: now) ? .unavailable(.slowFetch) : .wait(begins: false) }
        let next = untilNextForKey(at: now)
        guard next > 0 else {
            begunForKey = now
            return begins(after: 0, at: now) ? .wait(begins: true) : .unavailable(.slowFetch)
        }
        if hasFailed { return .unavailable(.noNewerKeys(next: next)) }
        let isKnown = existed.map(isKnown(since:)) ?? true
        return isKnown ? .refuse(next: next) : .unavailable(.tooEarly(next: next))
    }

    /// Whether the keys were fetched at this time or later.
    private func isKnown(since time: Int64) -> Bool { fetched.map { $0 >= time } ?? false }

    private func untilNextForKey(at now: Int64) -> Int64 {
        begunForKey.map { max(0, $0 + pause - now) } ?? 0
    }

    /// The gateway starts: the keys are fetched before anybody needs them. Returns whether to begin.
    mutating func started(at now: Int64) -> Bool {
        !isFetching && keys == nil && begins(after: Limits.pauseWithoutKeys, at: now)
    }

    private mutating func begins(after pause: Int64, at now: Int64) -> Bool {
        if let begun, now - begun < pause { return false }
        begun = now
        isFetching = true
        return true
    }

    /// - Parameter age: how long the response may be used, in seconds; nil if it does not say so.
    /// - Returns: whether the keys differ from those before.
    mutating func succeeded(_ new: KeySet, freshFor age: Int?, at now: Int64) -> Bool {
        isFetching = false
        hasFailed = false
        fetched = begun
        let isNew = keys.map { !$0.hasSameKeys(as: new) } ?? true
        keys = new
        let range = Limits.freshness
        staleAt =
            now + Int64(min(max(age ?? range.lowerBound, range.lowerBound), range.upperBound)) * 1_000_000_000
        return isNew
    }

    mutating func failed(at now: Int64) {
        isFetching = false
        hasFailed = true
        forgetOld(at: now)
    }

    /// The gateway stops.
    mutating func ended() {
        isFetching = false
        hasFailed = true
    }

    private mutating func forgetOld(at now: Int64) {
        guard keys != nil, now - Limits.longestUse > staleAt, hasFailed || isFetching else { return }
        keys = nil
    }
}
