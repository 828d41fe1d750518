import JSONBytes

extension [JSONShape] {
    /// Returns the value after each of these shapes.
    func applied(to value: JSONFragment) throws(JSONShapeError) -> JSONFragment {
        var value = value
        for shape in self { value = try value.shape(shape) }
        return value
    }

    /// What happens to a member of an object that has these shapes.
    struct Change {
        /// Nil if it is left out.
        var name: [UInt8]?
        var isRenamed = false
        /// What its value goes through.
        var shapes: [JSONShape] = []
    }

    /// Returns what happens to the member with this name.
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
