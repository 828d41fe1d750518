/// An error for tests, identified and described by its name. Marbles write it as `#`.
public struct TestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name, by which errors are compared.
    public let name: String

    /// Creates an error with a name.
    public init(_ name: String = "failed") {
        self.name = name
    }

    /// What is wrong, in words.
    public var description: String { name }
}
