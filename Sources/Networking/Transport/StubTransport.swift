public import Dispatch
public import FoundationEssentials
public import HTTPModel
import Locking
public import Rx

/// A test transport that responds from a script and records the attempts. In virtual time, tests never wait.
///
///     let transport = StubTransport(scheduler: scheduler)
///     transport.answer("/weights", .failure(.connectionRefused), .json(#"{"status":200,"data":{}}"#))
///
/// Each call takes the next answer of the script for its path, or else of the script for all paths. A script's last
/// answer repeats. A call without a script fails with `destination_unavailable`. In a request's timeline, each attempt
/// opens a new connection at once unless it fails earlier, and the first byte arrives with the answer.
public final class StubTransport: Transport {
    /// A scripted answer.
    public struct Answer: Sendable {
        enum Content: Sendable {
            case response(TransportResponse)
            case failure(TransportError)
            case silence
            case blackHole
        }

        var content: Content
        var delay: Duration

        /// A response, delivered at once or after a delay.
        public static func response(
            _ status: Int, fields: HTTPFields = HTTPFields(), body: String = "", after delay: Duration = .zero
        ) -> Answer {
            guard let status = HTTPStatus(received: status) else {
                return .failure(.protocolError, after: delay)
            }
            let response = TransportResponse(status: status, fields: fields, body: Array(body.utf8)[...])
            return Answer(content: .response(response), delay: delay)
        }

        /// Creates an answer from a target's sample.
        public init(_ sample: SampleResponse, after delay: Duration = .zero) {
            switch sample.content {
            case .response(let response): content = .response(response)
            case .failure(let error): content = .failure(error)
            }
            self.delay = delay
        }

        private init(content: Content, delay: Duration) {
            self.content = content
            self.delay = delay
        }

        /// A response with a body of bytes.
        public static func response(
            _ response: TransportResponse, after delay: Duration = .zero
        ) -> Answer {
            Answer(content: .response(response), delay: delay)
        }

        /// 200 with a JSON body.
        public static func json(_ body: String, after delay: Duration = .zero) -> Answer {
            .response(200, fields: [.contentType: "application/json"], body: body, after: delay)
        }

        /// A failure without a complete response.
        public static func failure(
            _ reason: FailureReason, retryAfter: Duration? = nil, after delay: Duration = .zero
        ) -> Answer {
            let failure = TransportError(reason, "scripted failure", retryAfter: retryAfter)
            return Answer(content: .failure(failure), delay: delay)
        }

        /// Accepts the connection and sends nothing: fails with `connection_read_timeout` at the attempt's limit.
        public static let silence = Answer(content: .silence, delay: .zero)

        /// Accepts no connection: fails with `connection_timeout` at the attempt's limit.
        public static let blackHole = Answer(content: .blackHole, delay: .zero)
    }

    /// An attempt that was sent.
    public struct Attempt: Sendable {
        /// The call that was sent.
        public let call: TransportCall
        /// Time since the transport was created, on its scheduler's clock.
        public let sentAt: Duration
        /// Whether the attempt was disposed or timed out before its answer.
        public internal(set) var isCancelled = false
        /// Whether the answer was delivered.
        public internal(set) var isAnswered = false
    }

    private struct Script: Sendable {
        private let answers: [Answer]
        private var next = 0

        /// Nil without answers.
        init?(_ answers: [Answer]) {
            guard !answers.isEmpty else { return nil }
            self.answers = answers
        }

        mutating func take() -> Answer {
            defer { next = min(next + 1, answers.count - 1) }
            return answers[next]
        }
    }

    private struct State: Sendable {
        var scripts: [String: Script] = [:]
        var script: Script?
        var answer: (@Sendable (TransportCall) -> Answer)?
        var attempts: [Attempt] = []
        var budgets: [Int: RetryBudget] = [:]
    }

    public let scheduler: any SchedulerType
    public let fields: HTTPFields
    public let fieldsWithoutContext: HTTPFields
    private let clock: (@Sendable () -> RxTime)?
    private let started: RxTime
    private let state: Lock<State>

    public var wallTime: RxTime { clock?() ?? scheduler.now }

    /// Creates a transport without a script.
    ///
    /// - Parameters:
    ///   - scheduler: measures delays and limits.
    ///   - wallTime: the time of day, if it differs from the scheduler's time.
    public convenience init(
        scheduler: any SchedulerType, wallTime: (@Sendable () -> RxTime)? = nil
    ) {
        self.init(
            scheduler: scheduler, wallTime: wallTime, fields: CallContext.standardFields,
            fieldsWithoutContext: CallContext.fieldsWithoutContext)
    }

    /// Creates a transport that replaces another one and sends the same default fields.
    init(
        scheduler: any SchedulerType, wallTime: (@Sendable () -> RxTime)?, fields: HTTPFields,
        fieldsWithoutContext: HTTPFields
    ) {
        self.scheduler = scheduler
        clock = wallTime
        self.fields = fields
        self.fieldsWithoutContext = fieldsWithoutContext
        started = scheduler.now
        state = Lock(State())
    }

    /// Sets the script for calls to any path. Without answers there is none.
    public func answer(_ answers: Answer...) {
        state.withLock { $0.script = Script(answers) }
    }

    /// Sets the script for calls to `path`, which includes the path of the base URL. Without answers there is none.
    public func answer(_ path: String, _ answers: Answer...) {
        state.withLock { $0.scripts[path] = Script(answers) }
    }

    /// Answers calls whose path has no script with a closure.
    public func answer(by answer: @escaping @Sendable (TransportCall) -> Answer) {
        state.withLock { $0.answer = answer }
    }

    /// All attempts so far, in the order of sending.
    public var attempts: [Attempt] { state.withLock { $0.attempts } }

    /// Number of attempts not yet answered or cancelled.
    public var inFlight: Int { attempts.count { !$0.isAnswered && !$0.isCancelled } }

    /// Number of retries taken from all upstreams' budgets.
    public var retriesInFlight: Int {
        state.withLock { $0.budgets.values.reduce(0) { $0 + $1.retriesInFlight } }
    }

    public func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        let (index, answer) = begin(call)
        let delay = answer.delay(call.limits).nanoseconds
        let limit = limit.nanoseconds
        if answer.hasConnection { call.timeline?.attemptUsed(.new, sent: 0, firstByte: nil) }
        let end: @Sendable () -> Void = { [self] in
            // An answer after the limit is dropped.
            guard delay < limit else {
                cancelled(index)
                return receiver.attemptFailed(
                    TransportError(.responseTimeout, "the answer comes after the limit"))
            }
            guard answered(index) else { return }
            switch answer.content {
            case .response(let response):
                call.timeline?.attemptUsed(.new, sent: 0, firstByte: delay)
                Self.deliver(response, of: call, to: receiver)
            case .failure(let failure): receiver.attemptFailed(failure)
            case .silence: receiver.attemptFailed(TransportError(.connectionReadTimeout, "silence"))
            case .blackHole: receiver.attemptFailed(TransportError(.connectionTimeout, "no connection"))
            }
        }
        guard delay > 0 else {
            end()
            return Disposables.create()
        }
        let timer = scheduler.scheduleRelative((), dueTime: .nanoseconds(Int(min(delay, limit)))) { _ in
            end()
            return Disposables.create()
        }
        return Disposables.create {
            timer.dispose()
            self.cancelled(index)
        }
    }

    /// Delivers bodies in pieces of at most 1024 bytes if requested. Files are not written.
    private static func deliver(
        _ response: TransportResponse, of call: TransportCall, to receiver: any AttemptReceiver
    ) {
        guard let streaming = receiver.streaming else { return receiver.attemptSucceeded(response) }
        if !call.body.isNone { streaming.attemptSent(call.body.length ?? 0, of: call.body.length) }
        var head = response
        head.body = []
        let form = streaming.attemptStarted(head, flow: NoFlow())
        var received: Int64 = 0
        var rest = response.body
        while !rest.isEmpty {
            let piece = rest.prefix(1024)
            rest = rest.dropFirst(1024)
            received += Int64(piece.count)
            if form == .pieces { piece.withUnsafeBytes { streaming.attemptReceived($0) } }
            streaming.attemptReceived(received, of: Int64(response.body.count))
        }
        receiver.attemptSucceeded(form == .whole ? response : head)
    }

    private final class NoFlow: FlowControl {
        func pause() {}
        func resume() {}
    }

    public func beginRetry(to upstream: Upstream) -> RetryObstacle? {
        let isGranted = state.withLock { state in
            let callsInFlight = state.attempts.count {
                $0.call.upstream === upstream && !$0.isAnswered && !$0.isCancelled
            }
            return state.budgets[upstream.id, default: RetryBudget()].beginRetry(callsInFlight: callsInFlight)
        }
        return isGranted ? nil : .budget
    }

    public func endRetry(to upstream: Upstream) {
        state.withLock { $0.budgets[upstream.id, default: RetryBudget()].endRetry() }
    }

    private func begin(_ call: TransportCall) -> (index: Int, Answer) {
        let sentAt = Duration.nanoseconds(scheduler.now.nanoseconds(since: started))
        let byClosure = state.withLock { $0.answer }?(call)
        return state.withLock { state in
            state.attempts.append(Attempt(call: call, sentAt: sentAt))
            let answer =
                state.scripts[call.path]?.take() ?? byClosure ?? state.script?.take()
                ?? .failure(.destinationUnavailable)
            return (state.attempts.count - 1, answer)
        }
    }

    private func answered(_ index: Int) -> Bool {
        state.withLock { state in
            guard !state.attempts[index].isCancelled else { return false }
            state.attempts[index].isAnswered = true
            return true
        }
    }

    private func cancelled(_ index: Int) {
        state.withLock { state in
            guard !state.attempts[index].isAnswered, !state.attempts[index].isCancelled else { return }
            state.attempts[index].isCancelled = true
        }
    }
}

extension StubTransport.Answer {
    /// Whether the attempt has a connection before it ends.
    fileprivate var hasConnection: Bool {
        switch content {
        case .response, .silence: true
        case .blackHole: false
        case .failure(let failure): !Self.beforeConnecting.contains(failure.reason)
        }
    }

    private static let beforeConnecting: [FailureReason] = [
        .dnsError, .dnsTimeout, .destinationUnavailable, .connectionRefused, .connectionTimeout,
        .connectionLimitReached, .concurrencyLimit, .circuitOpen, .tlsProtocolError, .tlsCertificateError,
        .tlsAlertReceived,
    ]

    fileprivate func delay(_ limits: AttemptLimits) -> Duration {
        switch content {
        case .response, .failure: delay
        case .silence: limits.firstByte
        case .blackHole: limits.connect
        }
    }
}
