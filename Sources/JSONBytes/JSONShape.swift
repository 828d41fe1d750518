import ASCIIText

/// Chooses and renames members of an object, or of each object in an array, without decoding. The values keep
/// their bytes.
///
///     static let card = JSONShape().keep("id", "title", "seller.name").rename(["title": "name"])
///
///     let part = try product.shape(card)
///
/// It keeps, then drops, then renames, in whatever order the methods are called. All paths use the names
/// before renaming. The value is read once, so a shape in a `static let` is faster than one `keep`, `drop`
/// and `rename` after the other.
public struct JSONShape: Sendable {
    /// What happens to the members of an object.
    struct Level: Sendable {
        /// Whether only members that a path of `keep` names stay.
        var keepsOnlyNamed = false
        var renames = false
        var rules: [Rule] = []
    }

    /// What happens to one member.
    struct Rule: Sendable {
        let name: [UInt8]
        /// Whether it stays, with all below it.
        var isKept = false
        var isDropped = false
        var newName: [UInt8]?
        /// What happens to the members below it; nil for no change.
        var below: Level?

        /// Whether it, or anything below it, stays if only named members stay.
        var isNamed: Bool { isKept || below?.keepsOnlyNamed ?? false }
    }

    private(set) var root = Level()

    /// Creates a shape that changes nothing.
    public init() {}

    init(_ root: Level) { self.root = root }

    /// Lets only these members through. One that is missing stays missing.
    public func keep(_ paths: JSONMemberPath...) -> JSONShape { keep(paths) }

    /// Lets only these members through. One that is missing stays missing.
    public func keep(_ paths: [JSONMemberPath]) -> JSONShape {
        var shape = self
        shape.root.keepsOnlyNamed = true
        shape.root.rules.reserveCapacity(shape.root.rules.count + paths.count)
        for path in paths { shape.root.keep(path.names[...]) }
        return shape
    }

    /// Leaves these members out.
    public func drop(_ paths: JSONMemberPath...) -> JSONShape { drop(paths) }

    /// Leaves these members out.
    public func drop(_ paths: [JSONMemberPath]) -> JSONShape {
        var shape = self
        for path in paths {
            shape.root.change(path.names[...]) { level, index in level.rules[index].isDropped = true }
        }
        return shape
    }

    /// Gives members other names. If both names are there, the renamed member takes the place of the other
    /// one.
    ///
    /// - Precondition: No two members of an object get the same name.
    public func rename(_ names: KeyValuePairs<JSONMemberPath, String>) -> JSONShape {
        rename(pairs: names.map { ($0.key, $0.value) })
    }

    /// - Precondition: No two members of an object get the same name.
    package func rename(pairs names: [(JSONMemberPath, String)]) -> JSONShape {
        var shape = self
        for (path, name) in names {
            let newName = Array(name.utf8)
            shape.root.change(path.names[...]) { level, index in
                precondition(
                    level.rules.indices.allSatisfy { $0 == index || level.rules[$0].newName != newName },
                    "two members are renamed to \(name)")
                level.rules[index].newName = newName
                level.renames = true
            }
        }
        return shape
    }
}

extension JSONShape.Level {
    /// Changes the rule of a member at or below this level, which is added if it is missing.
    fileprivate mutating func change(
        _ names: ArraySlice<[UInt8]>, _ change: (inout JSONShape.Level, _ index: Int) -> Void
    ) {
        guard let name = names.first else { return }
        let index = self.index(of: name)
        guard names.count > 1 else { return change(&self, index) }
        var below = rules[index].below ?? JSONShape.Level()
        below.change(names.dropFirst(), change)
        rules[index].below = below
    }

    fileprivate mutating func keep(_ names: ArraySlice<[UInt8]>) {
        guard let name = names.first else { return }
        keepsOnlyNamed = true
        let index = self.index(of: name)
        guard names.count > 1 else { return rules[index].isKept = true }
        var below = rules[index].below ?? JSONShape.Level()
        below.keep(names.dropFirst())
        rules[index].below = below
    }

    private mutating func index(of name: [UInt8]) -> Int {
        if let known = rules.firstIndex(where: { $0.name == name }) { return known }
        rules.append(JSONShape.Rule(name: name))
        return rules.count - 1
    }
}
