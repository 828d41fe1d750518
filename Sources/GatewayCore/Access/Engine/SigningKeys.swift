import AccessControl
import Dispatch
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
        var isRetired = false
        var hasEnded = false
    }

    /// Where the keys come from.
    struct Source: Sendable {
        let entry: String
        let path: RequestPath
        /// Constant fields of each fetch.
        let headers: HTTPFields
        let provider: Provider<AccessTarget>
        let transport: any Transport
        let report: @Sendable (AccessEvent) -> Void
    }

    private struct Waiter: Sendable {
        let scheduler: any SchedulerType
        /// Set if the endpoint has a limit of its own.
        let endpoint: ObjectIdentifier?
        let proceed: @Sendable (WaitEnd) -> Void
        /// Ends the wait for a slow fetch. Set as soon as the scheduler has it.
        var timer: (any Disposable)?

        /// Called on `scheduler`.
        func end() {
            timer?.dispose()
            proceed(.ended)
        }
    }

    /// How a wait ended.
    enum WaitEnd: Sendable {
        /// The fetch has ended, well or not, or takes too long. The request asks for the keys again.
        case ended
        /// The request did not wait, because too many others wait already.
        case crowd
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

    /// A number that stands for the entry and its present keys. Verified tokens are kept under it. 0 without
    /// keys.
    ///
    /// - Parameter due: gets these keys if it is time to fetch them. Call `fetch()` then, without a lock.
    func number(at now: Int64, _ due: inout [SigningKeys]) -> UInt64 {
        if fixed == nil, now >= lookAt.load(ordering: .relaxed) { _ = keys(at: now, &due) }
        return current.load(ordering: .acquiring)
    }

    /// What a request gets.
    enum Answer {
        case keys(KeySet, number: UInt64)
        /// `wait(on:at:_:)` brings them.
        case later
        case unavailable(KeysMissing)
    }

    /// Returns the keys, if nobody has to wait for them.
    ///
    /// - Parameter due: see `number(at:_:)`.
    func keys(at now: Int64, _ due: inout [SigningKeys]) -> Answer {
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
            if begins { due.append(self) }
            return .keys(keys, number: number)
        case .wait(let begins):
            if begins { due.append(self) }
            return .later
        case .unavailable(let missing): return .unavailable(missing)
        }
    }

    /// What a request whose token has an unknown key does.
    enum UnknownKey {
        /// Verifies the token again: the keys are others now.
        case again
        case wait
        /// The key does not exist. `next`: nanoseconds until the next fetch can begin; nil for a file.
        case refuse(next: Int64?)
        case unavailable(KeysMissing)
    }

    /// No key of the set with this number has signed a token. For the parameters see
    /// `KeyFetches.keyIsUnknown` and `number(at:_:)`.
    func keyIsUnknown(
        in number: UInt64, at now: Int64, existed: Int64?, waited: Int64?, _ due: inout [SigningKeys]
    ) -> UnknownKey {
        if fixed != nil { return .refuse(next: nil) }
        if current.load(ordering: .acquiring) != number { return .again }
        let step = state.withLock { state in
            let step = state.fetches.keyIsUnknown(at: now, existed: existed, waited: waited)
            lookAt.store(state.fetches.lookAt, ordering: .relaxed)
            return step
        }
        switch step {
        case .wait(let begins):
            if begins { due.append(self) }
            return .wait
        case .refuse(let next): return .refuse(next: next)
        case .unavailable(let missing): return .unavailable(missing)
        }
    }

    // MARK: - Waiting

    /// Calls `proceed` on this scheduler once no fetch is in progress, or the fetch takes too long; at once
    /// if none is, or if too many wait. Disposal forgets it.
    ///
    /// - Parameters:
    ///   - scheduler: the request's, which calls this.
    ///   - endpoint: the endpoint of the request.
    func wait(
        on scheduler: any SchedulerType, at endpoint: Endpoint,
        _ proceed: @escaping @Sendable (WaitEnd) -> Void
    ) -> any Disposable {
        let limit = endpoint.settings.concurrency.map { max(1, $0 / KeyFetches.Limits.waitingShare) }
        let waiter = Waiter(
            scheduler: scheduler, endpoint: limit.map { _ in ObjectIdentifier(endpoint) }, proceed: proceed)
        enum Start {
            case waits(Int, until: Int64)
            case ends(WaitEnd)
        }
        let start = state.withLock { state -> Start in
            guard state.fetches.isFetching else { return .ends(.ended) }
            guard state.waiting.count < KeyFetches.Limits.waiting else { return .ends(.crowd) }
            if let limit {
                let same = state.waiting.values.count { $0.endpoint == waiter.endpoint }
                guard same < limit else { return .ends(.crowd) }
            }
            state.nextWaiter += 1
            state.waiting[state.nextWaiter] = waiter
            return .waits(state.nextWaiter, until: state.fetches.patienceEnd)
        }
        switch start {
        case .ends(let end):
            proceed(end)
            return Disposables.create()
        case .waits(let number, let end):
            setTimer(of: number, on: scheduler, at: end)
            return Disposables.create { [self] in remove(number)?.timer?.dispose() }
        }
    }

    private func remove(_ number: Int) -> Waiter? {
        state.withLock { $0.waiting.removeValue(forKey: number) }
    }

    private func setTimer(of number: Int, on scheduler: any SchedulerType, at end: Int64) {
        let time = max(0, end - scheduler.now.nanoseconds)
        let timer = scheduler.scheduleRelative((), dueTime: .nanoseconds(Int(time))) { [self] _ in
            remove(number)?.proceed(.ended)
            return Disposables.create()
        }
        let isWaiting = state.withLock { state in
            state.waiting[number]?.timer = timer
            return state.waiting[number] != nil
        }
        // Another thread has just ended the fetch.
        if !isWaiting { timer.dispose() }
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

    /// The gateway no longer uses the entry for new requests. Requests that were routed before still get
    /// their keys, but the log speaks only of entries in use.
    func retire() { state.withLock { $0.isRetired = true } }

    /// The gateway stops.
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

    /// Begins the call, which belongs to no request: it carries nothing of one. Call it without a lock: the
    /// transport may answer at once.
    func fetch() {
        guard let source = state.withLock({ $0.hasEnded ? nil : $0.source }) else { return giveUp() }
        let call = CallContext.detached {
            source.provider.rx.request(AccessTarget(source.path, source.headers)).subscribe(
                onSuccess: { [self] in ended(keys(in: $0, source), $0.fields) },
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

    /// RFC 7517 5 says to ignore keys that are not understood. A set of such keys says nothing about the
    /// issuer's real ones: it is a failed fetch.
    private func keys(in response: Response, _ source: Source) -> Result<KeySet, any Error> {
        guard response.statusCode == 200 else {
            return .failure(KeySetUnreadable("the upstream answered with \(response.statusCode)"))
        }
        return Result {
            let set = try KeySet(parsing: response.data, allowsSecrets: false)
            if let reasons = set.reasonsOfSkipped {
                report(.keysSkipped(entry: source.entry, reasons: reasons), by: source)
            }
            let algorithms = identity.settings.algorithms
            guard set.fits(algorithms) else {
                let names = algorithms.map(\.name).joined(separator: " or ")
                throw KeySetUnreadable("the key set has no usable key for \(names)")
            }
            return set
        }
    }

    private func report(_ event: AccessEvent, by source: Source) {
        if !state.withLock({ $0.isRetired }) { source.report(event) }
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
        case .success: if hadFailed { report(.keysAreBack(entry: source.entry), by: source) }
        case .failure(let error):
            if !hadFailed { report(.keysAreGone(entry: source.entry, reason: "\(error)"), by: source) }
        }
        Self.resume(waiting.sorted { $0.key < $1.key }.map(\.value), on: scheduler)
    }

    /// Lets requests continue, each on its own loop.
    ///
    /// - Parameter scheduler: the loop that calls this; nil if unknown.
    private static func resume(_ waiting: some Sequence<Waiter>, on scheduler: (any SchedulerType)?) {
        for waiter in waiting {
            if let scheduler, (scheduler as AnyObject) === (waiter.scheduler as AnyObject) {
                waiter.end()
            } else {
                _ = waiter.scheduler.schedule(()) { _ in
                    waiter.end()
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

extension RxTime {
    /// Nanoseconds on the clock of calls, exact to a microsecond.
    var nanoseconds: Int64 { Int64(saturating: (timeIntervalSince1970 * 1e6).rounded()) * 1000 }
}
