public import FoundationEssentials
import Locking
public import Rx

/// Authenticates each request with a credential and refreshes the credential when the upstream rejects it
/// (Alamofire's `AuthenticationInterceptor`). Calls rejected at the same time share one refresh. When it
/// ends, they are all sent again with the new credential, or all fail with its error.
///
/// A request that starts during a refresh waits for it instead of being rejected first. Once no request waits
/// any more, the refresh is cancelled; the next request that needs one starts it again.
public final class AuthenticationInterceptor<Credentials: Authenticator>: RequestInterceptor {
    /// The credential that the authenticator applies to requests.
    public typealias Credential = Credentials.Credential

    /// The maximum rate of refreshes. Stops the loop with an upstream that rejects the credentials it issues.
    public struct RefreshWindow: Sendable, Hashable {
        /// Length of the window. Default 30 s.
        public var interval: Duration = .seconds(30)
        /// Maximum number of refreshes in the window. Default 5.
        public var maximumAttempts = 5

        /// Creates a window with the default values.
        public init() {}

        /// Creates a window. Refreshes beyond the maximum fail with `AuthenticationError.excessiveRefresh`.
        public init(interval: Duration, maximumAttempts: Int) {
            self.interval = interval
            self.maximumAttempts = maximumAttempts
        }
    }

    /// A refresh in progress, or about to start.
    private struct Refresh: Sendable {
        let number: Int
        let credential: Observable<Credential>
        /// 1 while in progress. Briefly more if one waiter restarts it while the last other one leaves.
        var runs = 0
    }

    private struct State: Sendable {
        var credential: Credential?
        /// Incremented for each new credential, so that credentials need no comparison.
        var generation = 0
        var refresh: Refresh?
        var refreshes = 0
        /// The refresh that produced the current credential; nil if the credential was set.
        var sourceRefresh: Int?
        /// Start times of the refreshes in the current window.
        var refreshTimes: [RxTime] = []
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

    /// Creates an interceptor. Providers that use the same credential should share it.
    ///
    /// - Parameters:
    ///   - authenticator: applies and refreshes credentials for the API.
    ///   - credential: nil until a user logs in; until then, requests fail with
    ///     `AuthenticationError.missingCredential`.
    ///   - refreshWindow: maximum rate of refreshes; nil for no limit.
    ///   - now: the clock of the window.
    public init(
        _ authenticator: Credentials, credential: Credential? = nil,
        refreshWindow: RefreshWindow? = RefreshWindow(), now: @escaping @Sendable () -> RxTime = { RxTime() }
    ) {
        self.authenticator = authenticator
        window = refreshWindow
        self.now = now
        state = Lock(State(credential: credential))
    }

    /// The current credential. Set it on login, and to nil on logout; a refresh in progress then does not
    /// replace it.
    public var credential: Credential? {
        get { state.withLock { $0.credential } }
        set {
            // Releases the old values outside the lock, because their deinit may run arbitrary code.
            let old = state.withLock { state in
                defer {
                    state.credential = newValue
                    state.generation += 1
                    state.refresh = nil
                    state.sourceRefresh = nil
                }
                return (state.credential, state.refresh)
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Puts the credential on the request, after a refresh if the credential requires one.
    public func adapt(_ request: HTTPRequest) -> Single<HTTPRequest> {
        let (held, generation) = state.withLock { ($0.credential, $0.generation) }
        let step =
            if let held, held.requiresRefresh { refresh(ifStill: generation) } else {
                state.withLock { Self.stepForSending($0) }
            }
        switch step {
        case .apply(let credential): return .just(authenticator.apply(credential, to: request))
        case .wait(let refresh):
            // Reads the credential again: a logout may have removed it.
            return refresh.asSingle().map { [self] _ in
                guard let credential else { throw AuthenticationError.missingCredential }
                return authenticator.apply(credential, to: request)
            }
        case .fail(let error): return .error(error)
        }
    }

    /// Refreshes the credential once if the failure is of authentication, and repeats the request.
    public func retry(_ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int) -> Single<
        RetryResult
    > {
        guard authenticator.didFailAuthentication(dueTo: error) else { return .just(.doNotRetry) }
        let (held, generation) = state.withLock { ($0.credential, $0.generation) }
        guard let held else { return .just(.doNotRetryWithError(AuthenticationError.missingCredential)) }
        guard authenticator.isRequest(request, authenticatedWith: held) else { return .just(.retry) }
        switch refresh(ifStill: generation) {
        case .apply: return .just(.retry)
        case .wait(let refresh):
            return refresh.asSingle().map { _ in .retry }.catch { .just(.doNotRetryWithError($0)) }
        case .fail(let error): return .just(.doNotRetryWithError(error))
        }
    }

    /// Returns the next step for a request that is about to be sent.
    private static func stepForSending(_ state: State) -> Step {
        if let refresh = state.refresh { return .wait(refresh.credential) }
        return state.credential.map { .apply($0) } ?? .fail(.missingCredential)
    }

    /// Replaces a rejected credential of this generation: by a newer one, if any, or by the shared refresh to
    /// wait for.
    private func refresh(ifStill generation: Int) -> Step {
        let now = now()
        return state.withLock { state in
            guard let credential = state.credential else { return .fail(.missingCredential) }
            if let refresh = state.refresh { return .wait(refresh.credential) }
            guard state.generation == generation else { return .apply(credential) }
            if let window {
                let seconds = Double(window.interval.nanoseconds) / 1e9
                state.refreshTimes.removeAll { now.timeIntervalSince($0) >= seconds }
                guard state.refreshTimes.count < window.maximumAttempts else {
                    return .fail(.excessiveRefresh)
                }
                state.refreshTimes.append(now)
            }
            state.refreshes += 1
            let refresh = makeRefresh(state.refreshes, of: credential, generation)
            state.refresh = Refresh(number: state.refreshes, credential: refresh)
            return .wait(refresh)
        }
    }

    /// Makes a refresh that all its subscribers share, even those that subscribe after its end.
    private func makeRefresh(
        _ number: Int, of old: Credential, _ generation: Int
    ) -> Observable<Credential> {
        Single.deferred { [weak self, authenticator] in
            if let self, !refreshBegins(number) { return replacement(forRefreshOf: generation) }
            // Without the context of the request that happens to trigger the refresh.
            return CallContext.$current.withValue(nil) { authenticator.refresh(old) }
                .do(
                    onSuccess: { [weak self] in self?.refreshEnded(number, with: $0) },
                    // Before subscribers get the error, so that a retry starts a new refresh.
                    onError: { [weak self] _ in self?.refreshEnded(number, with: nil) },
                    onDispose: { [weak self] in self?.waiterLeft(number) })
        }
        .asObservable()
        .share(replay: 1, scope: .forever)
    }

    /// Returns false if the refresh was cancelled or a credential was set before the first waiter subscribed.
    private func refreshBegins(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.refresh?.number == number else { return false }
            state.refresh?.runs += 1
            return true
        }
    }

    /// Returns the current credential or the next refresh, instead of a refresh that ended without a result.
    private func replacement(forRefreshOf generation: Int) -> Single<Credential> {
        switch refresh(ifStill: generation) {
        case .apply(let credential): .just(credential)
        case .wait(let refresh): refresh.asSingle()
        case .fail(let error): .error(error)
        }
    }

    /// Stores the result of a refresh for all waiters.
    private func refreshEnded(_ number: Int, with credential: Credential?) {
        let old = state.withLock { state -> (Credential?, Refresh?) in
            let old = (state.credential, state.refresh)
            if state.refresh?.number == number {
                state.refresh = nil
            } else {
                // Two runs overlapped and the other ended first. The credential issued last is the valid one.
                guard credential != nil, state.sourceRefresh == number else { return (nil, nil) }
            }
            guard let credential else { return old }
            state.credential = credential
            state.generation += 1
            state.sourceRefresh = number
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Removes the refresh if this was its last waiter.
    private func waiterLeft(_ number: Int) {
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
