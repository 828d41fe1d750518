@_spi(Lines) package import JSONBytes

extension [JSONShape] {
    /// Returns the value after each of these shapes.
    package func applied(to value: JSONFragment) throws(JSONShapeError) -> JSONFragment {
        var value = value
        for shape in self { value = try value.shape(shape) }
        return value
    }

    /// What happens to a member of an object that has these shapes.
    package struct Change {
        /// Nil if it is left out.
        package var name: [UInt8]?
        package var isRenamed = false
        /// What its value goes through.
        package var shapes: [JSONShape] = []
    }

    /// Returns what happens to the member with this name.
    package func change(of name: [UInt8]) -> Change {
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
    package func names(from names: [[UInt8]]?) -> [[UInt8]]? {
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

extension PlannedPart {
    /// The names of the members of its value; nil if they are known only with the value.
    package var memberNames: [[UInt8]]? {
        switch content {
        case .value(.object(let members)): members.map { Array($0.name.utf8) }
        case .value(.constant(let value)): value.memberNames
        case .call, .value, .group: nil
        }
    }
}
