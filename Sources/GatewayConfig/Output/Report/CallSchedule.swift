import EndpointPlans

/// When the parts of an endpoint end at worst: each starts once the parts that it reads have ended.
struct CallSchedule {
    private let graph: PlanGraph
    private let costs: CallCosts
    /// Whether the parts start in each request, which a failed step prevents.
    private let areCertain: Bool
    /// For each part, the longest chain that ends with it, first among all parts, then within each group
    /// around it.
    private var ends: [[ReportNumber]]
    /// For each part, the one that it waits for longest.
    private var previous: [Int?]

    init(_ parts: [PlannedPart], _ costs: CallCosts, areCertain: Bool) {
        graph = PlanGraph(parts)
        self.costs = costs
        self.areCertain = areCertain
        ends = [[ReportNumber]](repeating: [], count: graph.nodes.count)
        previous = [Int?](repeating: nil, count: graph.nodes.count)
        schedule()
    }

    /// Visits each part after those that it waits for. Not recursive: a chain of parts may be long.
    private mutating func schedule() {
        let nodes = graph.nodes
        let prerequisites = nodes.indices.map(graph.prerequisites(of:))
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

    private mutating func end(_ index: Int, after prerequisites: [Int]) {
        let groups = graph.nodes[index].groups
        var starts = [ReportNumber](repeating: .zero, count: groups.count + 1)
        for other in prerequisites {
            for level in 0...groups.count {
                // Chains within a group are only of its members.
                guard level == 0 || graph.nodes[other].groups.dropFirst(level - 1).first == groups[level - 1],
                    ends[other][level].exceeds(starts[level])
                else { continue }
                starts[level] = ends[other][level]
                if level == 0 { previous[index] = other }
            }
        }
        let own = ownTime(of: graph.nodes[index].part)
        ends[index] = starts.map { $0 + own }
    }

    /// Returns the time of a part alone: none for a group, which ends with its members.
    private func ownTime(of part: PlannedPart) -> ReportNumber {
        switch part.content {
        case .call(let call):
            call.items.map { costs.time(of: call) * limit($0).rounds(of: concurrency($0)) }
                ?? costs.time(of: call)
        case .group, .value: .zero
        }
    }

    private func limit(_ each: PlannedItems) -> ReportNumber {
        costs.number(each.$limit, default: PlannedItems.standardLimit)
    }

    private func concurrency(_ each: PlannedItems) -> ReportNumber {
        costs.number(each.$concurrency, default: PlannedItems.standardConcurrency)
    }
}

// MARK: Results

extension CallSchedule {
    private var last: Int? {
        var last: Int?
        for index in graph.top {
            let best = last.flatMap { ends[$0].first } ?? .zero
            if let end = ends[index].first, end.exceeds(best) { last = index }
        }
        return last
    }

    /// Nanoseconds until the last part ends.
    var time: ReportNumber { last.flatMap { ends[$0].first } ?? .zero }

    /// The names of the calls of the longest chain, in their order.
    var slowest: [String] {
        var names: [String] = []
        var index = last
        while let current = index {
            if ownTime(of: graph.nodes[current].part) != .zero { names.append(graph.nodes[current].name) }
            index = previous[current]
        }
        return names.reversed()
    }

    var rows: [ReportRow] { graph.top.map(row) }

    private func row(_ index: Int) -> ReportRow {
        let node = graph.nodes[index]
        // A part that fails leaves its readers without calls, and so does a group whose condition fails.
        let waits = !node.reads.isEmpty || node.isConditional
        let isCertain = areCertain && !waits
        let condition = node.part.condition.map { (text: $0.reference.text, isNegated: $0.isNegated) }
        var row = ReportRow(
            name: node.part.name, kind: .value,
            after: node.reads.map { graph.nodes[$0.target].name }, condition: condition,
            time: ownTime(of: node.part), calls: .none)
        switch node.part.content {
        case .value: break
        case .call(let call):
            guard let items = call.items else {
                row.kind = .call(costs.target(of: call))
                row.calls = costs.calls(of: call, isCertain: isCertain)
                break
            }
            let limit = limit(items)
            row.kind = .forEach(costs.target(of: call), limit: limit, concurrency: concurrency(items))
            row.calls = CallRange(least: 0, most: costs.calls(of: call, isCertain: false).most * limit)
        case .group(let group):
            let members = node.members.map(self.row)
            row.kind = .group(members, atLeast: group.$atLeast.map { costs.number($0, default: 1) })
            row.calls = members.reduce(.none) { $0 + $1.calls }
            for member in node.members {
                let time = ends[member][node.groups.count + 1]
                if time.exceeds(row.time) { row.time = time }
            }
        }
        return row
    }
}
