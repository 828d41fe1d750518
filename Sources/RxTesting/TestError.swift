/// An error for tests: equal to one of the same name, and written as that. `#` in marbles.
public struct TestError: Error, Hashable, Sendable, CustomStringConvertible {
    public let name: String

    public init(_ name: String = "failed") {
        self.name = name
    }

    public var description: String { name }
}
