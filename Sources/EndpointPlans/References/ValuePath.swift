package import JSONBytes

/// A place in a JSON value: names, `[0]`, `['name']` and `[*]`, as RFC 9535 writes them, without `$`.
package struct ValuePath: Sendable, Hashable {
    package typealias Step = JSONPathStep

    package var steps: [Step]

    /// The whole value.
    package init() { steps = [] }

    package init(steps: [Step]) { self.steps = steps }

    /// Whether it leads to any number of values, which are read as one array.
    package var isList: Bool { steps.contains(.all) }

    /// Returns the value at this place, if any. What `[*]` selects becomes an array, without the elements
    /// that have nothing at the rest of the path. `[*]` of null is null.
    package func value(in root: JSONFragment) -> JSONFragment? { root.value(at: steps[...]) }
}
