import EndpointPlans
import JSONBytes

/// Finds where the values of a planned endpoint's parts stand in `data`, or in the object of a group, and
/// what they go through.
///
/// The shape of a group becomes part of its members' shapes, so no object is read again to be shaped.
struct LayoutMaker {
    private(set) var faults: [PlanError.Fault] = []
    /// By the numbers of the leaves.
    private(set) var leaves: [Int: LeafLayout] = [:]
    private var reserved = PartLayout.Reserved()
    /// The numbers of the next leaf and the next group, and how many leaves come before the parts of the
    /// answer.
    private var number: Int
    private var groupNumber = 0
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
        var hasMergedGroup = false
    }

    // MARK: - Layouts

    /// - Parameter isNeeded: whether the answer needs one even if `data` has a member for each part.
    mutating func layout(_ parts: PlannedEndpoint.Parts, isNeeded: Bool) -> PartLayout? {
        switch parts {
        case .data(let part):
            if part.isMerged || part.isHidden { complain(part.name, "data is neither merged nor hidden") }
            var names = Names()
            let node = node(part, part.name, [], &names)
            return PartLayout(.value(node), reserved)
        case .named(let parts):
            var names = Names()
            let members = members(parts, "", [], &names)
            close(names)
            let isFlat = parts.allSatisfy { part in
                if case .group = part.content { return false }
                return !part.isMerged && !part.isHidden
            }
            guard !isFlat || isNeeded else { return nil }
            let root = PartLayout.Group(number: nil, members: members, policy: .required, atLeast: nil)
            return PartLayout(.object(root), reserved)
        }
    }

    /// Returns the object of a group, as references read it.
    mutating func value(
        of group: PlanGroup, _ groupNumber: Int, _ parts: PlannedEndpoint.Parts
    ) -> PlanGroup.Value? {
        guard let planned = Self.find(groupNumber, in: parts.list) else { return nil }
        number = group.leaves.lowerBound
        self.groupNumber = groupNumber + 1
        var names = Names()
        let members = members(planned.parts, group.name + ".", [], &names)
        close(names)
        let root = PartLayout.Group(
            number: nil, members: members, policy: .required, atLeast: planned.atLeast)
        return PlanGroup.Value(layout: PartLayout(.object(root), reserved), leaves: leaves)
    }

    private static func find(_ number: Int, in parts: [PlannedPart]) -> PlannedGroup? {
        var next = 0
        func find(_ parts: [PlannedPart]) -> PlannedGroup? {
            for part in parts {
                guard case .group(let group) = part.content else { continue }
                if next == number { return group }
                next += 1
                if let found = find(group.parts) { return found }
            }
            return nil
        }
        return find(parts)
    }

    private mutating func complain(_ part: String, _ message: String) {
        faults.append(.init(part: part, message: message))
    }

    // MARK: - Members

    /// - Parameters:
    ///   - prefix: the names of the groups, each with a point.
    ///   - shapes: what the object goes through, from the inside.
    ///   - names: gets the names in the object.
    private mutating func members(
        _ parts: [PlannedPart], _ prefix: String, _ shapes: [JSONShape], _ names: inout Names
    ) -> [PartLayout.Member] {
        let own = Self.ownNames(parts, shapes)
        return zip(parts, own).map { part, change in
            let isWritten = !part.isHidden && (part.isMerged || change.name != nil)
            if !part.isMerged, isWritten, let name = change.name { names.fixed.append(name) }
            let below = part.isMerged ? shapes : change.shapes
            return PartLayout.Member(
                name: change.name.map { String(decoding: $0, as: UTF8.self) } ?? part.name,
                node: node(part, prefix + part.name, isWritten ? below : [], &names),
                isMerged: part.isMerged, isHidden: !isWritten)
        }
    }

    /// Returns the members' names in the object. If two have one name, the renamed one takes the place of the
    /// other.
    private static func ownNames(_ parts: [PlannedPart], _ shapes: [JSONShape]) -> [[JSONShape].Change] {
        var changes = parts.map { shapes.change(of: Array($0.name.utf8)) }
        guard !shapes.isEmpty else { return changes }
        let isNamed = parts.map { !$0.isMerged && !$0.isHidden }
        let renamed = Set(
            changes.indices.filter { isNamed[$0] && changes[$0].isRenamed }.map { changes[$0].name })
        for index in changes.indices
        where isNamed[index] && !changes[index].isRenamed && renamed.contains(changes[index].name) {
            changes[index].name = nil
        }
        return changes
    }

    /// - Parameters:
    ///   - full: its name, below its groups' names.
    ///   - shapes: what its value goes through besides its own shape.
    ///   - names: the enclosing object's.
    private mutating func node(
        _ part: PlannedPart, _ full: String, _ shapes: [JSONShape], _ names: inout Names
    ) -> PartLayout.Node {
        let all = (part.shape.json.map { [$0] } ?? []) + shapes
        let fallback = fallback(of: part, full, shapes)
        guard case .group(let group) = part.content else {
            return leaf(part, full, LeafLayout(shapes: all, fallback: fallback), &names)
        }
        let policy = fallback.map { Part.Policy.fallback($0) } ?? Part.Policy(part.policy)
        let groupNumber = groupNumber
        self.groupNumber += 1
        let members: [PartLayout.Member]
        if part.isMerged, !part.isHidden {
            names.hasMergedGroup = true
            members = self.members(group.parts, full + ".", all, &names)
        } else {
            var names = Names()
            members = self.members(group.parts, full + ".", all, &names)
            close(names)
        }
        return .group(
            PartLayout.Group(number: groupNumber, members: members, policy: policy, atLeast: group.atLeast))
    }

    private mutating func leaf(
        _ part: PlannedPart, _ full: String, _ layout: LeafLayout, _ names: inout Names
    ) -> PartLayout.Node {
        leaves[number] = layout
        let index = number - first
        number += 1
        if part.isMerged, !part.isHidden {
            let own = layout.shapes.names(from: part.constantNames)
            names.merged.append(Merged(index: index, part: full, names: own))
        }
        return .leaf(index)
    }

    /// Returns the fallback in the object; nil without one.
    private mutating func fallback(
        of part: PlannedPart, _ full: String, _ shapes: [JSONShape]
    ) -> JSONFragment? {
        guard case .fallback(let located) = part.policy else { return nil }
        let value = located.value
        do throws(JSONShapeError) {
            return try shapes.applied(to: value)
        } catch {
            complain(full, "the fallback lacks the members that its group keeps")
            return value
        }
    }

    /// Finds names that come twice in an object, and those to which merged members give way.
    private mutating func close(_ names: Names) {
        var seen: Set<[UInt8]> = []
        for name in names.fixed where !seen.insert(name).inserted {
            complain(String(decoding: name, as: UTF8.self), "two members of the group get this name")
        }
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
        for merged in names.merged {
            reserved.names[merged.index] = seen.subtracting(merged.names ?? [])
            guard merged.names == nil, names.merged.count > 1 || names.hasMergedGroup else { continue }
            reserved.open.insert(merged.index)
        }
    }
}

extension PlannedPart {
    /// The names of the members that it merges; nil if they are known only with the value.
    fileprivate var constantNames: [[UInt8]]? {
        switch content {
        case .value(.object(let members)): members.map { Array($0.name.utf8) }
        case .value(.constant(let value)) where value.kind == .object:
            value.members.map { Array($0.name.utf8) }
        case .call, .value, .group: nil
        }
    }
}
