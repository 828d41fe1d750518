import FoundationEssentials
import Locking
import Networking
import Rx

/// The times of parts, for requests that ask for them (`GatewayLimits.allowsTimeline`).
extension EndpointRun {
    var isTimed: Bool { context.timeline != nil }

    /// Nanoseconds since the start, rounded to microseconds like the times of calls in the timeline.
    var moment: Int64 {
        Int64(saturating: (scheduler.now.timeIntervalSince(started) * 1e6).rounded() * 1000)
    }

    @inline(never)
    func plan(_ numbers: Range<Int>) {
        for number in numbers {
            // What has ended in the pipeline is in the timeline already.
            guard let name = state.withLock({ $0.name(of: number) }), pipeline?.has(name) != true else {
                continue
            }
            context.timeline?.timeline.planned(name, number)
        }
    }

    @inline(never)
    func noteEnd(of number: Int, _ kind: OutcomeKind?) {
        context.timeline?.timeline.ended(number, kind, at: moment)
    }

    @inline(never)
    func closedTimeline() -> AnswerTimeline? {
        context.timeline.map {
            AnswerTimeline(
                $0.timeline.close(), total: moment, name: responder.environment.name,
                isExpired: context.isOverdue)
        }
    }
}
