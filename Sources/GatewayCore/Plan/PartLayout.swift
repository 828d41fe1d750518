@_spi(Lines) import JSONBytes

/// Where the values of a planned endpoint's parts stand in `data`, or in the object of a group.
///
/// It also tells what the failure of a part means for its group.
/// It follows the plan, never the order of arrivals, so that equal values give equal bytes.
final class PartLayout: Sendable {
    indirect enum Node: Sendable {
        /// The index among the parts of the answer.
        case leaf(Int)
        case group(Group)
    }

    struct Group: Sendable {
        /// Its number among the groups of the plan; nil for the object around all parts.
        let number: Int?
        let members: [Member]
        let policy: Part.Policy
        let atLeast: Int?

        /// The indices of the parts in it and in its groups.
        var leaves: [Int] {
            members.flatMap { member in
                switch member.node {
                case .leaf(let index): [index]
                case .group(let group): group.leaves
                }
            }
        }
    }

    struct Member: Sendable {
        let name: String
        let node: Node
        let isMerged: Bool
        let isHidden: Bool
    }

    enum Root: Sendable {
        case object(Group)
        /// One part that is all of `data`.
        case value(Node)
    }

    let root: Root
    let reserved: Reserved
    /// The parts whose members go into an object, one by one.
    private let mergedParts: [Int]

    /// The names to which merged parts give way.
    struct Reserved: Sendable {
        /// For each merged part, the names in its object that are not its own.
        var names: [Int: Set<[UInt8]>] = [:]
        /// The parts that are merged with all their members while others are merged, too. A member of another
        /// part wins, which is known with the values: a failed optional part has no members.
        var open: Set<Int> = []
    }

    init(_ root: Root, _ reserved: Reserved) {
        self.root = root
        self.reserved = reserved
        mergedParts = if case .object(let group) = root { group.mergedParts } else { [] }
    }

    static let empty = PartLayout(
        .object(Group(number: nil, members: [], policy: .required, atLeast: nil)), Reserved())

    // MARK: - Verdict

    /// How a part or a group ended.
    private struct Standing {
        /// The part whose failure decides; nil if this one did not fail.
        var failure: (index: Int, rank: Int)?
        /// Whether any part below failed, or one of its elements.
        var hasFailure = false
    }

    func verdict<Ends: PartEnds>(_ ends: Ends, _ run: PlanRun) -> Verdict {
        let (standing, policy) =
            switch root {
            case .object(let group): (standing(group, ends, run), Part.Policy.required)
            case .value(let node): (standing(node, ends, run), policy(of: node, run))
            }
        if let failure = standing.failure, case .required = policy { return .failed(by: failure.index) }
        return standing.hasFailure ? .partial : .complete
    }

    private func standing<Ends: PartEnds>(_ node: Node, _ ends: Ends, _ run: PlanRun) -> Standing {
        switch node {
        case .group(let group): return standing(group, ends, run)
        case .leaf(let index):
            guard let rank = ends.rank(of: index) else {
                return Standing(hasFailure: ends.hasFailedItems(index))
            }
            return Standing(failure: (index, rank), hasFailure: true)
        }
    }

    private func standing<Ends: PartEnds>(_ group: Group, _ ends: Ends, _ run: PlanRun) -> Standing {
        var standing = Standing()
        var successes = 0
        for member in group.members {
            let own = self.standing(member.node, ends, run)
            standing.hasFailure = standing.hasFailure || own.hasFailure
            guard let failure = own.failure else {
                successes += 1
                continue
            }
            if group.atLeast == nil {
                guard case .required = policy(of: member.node, run) else { continue }
            }
            // Ties go to the first in the plan.
            if let known = standing.failure, known.rank <= failure.rank { continue }
            standing.failure = failure
        }
        if let atLeast = group.atLeast, successes >= atLeast { standing.failure = nil }
        return standing
    }

    /// Returns the members of groups whose failure is certain, except for those that parts or fields outside
    /// of the group read, and what these read.
    func membersOfFailedGroups<Ends: PartEnds>(_ ends: Ends, _ run: PlanRun) -> [Int] {
        switch root {
        case .object(let group): group.members.flatMap { unwantedParts(of: $0.node, ends, run) }
        case .value(let node): unwantedParts(of: node, ends, run)
        }
    }

    private func unwantedParts<Ends: PartEnds>(of node: Node, _ ends: Ends, _ run: PlanRun) -> [Int] {
        guard case .group(let group) = node else { return [] }
        guard standing(group, ends, run).failure != nil else {
            return group.members.flatMap { unwantedParts(of: $0.node, ends, run) }
        }
        var unwanted = group.leaves
        while true {
            let read = unwanted.filter { run.plan.isRead($0, outside: unwanted) }
            if read.isEmpty { return unwanted }
            unwanted.removeAll { read.contains($0) }
        }
    }

    private func policy(of node: Node, _ run: PlanRun) -> Part.Policy {
        switch node {
        case .leaf(let index): run.policy(of: index)
        case .group(let group): group.policy
        }
    }

    // MARK: - Data

    func write<Ends: PartEnds>(
        _ ends: Ends, _ run: PlanRun, to line: inout JSONLine, _ shared: inout SharedFragments
    ) {
        switch root {
        case .object(let group): writeObject(group, ends, run, to: &line, &shared)
        case .value(let node): writeValue(node, ends, run, to: &line, &shared)
        }
    }

    /// The bytes of the values in `data`; of a group's fallback, both are counted.
    func dataBytes<Ends: PartEnds>(_ ends: Ends, _ run: PlanRun) -> Int {
        switch root {
        case .object(let group): dataBytes(.group(group), ends, run)
        case .value(let node): dataBytes(node, ends, run)
        }
    }

    /// The bytes of the values whose members are written one by one.
    func mergedBytes<Ends: PartEnds>(_ ends: Ends) -> Int {
        mergedParts.reduce(0) { $0 + ends.value(at: $1).bytes.count }
    }

    private func dataBytes<Ends: PartEnds>(_ node: Node, _ ends: Ends, _ run: PlanRun) -> Int {
        switch node {
        case .leaf(let index): return ends.value(at: index).bytes.count
        case .group(let group):
            var sum = 4
            if case .fallback(let value) = group.policy { sum = value.bytes.count }
            for member in group.members where !member.isHidden {
                sum += member.name.utf8.count + 4 + dataBytes(member.node, ends, run)
            }
            return sum
        }
    }

    private func writeValue<Ends: PartEnds>(
        _ node: Node, _ ends: Ends, _ run: PlanRun, to line: inout JSONLine,
        _ shared: inout SharedFragments
    ) {
        switch node {
        case .leaf(let index): shared.write(ends.value(at: index), to: &line)
        case .group(let group):
            if standing(group, ends, run).failure == nil {
                if run.isSkipped(group) { return line.constant("null") }
                writeObject(group, ends, run, to: &line, &shared)
            } else if case .fallback(let value) = group.policy {
                shared.write(value, to: &line)
            } else {
                line.constant("null")
            }
        }
    }

    private func writeObject<Ends: PartEnds>(
        _ group: Group, _ ends: Ends, _ run: PlanRun, to line: inout JSONLine,
        _ shared: inout SharedFragments
    ) {
        line.constant("{")
        var isFirst = true
        writeMembers(group, of: group, ends, run, to: &line, &shared, &isFirst)
        line.constant("}")
    }

    /// - Parameter object: the group whose object gets the members: `group`, or the one into which it is
    ///   merged.
    private func writeMembers<Ends: PartEnds>(
        _ group: Group, of object: Group, _ ends: Ends, _ run: PlanRun, to line: inout JSONLine,
        _ shared: inout SharedFragments,
        _ isFirst: inout Bool
    ) {
        for member in group.members where !member.isHidden {
            if member.isMerged {
                writeMerged(member.node, of: object, ends, run, to: &line, &shared, &isFirst)
                continue
            }
            if !isFirst { line.constant(",") }
            isFirst = false
            line.string(member.name)
            line.constant(":")
            writeValue(member.node, ends, run, to: &line, &shared)
        }
    }

    private func writeMerged<Ends: PartEnds>(
        _ node: Node, of object: Group, _ ends: Ends, _ run: PlanRun, to line: inout JSONLine,
        _ shared: inout SharedFragments,
        _ isFirst: inout Bool
    ) {
        switch node {
        case .leaf(let index):
            var names = reserved.names[index] ?? []
            if reserved.open.contains(index) {
                names = []
                addNames(in: object, except: index, ends, run, to: &names)
            }
            ends.value(at: index).writeMembers(to: &line, &shared, isFirst: &isFirst, without: names)
        case .group(let group):
            if standing(group, ends, run).failure == nil {
                if run.isSkipped(group) { return }
                writeMembers(group, of: object, ends, run, to: &line, &shared, &isFirst)
            } else if case .fallback(let value) = group.policy {
                value.writeMembers(to: &line, &shared, isFirst: &isFirst, without: [])
            }
        }
    }

    /// Adds the names that the members of a group have in the object, without one part's names.
    private func addNames<Ends: PartEnds>(
        in group: Group, except index: Int, _ ends: Ends, _ run: PlanRun, to names: inout Set<[UInt8]>
    ) {
        for member in group.members where !member.isHidden {
            guard member.isMerged else {
                names.insert(Array(member.name.utf8))
                continue
            }
            switch member.node {
            case .leaf(index): continue
            case .leaf(let other): names.formUnion(ends.value(at: other).memberNames)
            case .group(let merged):
                if standing(merged, ends, run).failure == nil {
                    guard !run.isSkipped(merged) else { continue }
                    addNames(in: merged, except: index, ends, run, to: &names)
                } else if case .fallback(let value) = merged.policy {
                    names.formUnion(value.memberNames)
                }
            }
        }
    }
}

extension PartLayout.Group {
    fileprivate var mergedParts: [Int] {
        members.flatMap { member in
            switch member.node {
            case .leaf(let index): member.isMerged ? [index] : []
            case .group(let group): group.mergedParts
            }
        }
    }
}
