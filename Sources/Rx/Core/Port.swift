/// What a step sends to: a step that takes `Value`, whatever that sends itself.
protocol Receiver<Value>: Link {
    associatedtype Value: Sendable

    func next(_ value: Value)
    func last(_ value: Value)
}

/// The way down: owns the step after this one. Borrowed for each event, so an event costs no reference count.
struct Port<Value: Sendable>: ~Copyable {
    private let step: (any Receiver<Value>)?

    /// Leads nowhere yet.
    init() {
        step = nil
    }

    init(_ step: any Receiver<Value>) {
        self.step = step
    }

    /// A second way to the same step.
    func share() -> Port<Value> {
        guard let step else { return Port() }
        return Port(step)
    }

    func next(_ value: Value) {
        step?.next(value)
    }

    /// The last value and the completion in one.
    func last(_ value: Value) {
        step?.last(value)
    }

    func error(_ error: any Error) {
        step?.error(error)
    }

    func completed() {
        step?.completed()
    }

    func attach(_ upstream: Link) {
        step?.attach(upstream)
    }
}
