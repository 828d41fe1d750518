import JSONBytes

/// Where the names of steps or parts lead, with the numbers of the leaves in the order of the plan.
struct PlanNames {
    private indirect enum Entry {
        case leaf(Int)
        case group(Group)
    }

    private struct Group {
        let number: Int
        let members: [[UInt8]: Entry]
        /// Whether its object has members that are known only with the values.
        let isOpen: Bool
    }

    enum Found {
        /// A leaf, and the path in its value.
        case leaf(Int, ValuePath)
        /// A group, and the path in its object.
        case group(Int, ValuePath)
        case unknown(String)
    }

    private var entries: [[UInt8]: Entry] = [:]
    private(set) var count = 0
    /// Groups are numbered each before those in it.
    private var groups = 0
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
                let number = groups
                groups += 1
                entry = .group(
                    Group(
                        number: number,
                        members: enter(group.parts, full + ".", first: first, depth: depth + 1),
                        isOpen: group.parts.contains { $0.isMerged && !$0.isHidden }))
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
        var group: Group?
        for (index, step) in path.steps.enumerated() {
            func rest(from index: Int) -> ValuePath { ValuePath(steps: Array(path.steps[index...])) }
            guard case .name(let name) = step else { return .unknown("\(step)") }
            switch entries[name] {
            case nil:
                // A member of the group's object may come from a part that is merged into it.
                if let group, group.isOpen { return .group(group.number, rest(from: index)) }
                return .unknown(String(decoding: name, as: UTF8.self))
            case .leaf(let number)?: return .leaf(number, rest(from: index + 1))
            case .group(let inner)?:
                group = inner
                entries = inner.members
            }
        }
        return group.map { .group($0.number, ValuePath()) } ?? .unknown("")
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
