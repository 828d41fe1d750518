/// Passes values to an object without retaining it. Errors go to `Hooks.defaultErrorHandler`; completion is
/// ignored.
public struct Binder<Value: Sendable>: ObserverType {
    /// The type of the values.
    public typealias Element = Value

    private let deliver: @Sendable (Value) -> Void

    /// Calls `binding` on `scheduler`, by default at once on the sending thread: a server has no main run
    /// loop and so no main scheduler. Streams on several threads may then call it at the same time.
    @preconcurrency
    public init<Target: AnyObject & Sendable>(
        _ target: Target, scheduler: any ImmediateSchedulerType = ImmediateScheduler.instance,
        binding: @escaping @Sendable (Target, Value) -> Void
    ) {
        deliver = { [weak target] value in
            _ = scheduler.schedule(value) { [weak target] value in
                if let target { binding(target, value) }
                return Disposables.create()
            }
        }
    }

    /// Passes an event on.
    public func on(_ event: Event<Value>) {
        switch event {
        case .next(let value): deliver(value)
        case .error(let error): Hooks.unhandled(error)
        case .completed: break
        }
    }

    /// Passes a value on.
    public func onNext(_ element: Value) {
        deliver(element)
    }

    /// Ends the stream with an error.
    public func onError(_ error: any Error) {
        Hooks.unhandled(error)
    }

    /// Ends the stream without an error.
    public func onCompleted() {}
}
