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
}
