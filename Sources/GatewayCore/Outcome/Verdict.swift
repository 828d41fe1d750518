import Networking

/// Whether an answer succeeds, given the outcomes and policies of all its parts.
enum Verdict {
    /// Every part succeeded or had no content.
    case complete
    /// Only optional parts, parts with a fallback and elements of arrays failed.
    case partial
    /// The required part at this index failed, and its failure decides the answer.
    case failed(by: Int)

    /// Of several failed required parts the one with the lowest `FailureAnswer.rank` decides; ties go to the
    /// first in the plan.
    init(_ parts: [NamedPart]) {
        var hasFailure = false
        var decisive: (index: Int, rank: Int)?
        for index in parts.indices {
            guard let failure = parts[index].failure else {
                if parts[index].outcome?.failedItems != nil { hasFailure = true }
                continue
            }
            hasFailure = true
            guard case .required = parts[index].part.policy else { continue }
            let rank = failure.answer.rank
            if let known = decisive, known.rank <= rank { continue }
            decisive = (index, rank)
        }
        if let decisive {
            self = .failed(by: decisive.index)
        } else {
            self = hasFailure ? .partial : .complete
        }
    }
}
