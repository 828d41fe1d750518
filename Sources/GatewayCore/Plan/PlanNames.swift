/// Where the names of steps or parts lead, with the numbers of the leaves in the order of the plan.
struct PlanNames {
    private indirect enum Entry {
        case leaf(Int)
        case group([[UInt8]: Entry])
    }

    enum Found {
        /// A leaf, and the path in its value.
        case leaf(Int, ValuePath)
        case group
        case unknown(String)
    }

    private var entries: [[UInt8]: Entry] = [:]
    private(set) var count = 0
    private(set) var faults: [PlanError.Fault] = []

    init() {}

    init(_ parts: [PlannedPart], from first: Int) {
        entries = enter(parts, "", first: first, depth: 1)
    }

    private mutating func enter(
        _ parts: [PlannedPart], _ prefix: String, first: Int, depth: Int
    ) -> [[UInt8]: Entry] {
        var entries: [[UInt8]: Entry] = [:]
        for part in parts {
            let full = prefix + part.name
            if part.name.isEmpty { faults.append(.init(part: full, message: "the name is missing")) }
            let entry: Entry
            if case .group(let group) = part.content {
                if depth >= PlanBinder.depth {
                    faults.append(
                        .init(part: full, message: "more than \(PlanBinder.depth) groups in groups"))
                    continue
                }
                entry = .group(enter(group.parts, full + ".", first: first, depth: depth + 1))
            } else {
                entry = .leaf(first + count)
                count += 1
            }
            if entries.updateValue(entry, forKey: Array(part.name.utf8)) != nil {
                faults.append(.init(part: full, message: "two parts have this name"))
            }
        }
        return entries
    }

    func find(_ path: ValuePath) -> Found {
        var entries = entries
        for (index, step) in path.steps.enumerated() {
            guard case .name(let name) = step else { return .unknown("\(step)") }
            switch entries[name] {
            case nil: return .unknown(String(decoding: name, as: UTF8.self))
            case .leaf(let number)?:
                return .leaf(number, ValuePath(steps: Array(path.steps.dropFirst(index + 1))))
            case .group(let members)?: entries = members
            }
        }
        return .group
    }
}

/// The order in which parts wait for each other.
enum PlanOrder {
    /// Returns a complaint for each circle.
    static func circles(_ leaves: [PlanLeaf]) -> [String] {
        var complaints: [String] = []
        var isDone = [Bool](repeating: false, count: leaves.count)
        var path: [Int] = []
        func visit(_ leaf: Int) {
            if let start = path.firstIndex(of: leaf) {
                let names = (path[start...] + [leaf]).map { leaves[$0].name }
                complaints.append("parts \(names.joined(separator: " -> ")) wait for each other")
                return
            }
            guard !isDone[leaf] else { return }
            path.append(leaf)
            for next in leaves[leaf].dependencies { visit(next) }
            path.removeLast()
            isDone[leaf] = true
        }
        for leaf in leaves.indices { visit(leaf) }
        return complaints
    }
}
