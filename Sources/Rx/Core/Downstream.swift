import Locking

/// The way down: owns the step after this one.
///
/// The step is held as `Step<Value, Never>`, whatever it sends itself: a safe `any Receiver<Value>` costs two
/// run-time lookups of metadata a step and subscription, which is a quarter of a whole pipeline's time.
///
/// Sound: `next` and `last` are the only members used through the phantom `Never`; they depend on `Value` alone, are
/// called through the object's own method table, and no stored property is reached. A borrowed event costs
/// no reference count, as the step that owns the port is kept alive by whoever sends the event.
///
/// All of it is inlined into the steps, which the compiler does not do by itself: a fifth of an event's way through one.
struct Downstream<Value: Sendable>: ~Copyable {
    private var step: Unmanaged<Step<Value, Never>>?

    /// Leads nowhere yet.
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

    /// Leads where `other` led, having led nowhere. An assignment would also keep the step alive around the end of the way
    /// that was.
    @inline(__always)
    mutating func lead(_ other: consuming Downstream<Value>) {
        precondition(step == nil, "a running step leads to one other")
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

    /// The last value and the completion in one.
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

    /// A second way to the same step.
    func share() -> Downstream<Value> {
        guard let step else { return Downstream() }
        return Downstream(sharing: step)
    }
}
