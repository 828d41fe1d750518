/// Why a value cannot be shaped.
public struct JSONShapeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong with the value.
    public enum Reason: Sendable { case missing, unexpectedKind }

    /// What is wrong with the value.
    public let reason: Reason
    /// What is wrong, in words.
    public let description: String

    package init(reason: Reason, description: String) {
        self.reason = reason
        self.description = description
    }

    /// Nothing is at the place that was picked.
    static func missing(_ pointer: JSONPointer) -> JSONShapeError {
        JSONShapeError(reason: .missing, description: "the data has nothing at \(pointer)")
    }

    /// The value is of another kind than required.
    static var unexpectedKind: JSONShapeError {
        JSONShapeError(reason: .unexpectedKind, description: "the data has an unexpected JSON type")
    }
}
