import Dispatch
import FoundationEssentials
import HTTPModel
import Rx

/// The stages of a call outside the wire: interceptor, cookies, redirects and plugins. Most providers have
/// none.
final class CallStages: Sendable {
    let interceptor: (any RequestInterceptor)?
    let cookies: CookieJar?
    let redirects: RedirectPolicy
    let plugins: [any PluginType]

    private init(
        _ interceptor: (any RequestInterceptor)?, _ cookies: CookieJar?, _ redirects: RedirectPolicy,
        _ plugins: [any PluginType]
    ) {
        self.interceptor = interceptor
        self.cookies = cookies
        self.redirects = redirects
        self.plugins = plugins
    }

    /// Returns nil if the provider uses none of them.
    static func makeIfNeeded(
        _ interceptor: (any RequestInterceptor)?, _ cookies: CookieJar?, _ redirects: RedirectPolicy,
        _ plugins: [any PluginType]
    ) -> CallStages? {
        if interceptor == nil, cookies == nil, redirects.maximum <= 0, plugins.isEmpty { return nil }
        return CallStages(interceptor, cookies, redirects, plugins)
    }

    /// Returns the call with all its stages. Cold: each subscription runs them again.
    ///
    /// - Parameter observer: receives the progress of the call.
    func response(
        to call: TransportCall, by provider: ProviderSettings, observer: (any CallObserver)? = nil
    ) -> Single<Response> {
        .deferred {
            let current = CallContext.current
            let call = try call.entering(current).joiningPart(of: current)
            return StagedCall(call, self, provider, observer).response()
        }
    }
}

/// One subscription to a call with stages.
private struct StagedCall: Sendable {
    private let call: TransportCall
    private let stages: CallStages
    private let provider: ProviderSettings
    private let observer: (any CallObserver)?
    /// Keeps the call on one loop, where every stage begins.
    private let transport: any Transport
    private let scheduler: any SchedulerType
    private let started: RxTime
    private let deadline: RxTime

    init(
        _ call: TransportCall, _ stages: CallStages, _ provider: ProviderSettings,
        _ observer: (any CallObserver)?
    ) {
        self.call = call
        self.stages = stages
        self.provider = provider
        self.observer = observer
        transport = provider.transport.forOneCall()
        scheduler = transport.scheduler
        started = scheduler.now
        let end = started.addingTimeInterval(Double(call.totalNanoseconds) / 1e9)
        deadline = call.context?.deadline.map { min($0, end) } ?? end
    }

    func response() -> Single<Response> {
        round(0)
            .map { Result<Response, NetworkError>.success($0) }
            .catch { .just(.failure(failure($0))) }
            .map { try processed($0).get() }  // plugins have the last word
    }

    /// Sends the request once and asks the interceptor about a failure. Each retry by the interceptor is
    /// another round.
    private func round(_ number: Int) -> Single<Response> {
        adapted(number)  // plugins, then interceptors
            .flatMap { call in
                // Cookies, the wire with its retries, and redirects.
                exchange(call, redirects: 0)
                    .map { Result<Response, NetworkError>.success($0) }
                    .catch { .just(.failure(failure($0))) }
                    // Validation, and the decision about another round.
                    .flatMap { outcome(of: $0, to: call, number) }
            }
    }

    // MARK: - Before the wire

    private func adapted(_ number: Int) -> Single<TransportCall> {
        guard !stages.plugins.isEmpty || stages.interceptor != nil else { return .just(call) }
        let request = stages.plugins.reduce(call.request) { $1.prepare($0, for: call) }
        guard let interceptor = stages.interceptor else { return build(request) }
        return withinTimeLimit(wasSent: number > 0) { inContext { interceptor.adapt(request) } }
            .flatMap { build($0) }
            .do(onError: { reportFailure(failure($0)) })
    }

    private func build(_ request: HTTPRequest) -> Single<TransportCall> {
        do {
            return .just(try provider.call(for: request, replacing: call))
        } catch {
            return .error(NetworkError(unbuilt: error, upstream: provider.name))
        }
    }

    // MARK: - The wire

    private func exchange(_ call: TransportCall, redirects: Int) -> Single<Response> {
        let url = call.url
        let sent = limited(
            stages.cookies?.field(for: url, at: transport.wallTime).map { call.adding(cookies: $0) }
                ?? call)
        guard stages.cookies != nil || stages.redirects.maximum > 0 else {
            return provider.run(sent, observer, over: transport)
        }
        return provider.run(sent, observer, over: transport).flatMap { response in
            stages.cookies?.store(response.fields, from: url, at: transport.wallTime)
            guard stages.redirects.maximum > 0, let redirection = call.redirected(by: response) else {
                return .just(response)
            }
            return .deferred {
                exchange(try follow(redirection, of: call, response, redirects), redirects: redirects + 1)
            }
        }
    }

    private func follow(
        _ redirection: Redirection, of call: TransportCall, _ response: Response, _ count: Int
    ) throws -> TransportCall {
        func refused(_ message: String, _ underlying: (any Error)? = nil) -> NetworkError {
            NetworkError(
                response, kind: .pathErr, reason: .unexpectedStatus, message: message, underlying: underlying)
        }
        guard case .to(let url, let method, let keepsBody) = redirection else {
            throw refused("the upstream redirects to an invalid address")
        }
        guard count < stages.redirects.maximum else {
            throw refused("the upstream redirects more than \(stages.redirects.maximum) times")
        }
        guard stages.redirects.allows(url, from: call.upstream) else {
            throw refused("the redirect leads to a host that is not allowed")
        }
        do {
            return try call.moved(
                to: url, method, keepsBody: keepsBody, settings: provider.calls(atOriginOf: url, like: call),
                policy: stages.redirects)
        } catch {
            throw refused("the redirect leads to an address that cannot be requested", error.underlying)
        }
    }

    private func limited(_ call: TransportCall) -> TransportCall {
        if call.isUnbounded { return call }
        let left = max(0, call.totalNanoseconds) - max(0, scheduler.now.nanoseconds(since: started))
        return left < call.totalNanoseconds ? call.with(timeLeft: .nanoseconds(max(0, left))) : call
    }

    // MARK: - After the wire

    private func outcome(
        of result: Result<Response, NetworkError>, to call: TransportCall, _ number: Int
    ) -> Single<Response> {
        let finalOutcome: @Sendable () -> Single<Response> = {
            .deferred { .just(try result.get().validated()) }
        }
        let error: NetworkError
        switch result {
        case .failure(let failure): error = failure
        case .success(let response):
            guard let failure = response.failure else { return finalOutcome() }
            error = failure
        }
        guard let interceptor = stages.interceptor,
            number < call.settings.policy.maxInterceptorRetries, scheduler.now < deadline,
            observer?.hasBegun != true
        else { return finalOutcome() }
        let request = call.request
        let wasSent = number > 0 || (error.underlying as? TransportError)?.wasSent ?? true
        return withinTimeLimit(wasSent: wasSent) {
            inContext { interceptor.retry(request, dueTo: error, retryCount: number) }
        }
        .flatMap { answer in
            switch answer {
            case .doNotRetry: finalOutcome()
            case .doNotRetryWithError(let error): .error(error)
            case .retry: round(number + 1)
            case .retryWithDelay(let delay): wait(delay, orElse: finalOutcome) { round(number + 1) }
            }
        }
    }

    /// Waits, then continues with `next`. If the delay exceeds the remaining time, uses `finalOutcome` at
    /// once.
    private func wait(
        _ delay: Duration, orElse finalOutcome: () -> Single<Response>,
        then next: @escaping @Sendable () -> Single<Response>
    ) -> Single<Response> {
        let nanoseconds = max(0, delay.nanoseconds)
        guard nanoseconds < min(deadline.nanoseconds(since: scheduler.now), call.maximumWait) else {
            return finalOutcome()
        }
        return Single<Int>.timer(.nanoseconds(Int(nanoseconds)), scheduler: scheduler).flatMap { _ in next() }
    }

    private func processed(_ result: Result<Response, NetworkError>) -> Result<Response, NetworkError> {
        stages.plugins.reduce(result) { $1.process($0, for: call) }
    }

    // MARK: - Time limits and errors

    /// Runs an interceptor's work within the call's time and delivers its result or error on the call's loop.
    ///
    /// - Parameter wasSent: whether the call was sent before.
    private func withinTimeLimit<Element: Sendable>(
        wasSent: Bool, _ work: @escaping @Sendable () -> Single<Element>
    ) -> Single<Element> {
        let limit = scheduler.now.addingTimeInterval(Double(call.maximumWait) / 1e9)
        return Single.deferred(work)
            .timeout(at: min(deadline, limit), scheduler: scheduler)
            .map { Result<Element, any Error>.success($0) }
            .catch { .just(.failure(limitFailure($0, wasSent: wasSent) ?? $0)) }
            .flatMap { result in
                let answer = Single.just(result)
                return transport.isOnLoop ? answer : answer.observe(on: scheduler)
            }
            .map { try $0.get() }
    }

    private func inContext<Answer>(_ work: () -> Answer) -> Answer {
        CallContext.$current.withValue(call.context, operation: work)
    }

    private func failure(_ error: any Error) -> NetworkError {
        if let error = error as? NetworkError { return error }
        return NetworkError(
            kind: .networkFail, reason: .requestError, message: "an interceptor refused the request",
            upstream: call.upstream.name, call: call, underlying: error, attempts: 0, elapsed: elapsed,
            isRetryable: false)
    }

    private var elapsed: Duration { .nanoseconds(scheduler.now.nanoseconds(since: started)) }

    /// Returns the failure of a call whose interceptor took too long; nil for another error.
    private func limitFailure(_ error: any Error, wasSent: Bool) -> NetworkError? {
        guard case RxError.timeout = error else { return nil }
        return NetworkError(
            TransportError(
                call.context?.deadline == deadline ? .deadlineExceeded : .responseTimeout,
                "an interceptor did not answer in time", wasSent: wasSent),
            call: call, attempts: 0, elapsed: elapsed)
    }

    private func reportFailure(_ error: NetworkError) {
        for plugin in stages.plugins { plugin.didReceive(.failure(error), call: call) }
    }
}

extension Response {
    /// The failure to ask an interceptor about: a failing status, or one that the target does not accept.
    fileprivate var failure: NetworkError? {
        guard statusCode >= 400 || !call.validation.accepts(statusCode) else { return nil }
        return NetworkError(
            self, kind: statusCode >= 500 ? .serverErr : statusCode >= 400 ? .requestErr : .pathErr,
            reason: statusCode >= 400 ? .upstreamStatus : .unexpectedStatus,
            message: "the upstream answered with status \(statusCode)", statusCode: statusCode)
    }

    func validated() throws -> Response {
        switch call.validation {
        case .none: self
        case .successCodes: try filterSuccessfulStatusCodes()
        case .successAndRedirectCodes: try filterSuccessfulStatusAndRedirectCodes()
        case .customCodes(let codes): try filter(statusCodes: codes)
        }
    }
}
