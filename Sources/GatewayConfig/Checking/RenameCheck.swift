import EndpointPlans
import JSONBytes

/// Checks that each renamed member is there and that its new name takes no other's place.
struct RenameCheck {
    let problems: ProblemList

    func run(_ part: PlannedPart) {
        guard !part.shape.renamed.isEmpty else { return }
        checkNewNames(part)
        for rename in part.shape.renamed {
            checkSource(rename, part)
            checkTarget(rename, part)
        }
    }

    /// Two members with one new name would be two members of one object.
    private func checkNewNames(_ part: PlannedPart) {
        var known: Set<[[UInt8]]> = []
        for rename in part.shape.renamed where !known.insert(Self.newNames(rename)).inserted {
            problems.error(
                "rename: two members get the name \"\(Shown.text(rename.name.value))\"",
                at: rename.name.place)
        }
    }

    /// `keep` and `drop` come before `rename`, so their paths have the old names.
    private func checkSource(_ rename: PlannedShape.Renaming, _ part: PlannedPart) {
        let names = rename.path.value.names
        let path = Shown.text(rename.path.value.description)
        if part.shape.dropped.contains(where: { names.starts(with: $0.value.names) }) {
            problems.error("drop removes \(path) before rename", at: rename.path.place)
            return
        }
        guard let keep = part.shape.kept, !keep.contains(where: { $0.value.holds(names) }) else { return }
        let isNamedAnew = keep.contains { $0.value.names == Self.newNames(rename) }
        problems.error(
            "keep removes \(path) before rename; keep \(path)"
                + (isNamedAnew ? " in place of \(Shown.text(rename.name.value))" : ""), at: rename.path.place)
    }

    /// The path of the member under its new name.
    private static func newNames(_ rename: PlannedShape.Renaming) -> [[UInt8]] {
        rename.path.value.names.dropLast() + [Array(rename.name.value.utf8)]
    }

    private func checkTarget(_ rename: PlannedShape.Renaming, _ part: PlannedPart) {
        let target = Self.newNames(rename)
        guard let keep = part.shape.kept, keep.contains(where: { $0.value.holds(rename.path.value.names) }),
            keep.contains(where: { $0.value.names.starts(with: target) }),
            !part.shape.renamed.contains(where: { $0.path.value.names == target }),
            !part.shape.dropped.contains(where: { $0.value.names == target })
        else { return }
        let name = Shown.text(rename.name.value)
        problems.error(
            "rename: \(Shown.text(rename.path.value.description)) takes the place of \(name), which keep lists; "
                + "leave \(name) out of keep, or choose another name", at: rename.name.place)
    }
}

extension JSONMemberPath {
    /// Whether a list that keeps this path keeps a member: the member, one around it, or one in it.
    fileprivate func holds(_ member: [[UInt8]]) -> Bool {
        names.starts(with: member) || member.starts(with: names)
    }
}
