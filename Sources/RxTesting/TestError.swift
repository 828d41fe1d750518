/// An error for tests, identified and described by its name. Marbles write it as `#`.
public struct TestError: Error, Hashable, Sendable, CustomStringConvertible {
    public let name: String

    public init(_ name: String = "failed") {
        self.name = name
    }

    public var description: String { name }
}
