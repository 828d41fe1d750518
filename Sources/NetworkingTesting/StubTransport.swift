public import Dispatch
public import FoundationEssentials
public import HTTPModel
import Locking
public import Networking
public import Rx
@_exported public import RxVirtualTime

/// A test transport that responds from a script and records the attempts. In virtual time, tests never wait.
///
///     let transport = StubTransport(scheduler: ManualScheduler())
///     transport.answer("/weights", .failure(.connectionRefused), .json(#"{"status":200,"data":{}}"#))
///
/// Each call takes the next answer of the script for its path, or else of the script for all paths. A
/// script's last answer repeats. A call without a script fails with `destination_unavailable`. In a request's
/// timeline, each attempt opens a new connection at once unless it fails earlier, and the first byte arrives
/// with the answer.
public final class StubTransport: Transport {
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
        /// By upstream: the number of attempts that have not ended, and the retries.
        var inFlight: [Int: Int] = [:]
        var budgets: [Int: RetryBudget] = [:]
    }

    /// The clock of calls, often a scheduler in virtual time.
    public let scheduler: any SchedulerType
    /// The fields sent with every call.
    public let fields: HTTPFields
    /// Additional fields of calls outside a client's request.
    public let fieldsWithoutContext: HTTPFields
    private let clock: (@Sendable () -> RxTime)?
    private let started: RxTime
    private let retryBudget: RetryBudget
    private let player: (@Sendable (TransportCall) -> Answer)?
    private let state = Lock(State())

    /// The time of day: the given clock's, or the scheduler's.
    public var wallTime: RxTime { clock?() ?? scheduler.now }

    /// Creates a transport without a script.
    ///
    /// - Parameters:
    ///   - scheduler: measures delays and limits.
    ///   - wallTime: the time of day, if it differs from the scheduler's time.
    public convenience init(scheduler: any SchedulerType, wallTime: (@Sendable () -> RxTime)? = nil) {
        self.init(
            scheduler: scheduler, wallTime: wallTime, fields: CallContext.standardFields,
            fieldsWithoutContext: CallContext.fieldsWithoutContext(.standard))
    }

    /// Creates a transport with its own default fields.
    ///
    /// - Parameters:
    ///   - scheduler: measures delays and limits.
    ///   - wallTime: the time of day, if it differs from the scheduler's time.
    ///   - fields: sent with every call.
    ///   - fieldsWithoutContext: sent with calls outside a client's request.
    ///   - retryBudget: the budget of each upstream.
    ///   - player: answers all calls instead of the scripts, without a record of the attempts. Its answers
    ///     come in later turns of the scheduler, so that calls of one moment are in flight together.
    package init(
        scheduler: any SchedulerType, wallTime: (@Sendable () -> RxTime)? = nil, fields: HTTPFields,
        fieldsWithoutContext: HTTPFields, retryBudget: RetryBudget = RetryBudget(),
        player: (@Sendable (TransportCall) -> Answer)? = nil
    ) {
        self.scheduler = scheduler
        clock = wallTime
        started = scheduler.now
        self.fields = fields
        self.fieldsWithoutContext = fieldsWithoutContext
        self.retryBudget = retryBudget
        self.player = player
    }

    /// Sets the script for calls to any path. Without answers the script is removed.
    public func answer(_ answers: Answer...) {
        state.withLock { $0.script = Script(answers) }
    }

    /// Sets the script for calls to `path`, which includes the path of the base URL. Without answers the
    /// script is removed.
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
    public var inFlight: Int { state.withLock { $0.inFlight.values.reduce(0, +) } }

    /// Number of retries taken from all upstreams' budgets.
    public var retriesInFlight: Int {
        state.withLock { $0.budgets.values.reduce(0) { $0 + $1.retriesInFlight } }
    }

    /// Answers a call from the script.
    public func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        let answer = player?(call) ?? recordedAnswer(to: call)
        let upstream = call.upstream.id
        state.withLock { $0.inFlight[upstream, default: 0] += 1 }
        let (sample, delay) = answer.sample(within: call.limits)
        return sample.deliver(
            to: receiver, of: call, after: delay > .zero || player != nil ? delay : nil,
            within: limit.nanoseconds, on: scheduler
        ) { [self] isDelivered in
            state.withLock { $0.inFlight[upstream, default: 1] -= 1 }
            answer.ended?(isDelivered && !answer.isSilent)
        }
    }

    private func recordedAnswer(to call: TransportCall) -> Answer {
        // Dates are exact to the microsecond, and the clock may jump.
        let elapsed = (scheduler.now.timeIntervalSince(started) * 1e6).rounded()
        let sentAt = Duration.microseconds(Int64(saturating: elapsed))
        let byClosure = state.withLock { $0.answer }?(call)
        return state.withLock { state in
            let index = state.attempts.count
            state.attempts.append(Attempt(call: call, sentAt: sentAt))
            var answer =
                state.scripts[call.path]?.take() ?? byClosure ?? state.script?.take()
                ?? .failure(.destinationUnavailable)
            answer.ended = { [self] isAnswered in
                self.state.withLock { state in
                    state.attempts[index].isAnswered = isAnswered
                    state.attempts[index].isCancelled = !isAnswered
                }
            }
            return answer
        }
    }

    /// Takes a retry from the budget of the script.
    public func beginRetry(to upstream: Upstream) -> RetryObstacle? {
        let isGranted = state.withLock { state in
            let callsInFlight = state.inFlight[upstream.id] ?? 0
            return state.budgets[upstream.id, default: retryBudget].beginRetry(callsInFlight: callsInFlight)
        }
        return isGranted ? nil : .budget
    }

    /// Gives back a retry.
    public func endRetry(to upstream: Upstream) {
        state.withLock { $0.budgets[upstream.id, default: retryBudget].endRetry() }
    }
}
