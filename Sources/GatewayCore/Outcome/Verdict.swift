import Networking

/// What the outcomes of all parts make of the answer, by the policies of the parts.
enum Verdict {
    /// Every part succeeded, or says that there is nothing.
    case complete
    /// Parts failed whose policy lets the answer stand.
    case partial
    /// The index of the required part whose failure is the answer's.
    case failed(by: Int)

    /// Among several failed required parts 503 decides before 504, that before 502, that before 4xx; ties go by
    /// plan order.
    init(_ parts: [NamedPart]) {
        var hasFailure = false
        var decisive: (index: Int, rank: Int)?
        for index in parts.indices {
            guard let failure = parts[index].failure else { continue }
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
