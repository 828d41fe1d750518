public import FoundationEssentials
import Locking
public import Rx

/// Sends each request with a credential, and gets a new one when the upstream refuses it: however many calls are refused at the
/// same time, there is one refresh, those that wait are sent again with what it brings, and if it fails they all fail with its
/// error (Alamofire's `AuthenticationInterceptor`).
///
/// A request that comes while a refresh is under way waits for it instead of being refused first. When nobody waits any more,
/// the refresh is cancelled; the next request that needs one begins it anew.
public final class AuthenticationInterceptor<Credentials: Authenticator>: RequestInterceptor {
    /// What the authenticator puts into requests.
    public typealias Credential = Credentials.Credential

    /// How many refreshes there may be in a time, for the case that the upstream refuses what it has just given.
    public struct RefreshWindow: Sendable, Hashable {
        /// Default 30 s.
        public var interval: Duration = .seconds(30)
        /// Default 5.
        public var maximumAttempts = 5

        /// The defaults.
        public init() {}

        /// No more than `maximumAttempts` refreshes within `interval`; the next one fails with `AuthenticationError.excessiveRefresh`.
        public init(interval: Duration, maximumAttempts: Int) {
            self.interval = interval
            self.maximumAttempts = maximumAttempts
        }
    }

    /// One that is under way, or that somebody is about to wait for.
    private struct Refresh: Sendable {
        let number: Int
        let credential: Observable<Credential>
        /// 1 while it is under way; more for a moment, where somebody comes as the last one leaves.
        var runs = 0
    }

    private struct State: Sendable {
        var credential: Credential?
        /// Counts the credentials, so that one can be told from the next without comparing them.
        var generation = 0
        var refresh: Refresh?
        /// How many refreshes there were.
        var refreshes = 0
        /// The one that brought the present credential; nil for one that was set.
        var broughtBy: Int?
        /// When the refreshes of the window began.
        var began: [RxTime] = []
    }

    private enum Step {
        case apply(Credential)
        case wait(Observable<Credential>)
        case fail(AuthenticationError)
    }

    private let authenticator: Credentials
    private let window: RefreshWindow?
    private let now: @Sendable () -> RxTime
    private let state: Lock<State>

    /// One for all providers that show the same credential.
    ///
    /// - Parameters:
    ///   - authenticator: knows how the API is authenticated against.
    ///   - credential: nil until somebody has logged in: requests fail with `AuthenticationError.missingCredential`.
    ///   - refreshWindow: nil for no bound.
    ///   - now: the time that the window counts by.
    public init(
        _ authenticator: Credentials, credential: Credential? = nil,
        refreshWindow: RefreshWindow? = RefreshWindow(), now: @escaping @Sendable () -> RxTime = { RxTime() }
    ) {
        self.authenticator = authenticator
        window = refreshWindow
        self.now = now
        state = Lock(State(credential: credential))
    }

    /// The present one: set it at a login, take it away at a logout. A refresh under way does not replace what was set meanwhile.
    public var credential: Credential? {
        get { state.withLock { $0.credential } }
        set {
            // What is let go of may be an object of the program's: its end is not the lock's to wait for.
            let old = state.withLock { state in
                defer {
                    state.credential = newValue
                    state.generation += 1
                    state.refresh = nil
                    state.broughtBy = nil
                }
                return (state.credential, state.refresh)
            }
            withExtendedLifetime(old) {}
        }
    }

    public func adapt(_ request: HTTPRequest) -> Single<HTTPRequest> {
        let (held, generation) = state.withLock { ($0.credential, $0.generation) }
        let step =
            if let held, held.requiresRefresh { refreshed(generation) } else {
                state.withLock { Self.present($0) }
            }
        switch step {
        case .apply(let credential): return .just(authenticator.apply(credential, to: request))
        case .wait(let refresh):
            // With what there is then: nothing, where somebody has logged out meanwhile.
            return refresh.asSingle().map { [self] _ in
                guard let credential else { throw AuthenticationError.missingCredential }
                return authenticator.apply(credential, to: request)
            }
        case .fail(let error): return .error(error)
        }
    }

    public func retry(_ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int) -> Single<
        RetryResult
    > {
        guard authenticator.didFailAuthentication(dueTo: error) else { return .just(.doNotRetry) }
        let (held, generation) = state.withLock { ($0.credential, $0.generation) }
        guard let held else { return .just(.doNotRetryWithError(AuthenticationError.missingCredential)) }
        guard authenticator.isRequest(request, authenticatedWith: held) else { return .just(.retry) }
        switch refreshed(generation) {
        case .apply: return .just(.retry)
        case .wait(let refresh):
            return refresh.asSingle().map { _ in .retry }.catch { .just(.doNotRetryWithError($0)) }
        case .fail(let error): return .just(.doNotRetryWithError(error))
        }
    }

    /// What a request that is about to be sent has to do.
    private static func present(_ state: State) -> Step {
        if let refresh = state.refresh { return .wait(refresh.credential) }
        return state.credential.map { .apply($0) } ?? .fail(.missingCredential)
    }

    /// What to do about a credential of this generation that is no good: nothing where there is a newer one, else wait for the
    /// one refresh.
    private func refreshed(_ generation: Int) -> Step {
        let now = now()
        return state.withLock { state in
            guard let credential = state.credential else { return .fail(.missingCredential) }
            if let refresh = state.refresh { return .wait(refresh.credential) }
            guard state.generation == generation else { return .apply(credential) }
            if let window {
                let seconds = Double(window.interval.nanoseconds) / 1e9
                state.began.removeAll { now.timeIntervalSince($0) >= seconds }
                guard state.began.count < window.maximumAttempts else { return .fail(.excessiveRefresh) }
                state.began.append(now)
            }
            state.refreshes += 1
            let refresh = refresh(state.refreshes, of: credential, generation)
            state.refresh = Refresh(number: state.refreshes, credential: refresh)
            return .wait(refresh)
        }
    }

    /// One refresh for all who subscribe to it, also for those who come when it is over.
    private func refresh(_ number: Int, of old: Credential, _ generation: Int) -> Observable<Credential> {
        Single.deferred { [weak self, authenticator] in
            if let self, !begins(number) { return instead(of: generation) }
            // It is no part of the request that happened to need it first.
            return CallContext.$current.withValue(nil) { authenticator.refresh(old) }
                .do(
                    onSuccess: { [weak self] in self?.ended(number, with: $0) },
                    // Before it is told: who tries again then begins anew.
                    onError: { [weak self] _ in self?.ended(number, with: nil) },
                    onDispose: { [weak self] in self?.left(number) })
        }
        .asObservable()
        .share(replay: 1, scope: .forever)
    }

    /// False where it was cancelled, or a credential was set, before who is about to wait for it came to do so.
    private func begins(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.refresh?.number == number else { return false }
            state.refresh?.runs += 1
            return true
        }
    }

    /// What there is, or is to come, where a refresh has ended without anything.
    private func instead(of generation: Int) -> Single<Credential> {
        switch refreshed(generation) {
        case .apply(let credential): .just(credential)
        case .wait(let refresh): refresh.asSingle()
        case .fail(let error): .error(error)
        }
    }

    /// For all who wait.
    private func ended(_ number: Int, with credential: Credential?) {
        let old = state.withLock { state -> (Credential?, Refresh?) in
            let old = (state.credential, state.refresh)
            if state.refresh?.number == number {
                state.refresh = nil
            } else {
                // Two ran for a moment, and the other was first: the upstream knows what it gave last.
                guard credential != nil, state.broughtBy == number else { return (nil, nil) }
            }
            guard let credential else { return old }
            state.credential = credential
            state.generation += 1
            state.broughtBy = number
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Nobody waits for a run any more, or it has ended.
    private func left(_ number: Int) {
        let old = state.withLock { state -> Refresh? in
            guard let refresh = state.refresh, refresh.number == number else { return nil }
            state.refresh?.runs -= 1
            guard refresh.runs == 1 else { return nil }
            state.refresh = nil
            return refresh
        }
        withExtendedLifetime(old) {}
    }
}
