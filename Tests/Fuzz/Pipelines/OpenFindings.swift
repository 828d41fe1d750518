/// Pipelines that are not run because of differences that are known and open. Take a condition out when its difference is gone.
let openFindings: [@Sendable (Pipeline) -> Bool] = [
    // Values arrive after the error of a closure that throws, where an operator below holds the end back or makes
    // something else of it.
    { pipeline in
        pipeline.contains(where: { $0.holdsEndBack }) { $0.passesValuesAfterThrowing }
    },
    // Where the other stream ends at once, the source is left after the stream that follows has begun.
    { pipeline in
        pipeline.contains(
            where: {
                if case .sharing = $0 { true } else { false }
            },
            {
                switch $0 {
                case .timeoutOther, .deadlineOther: true
                default: false
                }
            })
    },
]

extension Pipeline {
    var hasOpenFinding: Bool {
        openFindings.contains { $0(self) }
    }

    /// Whether a node of which `outer` is true has one of which `inner` is true somewhere among its inputs.
    fileprivate func contains(where outer: (Node) -> Bool, _ inner: (Node) -> Bool) -> Bool {
        outer(node) && inputs.contains { $0.nodes.contains(where: inner) }
            || inputs.contains { $0.contains(where: outer, inner) }
    }
}

extension Node {
    fileprivate var holdsEndBack: Bool {
        switch self {
        case .observeOn, .delay, .throttle, .sample, .catching, .catchAndReturn, .asResult: true
        default: false
        }
    }

    fileprivate var passesValuesAfterThrowing: Bool {
        switch self {
        case .map(let function), .scan(let function), .scanInto(let function), .doing(let function):
            function.throwsAt != nil
        case .filter(let predicate), .compactMap(let predicate), .skipWhile(let predicate),
            .distinctUntilChanged(let predicate?):
            predicate.throwsAt != nil
        default: false
        }
    }
}
