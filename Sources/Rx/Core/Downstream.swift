import Locking

/// Owns the next step, stored as `Step<Value, Never>` whatever it sends itself. A safe `any Receiver<Value>`
/// costs two metadata lookups for each step and subscription, a quarter of a whole pipeline's time. Forced
/// inlining saves a fifth of a step's time for each event.
// Sound: `next` and `last` are the only members used through the phantom `Never`. They depend on `Value`
// alone and go through the object's own method table. No stored property is accessed. An event needs no
// retain, because its sender keeps this owner alive.
struct Downstream<Value: Sendable>: ~Copyable {
    private var step: Unmanaged<Step<Value, Never>>?

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

    /// Takes over the step of `other`. An assignment would also retain it while the old value is destroyed.
    @inline(__always)
    mutating func takeStep(of other: consuming Downstream<Value>) {
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

    /// The next step as a link.
    var link: Link? {
        guard let step else { return nil }
        return Unmanaged<Link>.fromOpaque(step.toOpaque()).takeUnretainedValue()
    }

    /// Moves the next step out.
    mutating func takeLink() -> Link? {
        guard let step else { return nil }
        self.step = nil
        return Unmanaged<Link>.fromOpaque(step.toOpaque()).takeRetainedValue()
    }

    /// Skips the steps that only pass events on. Returns whether there was one. If so, the caller has to
    /// attach `sender` or a new source to the next step. Only for the sender of the events, between two of
    /// them. A step that never attaches itself passes nil.
    // Sound: a step passes values on unchanged, so the step after it receives the same type.
    mutating func skip(_ sender: Link?) -> Bool {
        var hasSkipped = false
        while let step, let next = step._withUnsafeGuaranteedRef({ $0.skipped(by: sender) }) {
            self.step = .fromOpaque(Unmanaged.passRetained(next).toOpaque())
            step.release()
            hasSkipped = true
        }
        return hasSkipped
    }

    /// Returns a second owner of the same step.
    func share() -> Downstream<Value> {
        guard let step else { return Downstream() }
        return Downstream(sharing: step)
    }
}
