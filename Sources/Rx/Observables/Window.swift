import Locking
import Synchronization

extension ObservableType {
    /// Splits the values into consecutive windows, each a stream. The first window opens on subscription. The
    /// current one completes and the next one opens whenever `timeSpan` passes or the window has received
    /// `count` values, which restarts the time span. Completion and errors end the open window first and then
    /// this stream. Windows do not replay values. The source stays subscribed while this stream or any window
    /// is subscribed to.
    @inlinable
    public consuming func window(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        Window(asObservable(), timeSpan, count, scheduler)
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Window<Element: Sendable>: StatefulOperator<Element, Observable<Element>>, TimerTarget,
    SourceOwner, @unchecked Sendable
{
    private let timeSpan: RxTimeInterval
    private let count: Int
    private let scheduler: any SchedulerType
    private let sourceRetains = SourceRetainCount()
    /// Whether the outer subscription has ended. Open windows may still be subscribed to.
    private let isOuterClosed = Atomic<Bool>(false)
    // The gate's owner sets the timer, so it cannot fire before its token is stored.
    private let gate = SerialGate()
    private let timer: TimerSlot
    private let window = Lock(PublishSubject<Element>())
    /// The number of values in the open window.
    private let seen = RelaxedAtomic(0)

    private var openWindow: PublishSubject<Element> { window.withLock { $0 } }

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ timeSpan: RxTimeInterval, _ count: Int,
        _ scheduler: any SchedulerType
    ) {
        self.timeSpan = timeSpan
        self.count = count
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    override func copy() -> Operator<Element, Observable<Element>> {
        type(of: self).init(nil, timeSpan, count, scheduler)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.sourceRetains.begin(me)
        me.down.attach(me)
        // The gate is still free.
        if me.gate.enter() {
            me.open()
            me.gate.leave()
        }
        guard !me.upstream.isClosed else { return }
        (consume source).run(Downstream(me))
    }

    override func stop(_ stops: inout DisposalStack) {
        guard !isOuterClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        sourceRetains.release(&stops)
    }

    func stopSource(_ stops: inout DisposalStack) {
        upstream.close(&stops)
        timer.close()
    }

    private func open() {
        guard !upstream.isClosed else { return }
        if !isOuterClosed.load(ordering: .acquiring) {
            down.next(SourceRetainingStream(openWindow, sourceRetains))
        }
        if !upstream.isClosed { timer.set(after: timeSpan, self) }
    }

    private func openNext() {
        let next = PublishSubject<Element>()
        let full = window.withLock { window in
            defer { window = next }
            return window
        }
        seen.set(0)
        timer.cancel()
        full.onCompleted()
        open()
    }

    override func next(_ value: Element) {
        if gate.enter() {
            pass(value)
            gate.leave()
        } else {
            gate.park { self.pass(value) }
        }
    }

    private func pass(_ value: Element) {
        guard !upstream.isClosed else { return }
        openWindow.onNext(value)
        seen.set(seen.value + 1)
        if seen.value == count { openNext() }
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        if gate.enter() {
            fire(token)
            gate.leave()
        } else {
            gate.park { self.fire(token) }
        }
    }

    private func fire(_ token: TimerToken) {
        if timer.take(token), !upstream.isClosed { openNext() }
    }

    override func completed() {
        if gate.enter() {
            end(nil)
            gate.leave()
        } else {
            gate.park { self.end(nil) }
        }
    }

    override func error(_ error: any Error) {
        if gate.enter() {
            end(error)
            gate.leave()
        } else {
            gate.park { self.end(error) }
        }
    }

    private func end(_ error: (any Error)?) {
        guard upstream.end() else { return }
        timer.close()
        let wantsEnd = !isOuterClosed.load(ordering: .acquiring)
        if let error {
            openWindow.onError(error)
            if wantsEnd { down.error(error) }
        } else {
            openWindow.onCompleted()
            if wantsEnd { down.completed() }
        }
        stop()
        upstream.closeAndStop()
    }
}
