import AccessControl
import FoundationEssentials
import HTTPModel
import Locking
import Networking
import Rx
import Synchronization

/// The keys with which an issuer signs tokens, for all loops of the process. They stay over a reload that
/// does not change their entry.
final class SigningKeys: Sendable {
    private struct State {
        var fetches: KeyFetches
        /// The fetch in progress.
        var call: (any Disposable)?
        var waiting: [Int: Waiter] = [:]
        var nextWaiter = 0
        var source: Source?
        var hasEnded = false
    }

    /// Where the keys come from.
    struct Source: Sendable {
        let entry: String
        let path: String
        /// Constant fields of each fetch.
        let headers: HTTPFields
        let provider: Provider<AccessTarget>
        let transport: any Transport
        let report: @Sendable (AccessEvent) -> Void
    }

    private struct Waiter: Sendable {
        let scheduler: any SchedulerType
        let proceed: @Sendable () -> Void
    }

    /// What the keys depend on.
    let identity: Identity
    private let state: Lock<State>
    /// The keys of a file, which never change.
    private let fixed: KeySet?
    /// See `number(at:)`.
    private let current: Atomic<UInt64>
    /// When `number(at:)` has to look at the state; nanoseconds.
    private let lookAt = Atomic(Int64.min)

    /// If two are equal, the tokens that one has verified are verified for the other.
    struct Identity: Hashable, Sendable {
        let entry: String
        let settings: TokenSettings
        let send: [SentField]
        /// The addresses of the upstream with the keys.
        let addresses: [String]
    }

    private static let numbers = Atomic<UInt64>(1)

    private static func newNumber() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// Keys of a file.
    init(_ identity: Identity, fixed: KeySet) {
        state = Lock(State(fetches: KeyFetches()))
        self.identity = identity
        self.fixed = fixed
        current = Atomic(Self.newNumber())
    }

    /// Keys of an upstream.
    ///
    /// - Parameter pause: between two fetches for the sake of an unknown key.
    init(_ identity: Identity, from source: Source, pause: Duration) {
        self.identity = identity
        fixed = nil
        current = Atomic(0)
        state = Lock(State(fetches: KeyFetches(pause: pause), source: source))
    }

    /// A number that stands for the entry and its present keys, and begins a fetch if it is time. Verified
    /// tokens are kept under it. 0 without keys.
    func number(at now: Int64) -> UInt64 {
        if fixed == nil, now >= lookAt.load(ordering: .relaxed) { _ = keys(at: now) }
        return current.load(ordering: .acquiring)
    }

    /// What a request gets.
    enum Answer {
        case keys(KeySet, number: UInt64)
        /// `wait(_:_:)` brings them.
        case later
        case unavailable
    }

    /// Returns the keys, and begins a fetch if it is time and nobody has to wait for it.
    func keys(at now: Int64) -> Answer {
        if let fixed { return .keys(fixed, number: current.load(ordering: .relaxed)) }
        let (step, number) = state.withLock { state in
            let before = state.fetches.keys != nil
            let step = state.fetches.keysNeeded(at: now)
            // Keys that are too old.
            if before, state.fetches.keys == nil { current.store(0, ordering: .releasing) }
            lookAt.store(state.fetches.lookAt, ordering: .relaxed)
            return (step, current.load(ordering: .relaxed))
        }
        switch step {
        case .use(let keys, let begins):
            if begins { fetch() }
            return .keys(keys, number: number)
        case .wait(let begins):
            if begins { fetch() }
            return .later
        case .unavailable: return .unavailable
        }
    }

    /// What a request whose token has an unknown key does.
    enum UnknownKey {
        /// Verifies the token again: the keys are others now.
        case again
        case wait
        case refuse
        case unavailable
    }

    /// No key of the set with this number has signed a token.
    func keyIsUnknown(in number: UInt64, at now: Int64) -> UnknownKey {
        if fixed != nil { return .refuse }
        if current.load(ordering: .acquiring) != number { return .again }
        let step = state.withLock { state in
            let step = state.fetches.keyIsUnknown(at: now)
            lookAt.store(state.fetches.lookAt, ordering: .relaxed)
            return step
        }
        switch step {
        case .wait(let begins):
            if begins { fetch() }
            return .wait
        case .refuse: return .refuse
        case .unavailable: return .unavailable
        }
    }

    /// Whether the last fetch failed, so that a key may exist that is not known.
    var hasFailed: Bool { state.withLock { $0.fetches.hasFailed } }

    /// Calls `proceed` on this scheduler once no fetch is in progress, at once if none is. Disposal forgets
    /// it.
    func wait(on scheduler: any SchedulerType, _ proceed: @escaping @Sendable () -> Void) -> any Disposable {
        let number = state.withLock { state -> Int? in
            guard state.fetches.isFetching else { return nil }
            state.nextWaiter += 1
            state.waiting[state.nextWaiter] = Waiter(scheduler: scheduler, proceed: proceed)
            return state.nextWaiter
        }
        guard let number else {
            proceed()
            return Disposables.create()
        }
        return Disposables.create { [self] in
            let waiter = state.withLock { $0.waiting.removeValue(forKey: number) }
            withExtendedLifetime(waiter) {}
        }
    }

    // MARK: - Fetching

    /// The gateway uses the entry from now on.
    func start(from source: Source) {
        guard fixed == nil else { return }
        let now = source.transport.scheduler.now.nanoseconds
        let begins = state.withLock { state in
            state.source = source
            return !state.hasEnded && state.fetches.started(at: now)
        }
        if begins { fetch() }
    }

    /// The gateway no longer uses the entry.
    func end() {
        state.withLock { $0.hasEnded = true }
        giveUp()
    }

    /// Nobody fetches keys any more: whoever waits goes on without newer ones.
    private func giveUp() {
        let (call, waiting) = state.withLock { state in
            state.fetches.ended()
            lookAt.store(state.fetches.lookAt, ordering: .relaxed)
            defer { state.waiting = [:] }
            return (state.call.take(), state.waiting)
        }
        call?.dispose()
        Self.resume(waiting.values, on: nil)
    }

    /// Begins the call, which belongs to no request: it carries nothing of one.
    private func fetch() {
        // A request of an earlier generation may ask after the end.
        guard let source = state.withLock({ $0.hasEnded ? nil : $0.source }) else { return giveUp() }
        let call = CallContext.detached {
            source.provider.rx.request(AccessTarget(source.path, source.headers)).subscribe(
                onSuccess: { [self] in ended(Self.keys(in: $0), $0.fields) },
                onFailure: { [self] in ended(.failure($0), nil) })
        }
        let isUnneeded = state.withLock { state in
            if state.fetches.isFetching, !state.hasEnded { state.call = call }
            return state.hasEnded
        }
        guard isUnneeded else { return }
        call.dispose()
        giveUp()
    }

    private static func keys(in response: Response) -> Result<KeySet, any Error> {
        guard response.statusCode == 200 else {
            return .failure(KeySetUnreadable("the upstream answered with \(response.statusCode)"))
        }
        return Result { try KeySet(parsing: response.data, allowsSecrets: false) }
    }

    private func ended(_ result: Result<KeySet, any Error>, _ fields: HTTPFields?) {
        guard let source = state.withLock({ $0.source }) else { return }
        let scheduler = source.transport.scheduler
        let now = scheduler.now.nanoseconds
        let (waiting, hadFailed) = state.withLock { state in
            let hadFailed = state.fetches.hasFailed
            switch result {
            case .success(let keys):
                if state.fetches.succeeded(keys, freshFor: fields.flatMap(CacheAge.seconds), at: now) {
                    current.store(Self.newNumber(), ordering: .releasing)
                }
            case .failure:
                state.fetches.failed(at: now)
                if state.fetches.keys == nil { current.store(0, ordering: .releasing) }
            }
            lookAt.store(state.fetches.lookAt, ordering: .relaxed)
            state.call = nil
            defer { state.waiting = [:] }
            return (state.waiting, hadFailed)
        }
        switch result {
        case .success: if hadFailed { source.report(.keysAreBack(entry: source.entry)) }
        case .failure(let error):
            if !hadFailed { source.report(.keysAreGone(entry: source.entry, reason: "\(error)")) }
        }
        Self.resume(waiting.sorted { $0.key < $1.key }.map(\.value), on: scheduler)
    }

    /// Lets requests continue, each on its own loop.
    ///
    /// - Parameter scheduler: the loop that calls this; nil if unknown.
    private static func resume(_ waiting: some Sequence<Waiter>, on scheduler: (any SchedulerType)?) {
        for waiter in waiting {
            if let scheduler, (scheduler as AnyObject) === (waiter.scheduler as AnyObject) {
                waiter.proceed()
            } else {
                _ = waiter.scheduler.schedule(()) { _ in
                    waiter.proceed()
                    return Disposables.create()
                }
            }
        }
    }
}

/// Why a response has no keys.
private struct KeySetUnreadable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// How long a response may be used (RFC 9111 5.2.2.1).
enum CacheAge {
    /// Returns the seconds of `max-age`; nil without one, and for a response that must not be kept.
    static func seconds(_ fields: HTTPFields) -> Int? {
        var age: Int?
        for value in fields.values(of: .cacheControl) {
            for directive in value.split(separator: ",") {
                let parts = directive.split(separator: "=", maxSplits: 1).map { part in
                    part.trimmingCharacters(of: " \t\"").lowercased()
                }
                switch parts.first {
                case "no-store", "no-cache": return nil
                case "max-age": age = age ?? (parts.count == 2 ? Int(parts[1]) : nil)
                default: break
                }
            }
        }
        return age
    }
}

extension Substring {
    fileprivate func trimmingCharacters(of set: String) -> Substring {
        var text = self
        while let first = text.first, set.contains(first) { text.removeFirst() }
        while let last = text.last, set.contains(last) { text.removeLast() }
        return text
    }
}

extension RxTime {
    /// Nanoseconds on the clock of calls, exact to a microsecond.
    var nanoseconds: Int64 { Int64(saturating: (timeIntervalSince1970 * 1e6).rounded()) * 1000 }
}
