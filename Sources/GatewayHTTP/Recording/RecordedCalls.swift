import GatewayCore
@_spi(Lines) import JSONBytes
import Networking

/// The parts and calls of a request that failed or was slow.
struct RecordedCalls {
    let parts: [PartSummary]
    /// The calls outside of parts.
    let others: [UpstreamCallSummary]
    /// Nil unless the request was slow.
    let slow: SlowPhase?

    /// - Parameter delay: nanoseconds from the request's head to the start of its endpoint.
    init(_ summary: borrowing RequestSummary, _ log: AttemptLog, after delay: Int64, isSlow: Bool) {
        parts = summary.parts(with: log)
        others = summary.callsOutsideParts(with: log)
        slow = isSlow ? SlowPhase(after: delay, parts, others, answer: summary.elapsed) : nil
    }

    /// Writes `"slow":{...}` and `"timeline":[...]`, with commas before them.
    ///
    /// - Parameter delay: nanoseconds from the request's head to the start of its endpoint.
    func write(after delay: Int64, to line: inout JSONLine) {
        if let slow {
            line.constant(#","slow":{"#)
            if let part = slow.part {
                line.constant(#""part":"#)
                line.string(part)
                line.constant(",")
            }
            if let upstream = slow.upstream {
                line.constant(#""upstream":"#)
                line.string(upstream)
                line.constant(",")
            }
            line.constant(#""phase":""#)
            line.plain(slow.phase.rawValue)
            line.constant(#"","ms":"#)
            line.integer(Int(slow.time.nanoseconds / 1_000_000))
            line.constant("}")
        }
        TimelineText.write(parts, others, after: delay, to: &line)
    }
}
