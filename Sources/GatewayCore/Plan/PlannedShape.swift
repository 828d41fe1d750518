package import JSONBytes

/// The members of a part that stand in the answer, and their names there. References read the part before.
package struct PlannedShape: Sendable {
    /// The only members that stay; nil for all.
    package var kept: [JSONMemberPath]?
    package var dropped: [JSONMemberPath] = []
    package var renamed: [(path: JSONMemberPath, name: String)] = []

    package init() {}

    /// Why a value could not have this shape; nil if it can.
    var fault: String? {
        var old: Set<[[UInt8]]> = []
        var new: Set<[[UInt8]]> = []
        for rename in renamed {
            let names = rename.path.names
            guard old.insert(names).inserted,
                new.insert(names.dropLast() + [Array(rename.name.utf8)]).inserted
            else { return "two members are renamed to \(rename.name), or one twice" }
        }
        return nil
    }

    /// Nil if it changes nothing, or has a fault.
    var json: JSONShape? {
        guard kept != nil || !dropped.isEmpty || !renamed.isEmpty, fault == nil else { return nil }
        var shape = JSONShape()
        if let kept { shape = shape.keep(kept) }
        return shape.drop(dropped).rename(pairs: renamed.map { ($0.path, $0.name) })
    }
}

extension [JSONShape] {
    /// Returns the value after each of these shapes.
    func applied(to value: JSONFragment) throws(JSONShapeError) -> JSONFragment {
        var value = value
        for shape in self { value = try value.shape(shape) }
        return value
    }

    /// What becomes of a member of an object that has these shapes.
    struct Change {
        /// Nil if it is left out.
        var name: [UInt8]?
        var isRenamed = false
        /// What its value goes through.
        var shapes: [JSONShape] = []
    }

    /// Returns what becomes of the member with this name.
    func change(of name: [UInt8]) -> Change {
        var change = Change(name: name)
        for shape in self {
            guard let current = change.name else { break }
            switch shape.change(of: current) {
            case .leftOut: change.name = nil
            case .kept(let newName, let below):
                if let newName {
                    change.name = newName
                    change.isRenamed = true
                }
                if let below { change.shapes.append(below) }
            }
        }
        return change
    }

    /// Returns the names of an object after these shapes; nil if they depend on its value.
    ///
    /// - Parameter names: those before; nil if they are not known.
    func names(from names: [[UInt8]]?) -> [[UInt8]]? {
        var names = names
        for shape in self {
            guard let known = names ?? shape.keptNames else { continue }
            var changed: [[UInt8]] = []
            for name in known {
                guard let name = [shape].change(of: name).name, !changed.contains(name) else { continue }
                changed.append(name)
            }
            names = changed
        }
        return names
    }
}
