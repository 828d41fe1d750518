import ASCIIText
package import JSONBytes

/// What a shape does wrong, and where the file has it.
extension PlannedShape {
    /// Each renamed member has to be there, and its new name takes no other's place.
    var faults: [Located<String>] {
        repeated.new.map { $0.name.map { "rename: two members get the name \"\(Shown.text($0))\"" } }
            + repeated.old.map { $0.path.map { "rename: \(Shown.text($0.description)) gets two names" } }
            + renamed.flatMap { [sourceFault($0), targetFault($0)].compactMap { $0 } }
    }

    /// The renamings whose new name, or whose member, another one before has.
    private var repeated: (new: [Renaming], old: [Renaming]) {
        var (new, old): (Set<[[UInt8]]>, Set<[[UInt8]]>) = ([], [])
        return (
            renamed.filter { !new.insert(Self.newNames($0)).inserted },
            renamed.filter { !old.insert($0.path.value.names).inserted }
        )
    }

    /// Nil if it changes nothing, or if two members get one name.
    package var json: JSONShape? {
        guard !isIdentity, repeated.new.isEmpty else { return nil }
        var shape = JSONShape()
        if let kept { shape = shape.keep(kept.map(\.value)) }
        return shape.drop(dropped.map(\.value)).rename(pairs: renamed.map { ($0.path.value, $0.name.value) })
    }

    /// The path of the member under its new name.
    private static func newNames(_ rename: Renaming) -> [[UInt8]] {
        rename.path.value.names.dropLast() + [Array(rename.name.value.utf8)]
    }

    /// `keep` and `drop` come before `rename`, so their paths have the old names.
    private func sourceFault(_ rename: Renaming) -> Located<String>? {
        let names = rename.path.value.names
        let path = Shown.text(rename.path.value.description)
        if dropped.contains(where: { names.starts(with: $0.value.names) }) {
            return Located("drop removes \(path) before rename", at: rename.path.place)
        }
        guard let kept, !kept.contains(where: { $0.value.holds(names) }) else { return nil }
        let keepsNewName = kept.contains { $0.value.names == Self.newNames(rename) }
        return Located(
            "keep removes \(path) before rename; keep \(path)"
                + (keepsNewName ? " in place of \(Shown.text(rename.name.value))" : ""), at: rename.path.place
        )
    }

    private func targetFault(_ rename: Renaming) -> Located<String>? {
        let target = Self.newNames(rename)
        guard let kept, kept.contains(where: { $0.value.holds(rename.path.value.names) }),
            kept.contains(where: { $0.value.names.starts(with: target) }),
            !renamed.contains(where: { $0.path.value.names == target }),
            !dropped.contains(where: { $0.value.names == target })
        else { return nil }
        let name = Shown.text(rename.name.value)
        return Located(
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
