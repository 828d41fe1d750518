/// A value that does not change and is passed on without a copy.
final class Frozen<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
