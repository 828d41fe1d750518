/// An observer that passes each value to an object while the object lives, and does not keep it alive.
///
/// An error goes to `Hooks.defaultErrorHandler`. A completion is ignored.
public struct Binder<Value: Sendable>: ObserverType {
    public typealias Element = Value

    private let deliver: @Sendable (Value) -> Void

    /// Calls `binding` on `scheduler`.
    ///
    /// By default it is called at once on the thread that sends the value, because a program without a main run loop, such as a
    /// server, has no main scheduler. Streams on several threads may then call it at the same time.
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

    public func on(_ event: Event<Value>) {
        switch event {
        case .next(let value): deliver(value)
        case .error(let error): Hooks.unhandled(error)
        case .completed: break
        }
    }

    public func onNext(_ element: Value) {
        deliver(element)
    }

    public func onError(_ error: any Error) {
        Hooks.unhandled(error)
    }

    public func onCompleted() {}
}
