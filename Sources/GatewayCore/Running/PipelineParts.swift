import FoundationEssentials
import JSONBytes
import Locking
@_spi(Records) import Networking
import Rx

/// The parts that a request's pipeline has begun. Their failures keep their names, and the deadline ends
/// those in progress.
final class PipelineParts: Sendable {
    private struct Entry {
        let name: String
        let policy: Part.Policy
        /// When it began, in nanoseconds since the request's start.
        let began: Int64
        var ended: EndedPart?
        /// Nil once it has ended.
        var run: (any PipelinePart)?

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
    /// What a required part that fails ends; nil if it does not.
    private let stopped = Lock<EndpointRun?>(nil)
    /// What the last required failure has scheduled.
    private let scheduled = SerialDisposable()

    init(scheduler: any SchedulerType, started: RxTime, reveals: Bool) {
        self.scheduler = scheduler
        self.started = started
        self.reveals = reveals
    }

    /// Nanoseconds since the request's start, rounded as the times of other parts are.
    var now: Int64 { CallEntry.nanoseconds(from: started, to: scheduler.now) }

    /// The same in whole microseconds, as timelines have it.
    var moment: Int64 { (now + 500) / 1000 * 1000 }

    func has(_ name: String) -> Bool { entries.withLock { $0.contains { $0.name == name } } }

    /// Returns the part's number.
    func begin(
        _ name: String, _ policy: Part.Policy, _ run: any PipelinePart, at began: Int64
    ) -> Int {
        entries.withLock { entries in
            if entries.isEmpty { entries.reserveCapacity(4) }
            entries.append(Entry(name: name, policy: policy, began: began, run: run))
            return Self.firstNumber + entries.count - 1
        }
    }

    func end(_ part: EndedPart) {
        guard let number = part.number else { return }
        entries.withLock { entries in
            entries[number - Self.firstNumber].ended = part
            entries[number - Self.firstNumber].run = nil
        }
        if case .required = part.policy, part.outcome.failure != nil {
            if let run = stopped.withLock({ $0 }) { scheduled.disposable = run.pipelineFailed() }
        }
    }

    /// A required part that fails stops `run`, until `close`.
    func stopAtFailure(_ run: EndpointRun) {
        stopped.withLock { $0 = run }
    }

    /// Releases the run. The request has ended.
    func close() {
        let run = stopped.withLock { $0.take() }
        withExtendedLifetime(run) {}
        scheduled.dispose()
    }

    /// Forgets a part whose pipeline no longer wants it.
    func drop(_ number: Int) { entries.withLock { $0[number - Self.firstNumber].run = nil } }

    /// The parts in progress.
    var openParts: [OpenWork.Part] {
        entries.withLock { entries in
            entries.indices.filter { entries[$0].run != nil }.map { index in
                OpenWork.Part(number: Self.firstNumber + index, name: entries[index].name)
            }
        }
    }

    /// Whether a required part has failed, and none of its name has begun since.
    var hasFailed: Bool {
        if case .failed = PartResults(ended: lastParts, from: Self.firstResult).verdict {
            true
        } else {
            false
        }
    }

    /// The parts in the order of their beginnings, those that have not ended as cancelled. Of several with
    /// one name, the last counts.
    private var lastParts: [EndedPart] {
        let now = now
        let parts = entries.withLock { entries in
            entries.indices.map { entries[$0].ended ?? entries[$0].cancelled(Self.firstNumber + $0, at: now) }
        }
        return Self.last(parts)
    }

    private static func last(_ parts: [EndedPart]) -> [EndedPart] {
        let names = parts.map(\.name)
        return parts.indices.filter { !names[($0 + 1)...].contains(names[$0]) }.map { parts[$0] }
    }

    /// Returns the last parts as the results of a request that has failed, and stops the calls in progress.
    func results(_ context: CallContext, including failure: EndedPart? = nil) -> PartResults {
        for run in entries.withLock({ $0.compactMap(\.run) }) { run.giveUp() }
        var parts = lastParts
        if let failure, !parts.contains(where: { $0 === failure }) { parts = Self.last(parts + [failure]) }
        for (index, part) in parts.enumerated() {
            if let number = part.number { context.moveCalls(ofPart: number, to: Self.firstResult + index) }
        }
        return PartResults(ended: parts, from: Self.firstResult)
    }

    /// Ends the parts in progress with `deadline_exceeded`. Their pipelines go on with these results.
    func expire(_ context: CallContext) {
        let open = entries.withLock { entries in
            entries.indices.compactMap { index in
                entries[index].run.map { (index, entries[index], $0) }
            }
        }
        let now = now
        for (index, entry, run) in open {
            run.giveUp()
            let number = Self.firstNumber + index
            let calls = context.calls(ofPart: number)
            let failure = PartFailure(deadlineAfter: now - entry.began, calls)
            var outcome = PartOutcome(failure, elapsed: now - entry.began)
            outcome.began = entry.began
            let ended = EndedPart(
                name: entry.name, policy: entry.policy, outcome: outcome, number: number)
            end(ended)
            run.end(with: ended)
        }
    }
}
