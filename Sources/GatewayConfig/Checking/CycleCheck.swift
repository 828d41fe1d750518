/// Finds parts that wait for each other.
struct CycleCheck {
    /// That one part waits for another, and the reference that says so; none for a group and its members.
    private struct Edge {
        let target: Int
        let place: ConfigPlace?
    }

    private enum Color {
        case new, open, done
    }

    /// The most parts that a message names.
    private static let longestCycle = 20
    /// The most cycles that are reported.
    private static let mostCycles = 20

    private let scope: ReferenceScope
    private let problems: ProblemList

    init(scope: ReferenceScope, problems: ProblemList) {
        self.scope = scope
        self.problems = problems
    }

    func run() {
        // Without references between parts nothing waits.
        guard !scope.uses.isEmpty else { return }
        let edges = edges()
        var cycles = 0
        var colors = [Color](repeating: .new, count: edges.count)
        for start in 1..<edges.count where colors[start] == .new {
            // Not recursive: a chain of parts may be long.
            var path: [(part: Int, next: Int)] = [(start, 0)]
            colors[start] = .open
            while let (part, next) = path.last {
                guard next < edges[part].count else {
                    colors[part] = .done
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let edge = edges[part][next]
                switch colors[edge.target] {
                case .new:
                    colors[edge.target] = .open
                    path.append((edge.target, 0))
                case .open:
                    report(path.map(\.part), closing: edge, edges)
                    cycles += 1
                    if cycles == Self.mostCycles { return }
                case .done: break
                }
            }
        }
    }

    /// Returns what each part waits for. A group waits for its members, and they for the condition of the group.
    private func edges() -> [[Edge]] {
        var edges = [[Edge]](repeating: [], count: scope.entries.count)
        var conditions = edges
        for use in scope.uses {
            let edge = Edge(target: use.target, place: use.place)
            edges[use.reader].append(edge)
            if use.isCondition { conditions[use.reader].append(edge) }
        }
        for index in scope.entries.indices.dropFirst() {
            var parent = scope.entries[index].parent
            if let parent, parent != 0 { edges[parent].append(Edge(target: index, place: nil)) }
            while let group = parent, group != 0 {
                edges[index] += conditions[group]
                parent = scope.entries[group].parent
            }
        }
        return edges
    }

    private func report(_ path: [Int], closing edge: Edge, _ edges: [[Edge]]) {
        guard let start = path.firstIndex(of: edge.target) else { return }
        var cycle = Array(path[start...])
        guard cycle.count > 1 else {
            problems.error(
                "part \(scope.entries[edge.target].shown) waits for itself",
                at: edge.place ?? scope.entries[edge.target].place)
            return
        }
        // From its first part in the file, so that each cycle has one text.
        let first = cycle.indices.min { cycle[$0] < cycle[$1] } ?? 0
        cycle = Array(cycle[first...] + cycle[..<first])
        let place = edges[cycle[0]].first { $0.target == cycle[1] }?.place
        var names = (cycle + [cycle[0]]).map { scope.entries[$0].shown }
        if names.count > Self.longestCycle { names.replaceSubrange(5..<names.count - 3, with: ["..."]) }
        problems.error(
            "parts \(names.joined(separator: " -> ")) wait for each other",
            at: place ?? scope.entries[cycle[0]].place)
    }
}
