import Locking

/// The owner of the step after this one.
///
/// The step is stored as `Step<Value, Never>`, whatever it sends itself. A safe `any Receiver<Value>` costs two lookups of
/// metadata for each step and subscription, a quarter of a whole pipeline's time.
///
/// Sound: `next` and `last` are the only members used through the phantom `Never`. They depend on `Value` alone and are called
/// through the object's own method table, and no stored property is accessed. An event needs no reference count, because
/// whoever sends it keeps the owner of this alive.
///
/// Inlining has to be forced. It saves a fifth of an event's time in a step.
struct Downstream<Value: Sendable>: ~Copyable {
    private var step: Unmanaged<Step<Value, Never>>?

    /// No step yet.
    @inline(__always)
    init() {
        step = nil
    }

    @inline(__always)
    init<Out: Sendable>(_ step: consuming Step<Value, Out>) {
        self.step = .fromOpaque(Unmanaged.passRetained(consume step).toOpaque())
    }

    private init(sharing step: Unmanaged<Step<Value, Never>>) {
        self.step = step.retain()
    }

    @inline(__always)
    deinit {
        step?.release()
    }

    /// Takes the step of `other`. An assignment would also retain the step while the old value ends.
    @inline(__always)
    mutating func lead(_ other: consuming Downstream<Value>) {
        precondition(step == nil, "a running step has one step after it")
        step = other.take()
    }

    @inline(__always)
    private consuming func take() -> Unmanaged<Step<Value, Never>>? {
        let step = self.step
        discard self
        return step
    }

    @inline(__always)
    func next(_ value: Value) {
        HeldLocks.assertNone()
        step?._withUnsafeGuaranteedRef { $0.next(value) }
    }

    /// Sends the last value with the completion.
    @inline(__always)
    func last(_ value: Value) {
        HeldLocks.assertNone()
        step?._withUnsafeGuaranteedRef { $0.last(value) }
    }

    @inline(__always)
    func error(_ error: any Error) {
        HeldLocks.assertNone()
        step?._withUnsafeGuaranteedRef { $0.error(error) }
    }

    @inline(__always)
    func completed() {
        HeldLocks.assertNone()
        step?._withUnsafeGuaranteedRef { $0.completed() }
    }

    @inline(__always)
    func attach(_ upstream: Link) {
        step?._withUnsafeGuaranteedRef { $0.attach(upstream) }
    }

    /// A second owner of the same step.
    func share() -> Downstream<Value> {
        guard let step else { return Downstream() }
        return Downstream(sharing: step)
    }
}
