extension StreamType {
    /// Subscribes to the source and disposes that subscription on `scheduler`. Events are delivered on the
    /// thread that emits them. A source that has ended is released there, without the scheduler.
    @inlinable
    public consuming func subscribe(on scheduler: any ImmediateSchedulerType) -> DerivedStream {
        Self.derived(from: SubscribeOn(asObservable(), scheduler))
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class SubscribeOn<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let scheduler: any ImmediateSchedulerType
    private let pending = SingleAssignmentDisposable()

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
        super.init(source)
    }

    deinit {
        Link.free(down.takeLink())
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, scheduler)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.down.attach(me)
        let source = source
        me.pending.setDisposable(
            me.scheduler.schedule(()) {
                if !me.upstream.isClosed { startStream(source, Downstream(me)) }
                return Disposables.create()
            })
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        finish(with: value)
    }

    override func stop(_ stops: inout DisposalStack) {
        // After the end there is nothing to dispose on the scheduler.
        if upstream.isClosed { return super.stop(&stops) }
        guard let closed = upstream.close() else { return }
        pending.dispose()
        guard let source = closed.take() else { return }
        _ = scheduler.schedule(()) {
            source.stop()
            return Disposables.create()
        }
    }
}
