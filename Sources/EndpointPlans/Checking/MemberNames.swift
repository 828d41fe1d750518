import ASCIIText
@_spi(Lines) import JSONBytes

/// The names in the object that parts make, as far as the plan tells. Finds names that two parts have.
struct MemberNames {
    private struct Origin {
        let part: String
        let place: ConfigPlace
        /// Whether the name is the part's own, and not the name of a member that it merges.
        let isOwn: Bool
    }

    private var known: [[UInt8]: Origin] = [:]
    /// A part whose members are known only when it is fetched. They give way to the others.
    private var open: String?

    /// Adds a part to the object.
    ///
    /// - Parameter inner: the members of a group, after its shape.
    mutating func add(_ part: PlannedPart, _ inner: MemberNames?) -> [Located<String>] {
        guard part.isMerged else {
            return claim(Array(part.name.utf8), for: part).map { [$0] } ?? []
        }
        var faults: [Located<String>] = []
        let merged = Self.merged(part, inner)
        if merged.open != nil {
            if let open {
                let message =
                    "parts \(open) and \(part.name) are both merged without keep, so their members could have "
                    + "the same names"
                faults.append(Located(message, at: part.place))
            }
            open = part.name
        }
        // Sorted, so that the first message is the same in each run.
        faults += merged.sortedNames.compactMap { claim($0, for: part) }
        return faults
    }

    private var sortedNames: [[UInt8]] { known.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    private mutating func claim(_ name: [UInt8], for part: PlannedPart) -> Located<String>? {
        let origin = Origin(part: part.name, place: part.place, isOwn: !part.isMerged)
        guard let other = known[name] else {
            known[name] = origin
            return nil
        }
        return Self.fault(name, other, origin)
    }

    private static func fault(_ name: [UInt8], _ one: Origin, _ other: Origin) -> Located<String> {
        let shown = Shown.text(String(decoding: name, as: UTF8.self))
        return Located(
            "parts \(one.part) and \(other.part) both have the member \"\(shown)\" of one object",
            at: other.place)
    }

    /// Returns the members that a merged part adds to its object.
    private static func merged(_ part: PlannedPart, _ inner: MemberNames?) -> MemberNames {
        var names = inner ?? MemberNames()
        if inner == nil {
            let shape = part.shape.json.map { [$0] } ?? []
            for name in shape.names(from: part.memberNames) ?? [] { _ = names.claim(name, for: part) }
            if shape.names(from: part.memberNames) == nil { names.open = part.name }
        }
        // Members of an open part give way to others, so they cannot collide.
        if case .fallback(let fallback) = part.policy, names.open == nil {
            for name in fallback.value.memberNames { _ = names.claim(name, for: part) }
        }
        return names
    }

    /// Changes the names as the shape of their group does. A renamed member takes the place of another part,
    /// but not of a merged member.
    mutating func shape(of group: PlannedPart) -> [Located<String>] {
        guard let shape = group.shape.json else { return [] }
        if let kept = shape.keptNames {
            if open != nil {
                for name in kept where known[name] == nil { _ = claim(name, for: group) }
            }
            open = nil
        }
        let changes = sortedNames.map { (known[$0], [shape].change(of: $0)) }
        known = [:]
        var faults: [Located<String>] = []
        for case (let origin?, let change) in changes where change.isRenamed {
            if let name = change.name { known[name] = origin }
        }
        for case (let origin?, let change) in changes where !change.isRenamed {
            guard let name = change.name else { continue }
            if let other = known[name] {
                if !origin.isOwn || !other.isOwn { faults.append(Self.fault(name, other, origin)) }
            } else {
                known[name] = origin
            }
        }
        return faults
    }
}
