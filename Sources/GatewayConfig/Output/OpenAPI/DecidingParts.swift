import EndpointPlans

/// What can fail an endpoint's answer: its steps, its required parts, and what these read.
///
/// A part that reads a failed one has failed with the same status, so an optional part decides the answer
/// through a required one.
struct DecidingParts {
    /// A part that the answer depends on.
    private struct Dependency: Hashable {
        let part: Int
        /// Whether its failure fails the answer. If not, the answer only waits for it.
        let decides: Bool
    }

    /// The calls whose upstreams' statuses may become the answer's.
    private(set) var calls: [PlannedCall]
    /// Whether the answer fails if a call takes longer than the endpoint's deadline.
    private(set) var awaitsCalls: Bool

    private let document: ConfigDocument
    private let graph: PlanGraph
    private var visited: Set<Dependency> = []

    init(_ endpoint: PlannedEndpoint, _ document: ConfigDocument) {
        self.document = document
        graph = PlanGraph(endpoint.parts.list)
        calls = endpoint.first.flatMap(\.calls)
        awaitsCalls = !calls.isEmpty
        visit(
            graph.top.filter { graph.nodes[$0].part.isRequired }.map { Dependency(part: $0, decides: true) })
    }

    /// Not recursive: a chain of parts may be long.
    private mutating func visit(_ dependencies: [Dependency]) {
        var rest = dependencies
        while let next = rest.popLast() {
            guard visited.insert(next).inserted else { continue }
            let node = graph.nodes[next.part]
            // It is not made if a condition of a group around it cannot be read.
            for part in graph.prerequisites(of: next.part) where !node.members.contains(part) {
                if next.decides { rest.append(Dependency(part: part, decides: true)) }
                rest.append(Dependency(part: part, decides: false))
            }
            switch node.part.content {
            case .call(let call):
                if next.decides, call.items.map(mayFail) ?? true { calls.append(call) }
                awaitsCalls = true
            case .group(let group):
                // Any member may be one too few for a quorum. A reader waits for all members.
                for member in node.members
                where graph.nodes[member].part.isRequired || group.atLeast != nil || !next.decides {
                    rest.append(Dependency(part: member, decides: next.decides))
                }
            case .value: break
            }
        }
    }

    /// Whether failed calls for elements can fail the part.
    private func mayFail(_ each: PlannedItems) -> Bool {
        guard let atLeast = each.$atLeast, !document.isSubstituted(atLeast.place), atLeast.value == 0 else {
            return true
        }
        guard let failure = each.$failure else { return false }
        return failure.value == .fail || document.isSubstituted(failure.place)
    }
}
