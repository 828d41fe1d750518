import JSONBytes

/// Makes the layout of a planned endpoint's `data`, if it needs one.
struct LayoutMaker {
    private(set) var faults: [PlanError.Fault] = []
    private var reserved: [Int: Set<[UInt8]>] = [:]
    /// The number of the next leaf, and how many leaves come before the parts of the answer.
    private var number: Int
    private let first: Int

    init(first: Int) {
        number = first
        self.first = first
    }

    /// A part that is merged into an object.
    private struct Merged {
        let index: Int
        let part: String
        /// Its members' names; nil if all members of the value are merged.
        let names: [[UInt8]]?
    }

    /// The names in one object.
    private struct Names {
        var fixed: [[UInt8]] = []
        var merged: [Merged] = []
    }

    /// - Parameter isNeeded: whether the answer needs one even if `data` has a member for each part.
    mutating func layout(_ parts: PlannedEndpoint.Parts, isNeeded: Bool) -> PartLayout? {
        switch parts {
        case .data(let part):
            if part.isMerged || part.isHidden { complain(part.name, "data is neither merged nor hidden") }
            var names = Names()
            let node = node(part, "", &names)
            return PartLayout(.value(node), reserved: reserved)
        case .named(let parts):
            let root = group(parts, .required, atLeast: nil, "")
            let isFlat = parts.allSatisfy { part in
                if case .group = part.content { return false }
                return !part.isMerged && !part.isHidden
            }
            return isFlat && !isNeeded ? nil : PartLayout(.object(root), reserved: reserved)
        }
    }

    private mutating func complain(_ part: String, _ message: String) {
        faults.append(.init(part: part, message: message))
    }

    /// Makes an object of its own.
    private mutating func group(
        _ parts: [PlannedPart], _ policy: Part.Policy, atLeast: Int?, _ prefix: String
    ) -> PartLayout.Group {
        var names = Names()
        let members = members(parts, prefix, &names)
        close(names)
        return PartLayout.Group(members: members, policy: policy, atLeast: atLeast)
    }

    private mutating func members(
        _ parts: [PlannedPart], _ prefix: String, _ names: inout Names
    ) -> [PartLayout.Member] {
        parts.map { part in
            if !part.isMerged, !part.isHidden { names.fixed.append(Array(part.name.utf8)) }
            return PartLayout.Member(
                name: part.name, node: node(part, prefix, &names), isMerged: part.isMerged,
                isHidden: part.isHidden)
        }
    }

    /// - Parameter names: those of the enclosing object.
    private mutating func node(
        _ part: PlannedPart, _ prefix: String, _ names: inout Names
    ) -> PartLayout.Node {
        let full = prefix + part.name
        switch part.content {
        case .group(let group):
            if part.isMerged, !part.isHidden {
                let members = members(group.parts, full + ".", &names)
                return .group(
                    PartLayout.Group(members: members, policy: part.policy.policy, atLeast: group.atLeast))
            }
            return .group(
                self.group(group.parts, part.policy.policy, atLeast: group.atLeast, full + "."))
        case .call, .value:
            let index = number - first
            number += 1
            if part.isMerged, !part.isHidden {
                names.merged.append(Merged(index: index, part: full, names: part.mergedNames))
            }
            return .leaf(index)
        }
    }

    /// Finds names that come twice in an object, and those to which merged members give way.
    private mutating func close(_ names: Names) {
        var seen = Set(names.fixed)
        var hasOpen = false
        for merged in names.merged {
            guard let own = merged.names else {
                if hasOpen { complain(merged.part, "a second part is merged without keep") }
                hasOpen = true
                continue
            }
            for name in own where !seen.insert(name).inserted {
                let text = String(decoding: name, as: UTF8.self)
                complain(merged.part, "its member \"\(text)\" is already in the object")
            }
        }
        for merged in names.merged { reserved[merged.index] = seen.subtracting(merged.names ?? []) }
    }
}

extension PlannedPart {
    /// The names of the members that it merges; nil if they are known only with the value.
    fileprivate var mergedNames: [[UInt8]]? {
        switch content {
        case .group: return nil
        case .value(.object(let members)): return members.map { Array($0.name.utf8) }
        case .value: return nil
        case .call(let call):
            guard let kept = call.kept else { return nil }
            var names: [[UInt8]] = []
            for name in kept.compactMap(\.names.first) where !names.contains(name) {
                let renamed = call.renamed.first { $0.path.names == [name] }
                names.append(renamed.map { Array($0.name.utf8) } ?? name)
            }
            return names
        }
    }
}
