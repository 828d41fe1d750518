import AccessControl
import Networking

/// When the signing keys of an issuer are fetched. A state machine without a clock: times are nanoseconds on
/// the clock of the gateway's calls.
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
    }

    /// What a request that has to verify a token does.
    enum Step {
        /// Verifies it with these keys. `begins` says whether the caller begins a fetch, for which nobody
        /// waits.
        case use(KeySet, begins: Bool)
        /// Waits for the fetch in progress, which the caller begins if `begins`.
        case wait(begins: Bool)
        /// Gives up: the keys cannot be had.
        case unavailable
    }

    /// What a request whose token is signed with an unknown key does.
    enum UnknownKeyStep {
        case wait(begins: Bool)
        /// The key does not exist.
        case refuse
        case unavailable
    }

    /// The keys, if there are any that may be used.
    private(set) var keys: KeySet?
    private var staleAt: Int64 = .min
    /// When the last fetch began.
    private var begun: Int64?
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

    mutating func keysNeeded(at now: Int64) -> Step {
        forgetOld(at: now)
        guard let keys else {
            if isFetching { return .wait(begins: false) }
            return begins(after: Limits.pauseWithoutKeys, at: now) ? .wait(begins: true) : .unavailable
        }
        guard now >= staleAt, !isFetching else {
            // A gateway without requests did not notice that its keys are old.
            return isFetching && isOverdue(at: now) ? .wait(begins: false) : .use(keys, begins: false)
        }
        let begins = begins(after: pause, at: now)
        return begins && isOverdue(at: now) ? .wait(begins: true) : .use(keys, begins: begins)
    }

    private func isOverdue(at now: Int64) -> Bool { now - Limits.grace >= staleAt && !hasFailed }

    mutating func keyIsUnknown(at now: Int64) -> UnknownKeyStep {
        if isFetching { return .wait(begins: false) }
        if let begunForKey, now - begunForKey < pause { return hasFailed ? .unavailable : .refuse }
        begunForKey = now
        return begins(after: 0, at: now) ? .wait(begins: true) : .refuse
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

    /// Nobody uses the entry any more.
    mutating func ended() {
        isFetching = false
        hasFailed = true
    }

    private mutating func forgetOld(at now: Int64) {
        guard keys != nil, now - Limits.longestUse > staleAt, hasFailed || isFetching else { return }
        keys = nil
    }
}
