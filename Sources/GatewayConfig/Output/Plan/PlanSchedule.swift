/// When the parts of an endpoint end at worst: each starts once the parts that it reads have ended.
struct PlanSchedule {
    private struct Node {
        let part: ConfigPart
        /// The groups around it, from the outermost.
        let groups: [Int]
        /// With the groups around it: `["weather", "now"]`.
        let names: [String]
        var members: [Int] = []
        /// The parts that it reads.
        var reads: [Int] = []
        /// Whether it, or a group around it, has a `when`.
        let isConditional: Bool
        /// The longest chain that ends with it, first among all parts, then within each group around it.
        var ends: [PlanNumber] = []
        /// The part that it waits for longest.
        var previous: Int?
    }

    private var nodes: [Node] = []
    private let costs: CallCosts
    /// Whether the parts start in each request, which a failed step prevents.
    private let areCertain: Bool
    private var top: [Int] = []

    init(_ parts: [ConfigPart], _ costs: CallCosts, areCertain: Bool) {
        self.costs = costs
        self.areCertain = areCertain
        top = parts.map { add($0, in: nil) }
        resolve()
        schedule()
    }

    private mutating func add(_ part: ConfigPart, in group: Int?) -> Int {
        let index = nodes.count
        let parent = group.map { nodes[$0] }
        nodes.append(
            Node(
                part: part, groups: (parent?.groups ?? []) + (group.map { [$0] } ?? []),
                names: (parent?.names ?? []) + [part.name.value],
                isConditional: part.when != nil || parent?.isConditional == true))
        if case .group(let inner) = part.kind {
            let members = inner.parts.map { add($0, in: index) }
            nodes[index].members = members
        }
        return index
    }

    /// Finds the parts that references name.
    private mutating func resolve() {
        let known = Dictionary(nodes.indices.map { (nodes[$0].names, $0) }) { first, _ in first }
        for index in nodes.indices {
            var reads: [Int] = []
            for case .part(let names) in nodes[index].part.references.map(\.source) {
                if let target = known[names], !reads.contains(target) { reads.append(target) }
            }
            nodes[index].reads = reads
        }
    }

    /// Visits each part after those that it waits for. Not recursive: a chain of parts may be long.
    private mutating func schedule() {
        let prerequisites = nodes.indices.map(prerequisites)
        var waiting = prerequisites.map(\.count)
        var readers = [[Int]](repeating: [], count: nodes.count)
        for (index, targets) in prerequisites.enumerated() {
            for target in targets { readers[target].append(index) }
        }
        var ready = nodes.indices.filter { waiting[$0] == 0 }
        while let index = ready.popLast() {
            end(index, after: prerequisites[index])
            for reader in readers[index] {
                waiting[reader] -= 1
                if waiting[reader] == 0 { ready.append(reader) }
            }
        }
    }

    /// A group waits for its members, and they for the condition of the group.
    private func prerequisites(of index: Int) -> [Int] {
        let node = nodes[index]
        return node.reads + node.members + node.groups.flatMap { nodes[$0].reads }
    }

    private mutating func end(_ index: Int, after prerequisites: [Int]) {
        let groups = nodes[index].groups
        var starts = [PlanNumber](repeating: .zero, count: groups.count + 1)
        for other in prerequisites {
            for level in 0...groups.count {
                // Chains within a group are only of its members.
                guard level == 0 || nodes[other].groups.dropFirst(level - 1).first == groups[level - 1],
                    nodes[other].ends[level].exceeds(starts[level])
                else { continue }
                starts[level] = nodes[other].ends[level]
                if level == 0 { nodes[index].previous = other }
            }
        }
        let own = ownTime(of: nodes[index].part)
        nodes[index].ends = starts.map { $0 + own }
    }

    /// Returns the time of a part alone: none for a group, which ends with its members.
    private func ownTime(of part: ConfigPart) -> PlanNumber {
        switch part.kind {
        case .call(let call): costs.time(of: call)
        case .forEach(let each): costs.time(of: each.call) * limit(each).rounds(of: concurrency(each))
        case .group, .value: .zero
        }
    }

    private func limit(_ each: ConfigForEach) -> PlanNumber {
        costs.number(each.limit, default: ConfigForEach.defaultLimit)
    }

    private func concurrency(_ each: ConfigForEach) -> PlanNumber {
        costs.number(each.concurrency, default: ConfigForEach.defaultConcurrency)
    }
}

// MARK: Results

extension PlanSchedule {
    private var last: Int? {
        var last: Int?
        for index in top {
            let best = last.flatMap { nodes[$0].ends.first } ?? .zero
            if let end = nodes[index].ends.first, end.exceeds(best) { last = index }
        }
        return last
    }

    /// Nanoseconds until the last part ends.
    var time: PlanNumber { last.flatMap { nodes[$0].ends.first } ?? .zero }

    /// The names of the calls of the longest chain, in their order.
    var slowest: [String] {
        var names: [String] = []
        var index = last
        while let current = index {
            if ownTime(of: nodes[current].part) != .zero {
                names.append(nodes[current].names.joined(separator: "."))
            }
            index = nodes[current].previous
        }
        return names.reversed()
    }

    var rows: [PlanRow] { top.map(row) }

    private func row(_ index: Int) -> PlanRow {
        let node = nodes[index]
        // A part that fails leaves its readers without calls, and so does a group whose condition fails.
        let waits = !node.reads.isEmpty || node.isConditional
        let isCertain = areCertain && !waits
        let condition = node.part.when.map { (text: $0.reference.text, isNegated: $0.isNegated) }
        var row = PlanRow(
            name: node.part.name.value, kind: .value,
            after: node.reads.map { nodes[$0].names.joined(separator: ".") }, condition: condition,
            time: ownTime(of: node.part), calls: .none)
        switch node.part.kind {
        case .value: break
        case .call(let call):
            row.kind = .call(costs.target(of: call))
            row.calls = costs.calls(of: call, isCertain: isCertain)
        case .forEach(let each):
            let limit = limit(each)
            row.kind = .forEach(costs.target(of: each.call), limit: limit, concurrency: concurrency(each))
            row.calls = CallRange(
                least: 0, most: costs.calls(of: each.call, isCertain: false).most * limit)
        case .group(let group):
            let members = node.members.map(self.row)
            row.kind = .group(members, atLeast: group.atLeast.map { costs.number($0, default: 1) })
            row.calls = members.reduce(.none) { $0 + $1.calls }
            for member in node.members {
                let time = nodes[member].ends[node.groups.count + 1]
                if time.exceeds(row.time) { row.time = time }
            }
        }
        return row
    }
}
