import GatewayCore
import Networking

/// A part or step, as an access log reports it.
struct LoggedPart {
    let stage: Int?
    let name: String?
    /// Nil if the request ended before the part did.
    let kind: OutcomeKind?
    let reason: String?
    let attempts: Int?
    /// Whole milliseconds, rounded.
    let milliseconds: Int
}

extension RequestSummary {
    var loggedParts: [LoggedPart] {
        var parts: [LoggedPart] = []
        forEachPart { stage, name, kind, failure, _, nanoseconds, _, _ in
            parts.append(
                LoggedPart(
                    stage: stage, name: name, kind: kind, reason: failure?.reason,
                    attempts: failure?.attempts, milliseconds: rounded(nanoseconds)))
        }
        return parts
    }

    /// Whole milliseconds from the request to its answer, rounded.
    var milliseconds: Int { rounded(nanoseconds) }

    private func rounded(_ nanoseconds: Int64) -> Int { Int((nanoseconds + 500_000) / 1_000_000) }
}
