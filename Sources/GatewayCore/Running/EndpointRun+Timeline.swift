import FoundationEssentials
import Locking
@_spi(Records) import Networking
import Rx

/// The times of parts, for requests that ask for them (`GatewayLimits.allowsTimeline`).
extension EndpointRun {
    var isTimed: Bool { context.isTimed }

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
            context.withTimeline { $0.plan(name, number) }
        }
    }

    @inline(never)
    func noteEnd(of number: Int, _ kind: OutcomeKind?) {
        context.withTimeline { $0.ended(number, kind, at: moment) }
    }

    @inline(never)
    func makeTimeline() -> AnswerTimeline {
        AnswerTimeline(
            context.timelineParts(since: started), since: started, total: moment,
            name: responder.environment.name, isExpired: context.isOverdue)
    }
}
