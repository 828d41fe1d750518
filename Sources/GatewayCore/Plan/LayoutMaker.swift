import EndpointPlans
import JSONBytes

/// Finds where the values of a planned endpoint's parts stand in `data`, or in the object of a group, and
/// what they go through.
///
/// The shape of a group becomes part of its members' shapes, so no object is read again to be shaped.
struct LayoutMaker {
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
        /// Its members' names; nil if all members of the value are merged.
        let names: [[UInt8]]?
        /// Without `names`, the only ones that its groups keep, if they have such a list.
        let kept: [[UInt8]]?
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
            var names = Names()
            let node = node(part, [], &names)
            return PartLayout(.value(node), reserved)
        case .named(let parts):
            var names = Names()
            let members = members(parts, [], &names)
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
        let members = members(planned.parts, [], &names)
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

    // MARK: - Members

    /// - Parameters:
    ///   - parts: the members.
    ///   - shapes: what the object goes through, from the inside.
    ///   - names: gets the names in the object.
    private mutating func members(
        _ parts: [PlannedPart], _ shapes: [JSONShape], _ names: inout Names
    ) -> [PartLayout.Member] {
        let own = Self.ownNames(parts, shapes)
        return zip(parts, own).map { part, change in
            let isWritten = !part.isHidden && (part.isMerged || change.name != nil)
            if !part.isMerged, isWritten, let name = change.name { names.fixed.append(name) }
            let below = part.isMerged ? shapes : change.shapes
            return PartLayout.Member(
                name: change.name.map { String(decoding: $0, as: UTF8.self) } ?? part.name,
                node: node(part, isWritten ? below : [], &names),
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
    ///   - part: a part or a group.
    ///   - shapes: what its value goes through besides its own shape.
    ///   - names: the enclosing object's.
    private mutating func node(
        _ part: PlannedPart, _ shapes: [JSONShape], _ names: inout Names
    ) -> PartLayout.Node {
        let all = (part.shape.json.map { [$0] } ?? []) + shapes
        var fallback: JSONFragment?
        if case .fallback(let value) = part.policy {
            // A fallback that its group cannot shape is a fault of the plan.
            fallback = (try? shapes.applied(to: value.value)) ?? value.value
        }
        guard case .group(let group) = part.content else {
            addNames(of: part, shapes, to: &names)
            leaves[number] = LeafLayout(shapes: all, fallback: fallback)
            number += 1
            return .leaf(number - 1 - first)
        }
        let policy = fallback.map { Part.Policy.fallback($0) } ?? Part.Policy(part.policy)
        let groupNumber = groupNumber
        self.groupNumber += 1
        let members: [PartLayout.Member]
        if part.isMerged, !part.isHidden {
            names.hasMergedGroup = true
            members = self.members(group.parts, all, &names)
        } else {
            var names = Names()
            members = self.members(group.parts, all, &names)
            close(names)
        }
        return .group(
            PartLayout.Group(number: groupNumber, members: members, policy: policy, atLeast: group.atLeast))
    }

    private func addNames(of part: PlannedPart, _ shapes: [JSONShape], to names: inout Names) {
        guard part.isMerged, !part.isHidden else { return }
        let own = (part.shape.json.map { [$0] } ?? []).names(from: part.memberNames)
        names.merged.append(
            Merged(
                index: number - first, names: own.flatMap(shapes.names), kept: shapes.names(from: nil)))
    }

    /// Finds the names to which merged members give way.
    private mutating func close(_ names: Names) {
        var taken = Set(names.fixed)
        for merged in names.merged { taken.formUnion(merged.names ?? []) }
        let own = names.merged.map { merged in
            // Members that only a group keeps give way to the others in it.
            merged.names ?? merged.kept?.filter { taken.insert($0).inserted }
        }
        for (merged, own) in zip(names.merged, own) {
            reserved.names[merged.index] = taken.subtracting(own ?? [])
            guard own == nil, names.merged.count > 1 || names.hasMergedGroup else { continue }
            reserved.open.insert(merged.index)
        }
    }
}
