import JSONBytes

/// Which parts of an endpoint wait for which. Checks, the output of `sluice plan` and `sluice openapi`, and
/// the engine read it.
///
/// A part waits for the parts that it reads. A group waits for its members, and they wait for what the
/// condition of the group reads.
package struct PlanGraph: Sendable {
    /// A part or a group.
    package struct Node: Sendable {
        package let part: PlannedPart
        /// With the groups around it: `["weather", "now"]`.
        package let names: [String]
        /// The groups around it, from the outermost.
        package let groups: [Int]
        /// The members of a group.
        package fileprivate(set) var members: [Int] = []
        /// What it reads, each part once, and the place of the first reference that says so.
        package fileprivate(set) var reads: [(target: Int, place: ConfigPlace)] = []
        /// What its condition reads.
        fileprivate var conditionReads: [(target: Int, place: ConfigPlace)] = []
        /// Whether it, or a group around it, has a condition.
        package let isConditional: Bool
        fileprivate var children: [String: Int] = [:]
        /// Whether its object has members that are known only with the values.
        fileprivate var isOpen = false

        /// `weather.now`.
        package var name: String { names.joined(separator: ".") }
        package var isGroup: Bool { if case .group = part.content { true } else { false } }
    }

    /// Parts that wait for each other.
    package struct Cycle: Sendable {
        /// `parts a -> b -> a wait for each other`.
        package let message: String
        package let place: ConfigPlace
    }

    /// The parts, each group before its members, in the order of the plan.
    package private(set) var nodes: [Node] = []
    /// The parts at the top.
    package private(set) var top: [Int] = []
    private var children: [String: Int] = [:]

    package init(_ parts: [PlannedPart]) {
        for part in parts {
            let index = add(part, in: nil)
            top.append(index)
            if children[part.name] == nil { children[part.name] = index }
        }
        for index in nodes.indices {
            let part = nodes[index].part
            nodes[index].reads = targets(of: part.references)
            nodes[index].conditionReads = targets(of: part.condition.map { [$0.reference] } ?? [])
        }
    }

    private mutating func add(_ part: PlannedPart, in group: Int?) -> Int {
        let index = nodes.count
        let parent = group.map { nodes[$0] }
        nodes.append(
            Node(
                part: part, names: (parent?.names ?? []) + [part.name],
                groups: (parent?.groups ?? []) + (group.map { [$0] } ?? []),
                isConditional: part.condition != nil || parent?.isConditional == true))
        guard case .group(let inner) = part.content else { return index }
        nodes[index].isOpen = inner.parts.contains { $0.isMerged && !$0.isHidden }
        for member in inner.parts {
            let number = add(member, in: index)
            nodes[index].members.append(number)
            if nodes[index].children[member.name] == nil { nodes[index].children[member.name] = number }
        }
        return index
    }

    private func targets(of references: [PlanReference]) -> [(target: Int, place: ConfigPlace)] {
        var found: [(target: Int, place: ConfigPlace)] = []
        for reference in references {
            guard case .part(let names) = reference.source,
                let (target, _) = find(names, reference.path),
                !found.contains(where: { $0.target == target })
            else { continue }
            found.append((target, reference.place))
        }
        return found
    }

    /// Returns the part that a reference leads to, and the path in its value; nil if it leads nowhere.
    ///
    /// - Parameters:
    ///   - names: the first names of the reference.
    ///   - path: follows the names.
    package func find(_ names: [String], _ path: ValuePath) -> (part: Int, path: ValuePath)? {
        let steps = names.map { ValuePath.Step.name(Array($0.utf8)) } + path.steps
        var current: Int?
        for (index, step) in steps.enumerated() {
            let rest = ValuePath(steps: Array(steps[index...]))
            guard let name = step.name else { return current.map { ($0, rest) } }
            if let node = current, !nodes[node].isGroup { return (node, rest) }
            if let next = current.map({ nodes[$0].children[name] }) ?? children[name] {
                current = next
            } else if let node = current, nodes[node].isOpen {
                // A member of the group's object may come from a part that is merged into it.
                return (node, rest)
            } else {
                return nil
            }
        }
        return current.map { ($0, ValuePath()) }
    }

    /// What a part waits for: what it reads, the members of a group, and what the conditions of its groups
    /// read.
    package func prerequisites(of index: Int) -> [Int] { edges(of: index).map(\.target) }

    /// A member of a group has no place of its own.
    private func edges(of index: Int) -> [(target: Int, place: ConfigPlace?)] {
        let node = nodes[index]
        let reads = node.reads + node.groups.flatMap { nodes[$0].conditionReads }
        return node.members.map { ($0, nil) } + reads.map { ($0.target, $0.place) }
    }
}

// MARK: Cycles

extension PlanGraph {
    private enum Color {
        case new, open, done
    }

    /// The most parts that a message names.
    private static let longestCycle = 20
    /// The most cycles that are reported.
    private static let mostCycles = 20

    /// Returns the parts that wait for each other.
    package func cycles() -> [Cycle] {
        // Without references between parts nothing waits.
        guard nodes.contains(where: { !$0.reads.isEmpty }) else { return [] }
        let edges = nodes.indices.map(edges(of:))
        var cycles: [Cycle] = []
        var colors = [Color](repeating: .new, count: nodes.count)
        for start in nodes.indices where colors[start] == .new {
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
                    cycles.append(cycle(path.map(\.part), closing: edge, edges))
                    if cycles.count == Self.mostCycles { return cycles }
                case .done: break
                }
            }
        }
        return cycles
    }

    private func cycle(
        _ path: [Int], closing edge: (target: Int, place: ConfigPlace?),
        _ edges: [[(target: Int, place: ConfigPlace?)]]
    ) -> Cycle {
        let start = path.firstIndex(of: edge.target) ?? 0
        var cycle = Array(path[start...])
        guard cycle.count > 1 else {
            let node = nodes[edge.target]
            return Cycle(message: "part \(node.name) waits for itself", place: edge.place ?? node.part.place)
        }
        // From its first part in the file, so that each cycle has one text.
        let first = cycle.indices.min { cycle[$0] < cycle[$1] } ?? 0
        cycle = Array(cycle[first...] + cycle[..<first])
        let place = edges[cycle[0]].first { $0.target == cycle[1] }?.place
        var names = (cycle + [cycle[0]]).map { nodes[$0].name }
        if names.count > Self.longestCycle { names.replaceSubrange(5..<names.count - 3, with: ["..."]) }
        return Cycle(
            message: "parts \(names.joined(separator: " -> ")) wait for each other",
            place: place ?? nodes[cycle[0]].part.place)
    }
}
