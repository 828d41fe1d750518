/// An operator that also receives events from a second stream or a timer. Its gate handles them one at a
/// time.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
class GatedOperator<In: Sendable, Out: Sendable>: StatefulOperator<In, Out>, @unchecked Sendable {
    final let gate = SerialGate()

    @usableFromInline
    override init(_ source: consuming Observable<In>?) {
        super.init(source)
    }

    // MARK: As the gate's owner

    /// Called only while the stream has not ended, like `receivedLast(_:)`.
    func received(_ value: In) {}

    /// Handles the value that the source completes with.
    func receivedLast(_ value: In) {
        received(value)
        if !upstream.isClosed { sourceCompleted() }
    }

    /// Completes the stream by default.
    func sourceCompleted() {
        end()
    }

    /// Ends the stream, unless it has ended.
    final func end(_ error: (any Error)? = nil) {
        guard upstream.end() else { return }
        if let error { down.error(error) } else { down.completed() }
        stop()
    }

    final func end(with value: Out) {
        guard upstream.end() else { return }
        down.last(value)
        stop()
    }

    // MARK: From any thread

    /// Releases what the operator holds besides its source, or puts it on `stops`. Called once, when the
    /// stream has ended or was disposed.
    func ended(_ stops: inout DisposalStack) {}

    override final func next(_ value: In) {
        gate.run(self, value) { me, value in if !me.upstream.isClosed { me.received(value) } }
    }

    override final func last(_ value: In) {
        gate.run(self, value) { me, value in if !me.upstream.isClosed { me.receivedLast(value) } }
    }

    override final func completed() {
        gate.run { self.sourceCompleted() }
    }

    override final func error(_ error: any Error) {
        gate.run { self.end(error) }
    }

    override func stop(_ stops: inout DisposalStack) {
        guard let source = upstream.close() else { return }
        ended(&stops)
        source.stop(&stops)
    }
}

/// A gated operator with a timer. The gate's owner sets it, so that it cannot fire before its token is
/// stored.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
class TimedOperator<In: Sendable, Out: Sendable>: GatedOperator<In, Out>, TimerTarget, @unchecked Sendable {
    final let scheduler: any SchedulerType
    final let timer: TimerSlot

    init(_ source: consuming Observable<In>?, _ scheduler: any SchedulerType) {
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    /// Called by the gate's owner when the timer fires, unless the stream has ended.
    func timerElapsed() {}

    @usableFromInline
    final func timerFired(_ token: TimerToken) {
        gate.run { if self.timer.take(token), !self.upstream.isClosed { self.timerElapsed() } }
    }

    override func ended(_ stops: inout DisposalStack) {
        timer.close()
    }

    /// Attaches the step, sets its first timer, then starts the source.
    final consuming func begin(_ source: consuming Observable<In>, firstTimer dueTime: RxTimeInterval) {
        let step = self
        step.down.attach(step)
        guard !step.upstream.isClosed else { return }
        // The gate is free. A timer that fires at once waits until its token is stored.
        if step.gate.enter() {
            step.timer.set(after: dueTime, step)
            step.gate.leave()
        }
        guard !step.upstream.isClosed else { return }
        (consume source).run(Downstream(step))
    }
}

/// A timed operator that keeps the latest value until its timer fires.
// Sound: only the gate's owner touches `waiting`.
@usableFromInline
class WaitingOperator<Element: Sendable>: TimedOperator<Element, Element>, @unchecked Sendable {
    final var waiting = ValueStorage<Element>()

    override init(_ source: consuming Observable<Element>?, _ scheduler: any SchedulerType) {
        super.init(source, scheduler)
    }

    deinit {
        waiting.destroy()
    }
}

/// A gated operator that reacts to a second stream but ignores its values. An error of that stream ends this
/// one.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
class NotifiedOperator<In: Sendable, Out: Sendable>: GatedOperator<In, Out>, NotifierTarget,
    @unchecked Sendable
{
    final let notifier: Notifier
    /// The subscription to the second stream.
    final let other = LinkSlot()

    @usableFromInline
    init(_ source: consuming Observable<In>?, _ notifier: Notifier) {
        self.notifier = notifier
        super.init(source)
    }

    override final func ended(_ stops: inout DisposalStack) {
        other.close(&stops)
    }

    func notifierFired() {}

    final func notifierFailed(_ error: any Error) {
        self.error(error)
    }

    func notifierCompleted() {}

    override consuming func begin(_ source: consuming Observable<In>) {
        let me = self
        me.down.attach(me)
        (consume source).run(Downstream(me))
        me.startNotifier()
    }

    final func startNotifier() {
        guard !upstream.isClosed else { return }
        notifier.start(self) { other.set($0) }
    }
}
