/// What a shape does to an object whose members are known before its value is: a group of parts.
extension JSONShape {
    /// What happens to one member.
    package enum MemberChange: Sendable {
        case leftOut
        /// The new name, if it gets one, and the changes below it, if there are any.
        case kept(newName: [UInt8]?, below: JSONShape?)
    }

    /// The names of the only members that stay, before renaming; nil if all stay that no path drops.
    package var keptNames: [[UInt8]]? {
        root.keepsOnlyNamed ? root.rules.filter(\.isNamed).map(\.name) : nil
    }

    /// Returns what happens to the member with this name.
    package func change(of name: [UInt8]) -> MemberChange {
        guard let rule = root.rules.first(where: { $0.name == name }) else {
            return root.keepsOnlyNamed ? .leftOut : .kept(newName: nil, below: nil)
        }
        guard !rule.isDropped, !root.keepsOnlyNamed || rule.isNamed else { return .leftOut }
        let below = rule.isKept ? rule.below?.keepingAll : rule.below
        return .kept(newName: rule.newName, below: below.map(JSONShape.init))
    }
}

extension JSONShape.Level {
    /// The level without its lists of members to keep, because a member above is kept as a whole.
    fileprivate var keepingAll: JSONShape.Level {
        var level = self
        level.keepsOnlyNamed = false
        for index in level.rules.indices { level.rules[index].below = level.rules[index].below?.keepingAll }
        return level
    }
}
