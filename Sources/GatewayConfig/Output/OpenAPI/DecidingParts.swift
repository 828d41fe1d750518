/// What can fail an endpoint's answer: its steps, its required parts, and what these read.
///
/// A part that reads a failed one has failed with the same status, so an optional part decides the answer through a required one.
struct DecidingParts {
    private struct Entry {
        let part: ConfigPart
        /// What the part reads. It is not made if a condition of a group around it cannot be read.
        let reads: [ConfigReference]
    }

    /// A part, with the groups around it, that the answer depends on.
    private struct Dependency: Hashable {
        let names: [String]
        /// Whether its failure fails the answer. If not, the answer only waits for it.
        let decides: Bool
    }

    /// The calls whose upstreams' statuses may become the answer's.
    private(set) var calls: [ConfigCall]
    /// Whether the answer fails if a call takes longer than the endpoint's deadline.
    private(set) var awaitsCalls: Bool

    private let document: ConfigDocument
    private var entries: [[String]: Entry] = [:]
    private var visited: Set<Dependency> = []

    init(_ endpoint: ConfigEndpoint, _ document: ConfigDocument) {
        self.document = document
        calls = endpoint.steps.flatMap(\.calls)
        awaitsCalls = !calls.isEmpty
        let parts = endpoint.content.parts
        add(parts, below: [], [])
        visit(parts.filter(\.isRequired).map { Dependency(names: [$0.name.value], decides: true) })
    }

    private mutating func add(_ parts: [ConfigPart], below names: [String], _ conditions: [ConfigReference]) {
        for part in parts {
            let names = names + [part.name.value]
            entries[names] = Entry(part: part, reads: part.references + conditions)
            guard case .group(let group) = part.kind else { continue }
            add(group.parts, below: names, conditions + (part.when.map { [$0.reference] } ?? []))
        }
    }

    /// Not recursive: a chain of parts may be long.
    private mutating func visit(_ dependencies: [Dependency]) {
        var rest = dependencies
        while let next = rest.popLast() {
            guard visited.insert(next).inserted, let entry = entries[next.names] else { continue }
            for case .part(let names) in entry.reads.map(\.source) {
                if next.decides { rest.append(Dependency(names: names, decides: true)) }
                rest.append(Dependency(names: names, decides: false))
            }
            switch entry.part.kind {
            case .call(let call):
                if next.decides { calls.append(call) }
                awaitsCalls = true
            case .forEach(let each):
                if next.decides, mayFail(each) { calls.append(each.call) }
                awaitsCalls = true
            case .group(let group):
                // Any member may be one too few for a quorum. A reader waits for all members.
                for member in group.parts
                where member.isRequired || group.atLeast != nil || !next.decides {
                    rest.append(Dependency(names: next.names + [member.name.value], decides: next.decides))
                }
            case .value: break
            }
        }
    }

    /// Whether failed calls for elements can fail the part.
    private func mayFail(_ each: ConfigForEach) -> Bool {
        guard let atLeast = each.atLeast, !document.isSubstituted(atLeast.place), atLeast.value == 0 else {
            return true
        }
        guard let failure = each.itemFailure else { return false }
        return failure.value == .fail || document.isSubstituted(failure.place)
    }
}

extension ConfigPart {
    fileprivate var isRequired: Bool {
        if case .required = policy { true } else { false }
    }
}
