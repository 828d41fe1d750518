import FoundationEssentials
import JSONBytes
import Locking
@_spi(Records) import Networking
import Rx

/// The parts that a request's pipeline has begun. Their failures keep their names, and the deadline ends those in progress.
final class PipelineParts: Sendable {
    private struct Entry {
        let name: String
        let policy: Part.Policy
        /// When it began, in nanoseconds since the request's start.
        let began: Int64
        var ended: EndedPart?
        /// Ends it with its deadline's failure. Nil once it has ended.
        var expire: (@Sendable (EndedPart) -> Void)?

        func cancelled(_ number: Int, at now: Int64) -> EndedPart {
            var outcome = PartOutcome.cancelled(elapsed: now - began)
            outcome.began = began
            return EndedPart(name: name, policy: policy, outcome: outcome, number: number)
        }
    }

    /// Above the numbers of the parts and steps of an answer.
    private static let firstNumber = 1 << 16
    private static let firstResult = 1 << 20

    private let entries = Lock<[Entry]>([])
    private let scheduler: any SchedulerType
    private let started: RxTime
    let reveals: Bool
    private let requiredFailure = Lock<(@Sendable () -> any Disposable)?>(nil)
    /// What the last required failure has scheduled.
    private let scheduled = SerialDisposable()

    init(scheduler: any SchedulerType, started: RxTime, reveals: Bool) {
        self.scheduler = scheduler
        self.started = started
        self.reveals = reveals
    }

    /// Nanoseconds since the request's start, rounded as the times of other parts are.
    var now: Int64 { RecordedCall.nanoseconds(from: started, to: scheduler.now) }

    func has(_ name: String) -> Bool { entries.withLock { $0.contains { $0.name == name } } }

    /// Returns the part's number.
    func begin(
        _ name: String, _ policy: Part.Policy, expire: @escaping @Sendable (EndedPart) -> Void
    ) -> Int {
        let now = now
        return entries.withLock { entries in
            entries.append(Entry(name: name, policy: policy, began: now, expire: expire))
            return Self.firstNumber + entries.count - 1
        }
    }

    /// Nanoseconds since the part began.
    func elapsed(of number: Int) -> Int64 {
        now - entries.withLock { $0[number - Self.firstNumber].began }
    }

    /// Nanoseconds from the request's start to the part's.
    func began(_ number: Int) -> Int64 { entries.withLock { $0[number - Self.firstNumber].began } }

    func end(_ part: EndedPart) {
        guard let number = part.number else { return }
        entries.withLock { entries in
            entries[number - Self.firstNumber].ended = part
            entries[number - Self.firstNumber].expire = nil
        }
        if case .required = part.policy, part.outcome.failure != nil {
            if let body = requiredFailure.withLock({ $0 }) { scheduled.disposable = body() }
        }
    }

    /// Calls `body` when a required part has failed, until `close`, which disposes what it returned.
    func onRequiredFailure(_ body: @escaping @Sendable () -> any Disposable) {
        requiredFailure.withLock { $0 = body }
    }

    /// Releases what `onRequiredFailure` got. The request has ended.
    func close() {
        let body = requiredFailure.withLock { $0.take() }
        withExtendedLifetime(body) {}
        scheduled.dispose()
    }

    /// Forgets a part whose pipeline no longer wants it.
    func drop(_ number: Int) { entries.withLock { $0[number - Self.firstNumber].expire = nil } }

    /// Returns the parts in the order of their beginnings, as the results of a failed request. Those that have not ended are cancelled.
    /// Of several with one name, the last counts.
    func results(_ context: CallContext, including failure: EndedPart? = nil) -> PartResults {
        let now = now
        var parts = entries.withLock { entries in
            entries.indices.map { entries[$0].ended ?? entries[$0].cancelled(Self.firstNumber + $0, at: now) }
        }
        if let failure, !parts.contains(where: { $0 === failure }) { parts.append(failure) }
        let names = parts.map(\.name)
        parts = parts.enumerated().filter { !names[($0.offset + 1)...].contains($0.element.name) }.map(
            \.element)
        for (index, part) in parts.enumerated() {
            if let number = part.number { context.moveCalls(ofPart: number, to: Self.firstResult + index) }
        }
        return PartResults(ended: parts, from: Self.firstResult)
    }

    /// Ends the parts in progress with `deadline_exceeded`. Their pipelines go on with these results.
    func expire(_ context: CallContext) {
        let open = entries.withLock { entries in
            entries.indices.compactMap { index in
                entries[index].expire.map { (index, entries[index], $0) }
            }
        }
        let now = now
        for (index, entry, expire) in open {
            let number = Self.firstNumber + index
            let calls = context.calls(ofPart: number)
            let failure = PartFailure(deadlineAfter: now - entry.began, calls)
            var outcome = PartOutcome(failure, elapsed: now - entry.began)
            outcome.began = entry.began
            let ended = EndedPart(
                name: entry.name, policy: entry.policy, outcome: outcome, number: number)
            end(ended)
            expire(ended)
        }
    }
}

/// One subscription to a named part of a pipeline.
final class NamedRun<Value: JSONRepresentable>: Sendable {
    private let name: String
    private let policy: Part.Policy
    private let parts: PipelineParts?
    private let observer: AnyObserver<PartResult<Value>>
    /// Nil outside a request.
    let number: Int?
    private let hasValue = Lock(false)

    init(
        _ name: String, _ policy: Part.Policy, _ parts: PipelineParts?,
        _ observer: AnyObserver<PartResult<Value>>
    ) {
        self.name = name
        self.policy = policy
        self.parts = parts
        self.observer = observer
        number = parts?.begin(name, policy) { ended in
            observer.onNext(PartResult(ended: ended, result: .failure(ended)))
            observer.onCompleted()
        }
    }

    /// The context that attributes calls to the part, in the timeline too if there is one.
    func context(_ context: CallContext, _ number: Int) -> CallContext {
        let own = context.forPart(number)
        guard let parts, let timeline = context.timeline?.timeline else { return own }
        let moment = (parts.now + 500) / 1000 * 1000
        timeline.planned(name, number)
        return own.with(timeline.began(number, at: moment))
    }

    func subscribe(to source: Observable<Value>) -> any Disposable {
        let subscription = source.subscribe(
            onNext: { [self] value in
                hasValue.withLock { $0 = true }
                deliver(outcome(of: Result { try value.jsonFragment() }), .success(value))
            },
            onError: { [self] error in
                deliver(outcome(of: .failure(error)), .failure(error))
                observer.onCompleted()
            },
            onCompleted: { [self] in
                if !hasValue.withLock({ $0 }) {
                    deliver(PartOutcome(.null, elapsed: elapsed), .failure(RxError.noElements))
                }
                observer.onCompleted()
            })
        return Disposables.create { [self] in
            if let number { parts?.drop(number) }
            subscription.dispose()
        }
    }

    private var elapsed: Int64 { number.flatMap { parts?.elapsed(of: $0) } ?? 0 }

    private func outcome(of value: Result<JSONFragment, any Error>) -> PartOutcome {
        switch value {
        case .success(let fragment): PartOutcome(fragment, elapsed: elapsed)
        case .failure(let error):
            PartOutcome(
                error: error, elapsed: elapsed, reveals: parts?.reveals ?? false,
                after: number.flatMap { CallContext.current?.calls(ofPart: $0) })
        }
    }

    private func deliver(_ outcome: PartOutcome, _ value: Result<Value, any Error>) {
        var outcome = outcome
        outcome.began = number.flatMap { parts?.began($0) }
        let ended = EndedPart(name: name, policy: policy, outcome: outcome, number: number)
        if let parts, let number {
            parts.end(ended)
            if let timeline = CallContext.current?.timeline?.timeline {
                timeline.ended(number, outcome.kind, at: (parts.now + 500) / 1000 * 1000)
            }
        }
        observer.onNext(PartResult(ended: ended, result: value))
    }
}
