package import JSONBytes

/// The members of a part that stand in the answer, and their names there. References read the part before.
package struct PlannedShape: Sendable {
    /// The only members that stay; nil for all.
    package var kept: [Located<JSONMemberPath>]?
    package var dropped: [Located<JSONMemberPath>] = []
    package var renamed: [Renaming] = []

    /// A member and its new name in the same object.
    package typealias Renaming = (path: Located<JSONMemberPath>, name: Located<String>)

    package init() {}

    /// Whether it changes nothing.
    package var isIdentity: Bool { kept == nil && dropped.isEmpty && renamed.isEmpty }

    /// Why a value could not have this shape; nil if it can.
    package var fault: String? {
        var old: Set<[[UInt8]]> = []
        var new: Set<[[UInt8]]> = []
        for rename in renamed {
            let names = rename.path.value.names
            guard old.insert(names).inserted,
                new.insert(names.dropLast() + [Array(rename.name.value.utf8)]).inserted
            else { return "two members are renamed to \(rename.name.value), or one twice" }
        }
        return nil
    }

    /// Nil if it changes nothing, or has a fault.
    package var json: JSONShape? {
        guard !isIdentity, fault == nil else { return nil }
        var shape = JSONShape()
        if let kept { shape = shape.keep(kept.map(\.value)) }
        return shape.drop(dropped.map(\.value)).rename(pairs: renamed.map { ($0.path.value, $0.name.value) })
    }
}
