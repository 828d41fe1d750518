import Locking

extension ConnectableObservableType {
    /// Connects after the first subscriber has been subscribed and disconnects when the last one leaves.
    /// After the source ends, the next subscriber connects again.
    public func refCount() -> Observable<Element> {
        (self as? ConnectableObservable<Element>)?.refCounted() ?? GenericRefCount(self)
    }
}

protocol SubscriberCount: AnyObject, Sendable {
    func leave(_ step: Link, _ stops: inout DisposalStack)
}

extension SubscriberCount {
    fileprivate func leave(_ step: Link) {
        var stops = DisposalStack()
        leave(step, &stops)
        stops.run()
    }
}

/// One subscriber of a reference-counted connection.
// Sound: it adds only constants, locks and atomics.
final class RefCountStep<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let count: any SubscriberCount
    // Accessed only by `GenericRefCount`, inside its gate.
    fileprivate let isCounted = RelaxedAtomic(false)

    fileprivate init(_ count: any SubscriberCount, _ port: consuming Downstream<Element>) {
        self.count = count
        super.init(nil)
        down = consume port
        down.attach(self)
    }

    /// Starts `source` for a subscriber that `count` already includes.
    static func start(
        _ source: consuming Observable<Element>, _ port: consuming Downstream<Element>,
        _ count: any SubscriberCount
    ) {
        let step = RefCountStep(count, port)
        guard !step.upstream.isClosed else { return }
        (consume source).run(Downstream(step))
    }

    override func next(_ value: Element) {
        if !upstream.isClosed { down.next(value) }
    }

    override func error(_ error: any Error) {
        guard upstream.end() else { return }
        count.leave(self)
        down.error(error)
        upstream.closeAndStop()
    }

    override func completed() {
        guard upstream.end() else { return }
        count.leave(self)
        down.completed()
        upstream.closeAndStop()
    }

    override func stop(_ stops: inout DisposalStack) {
        if upstream.end() { stops.pushStopped(self) }
        upstream.close(&stops)
    }

    override func stopped(_ stops: inout DisposalStack) {
        count.leave(self, &stops)
    }
}

/// Counts the subscribers of a `Multicast`. Joining a connection counts the subscriber in one step, so it
/// cannot end in between.
// Sound: it adds only constants.
final class MulticastRefCount<Subject: SubjectType>: Observable<Subject.Element>, @unchecked Sendable {
    private let multicast: Multicast<Subject>

    init(_ multicast: Multicast<Subject>) {
        self.multicast = multicast
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Subject.Element>) {
        let multicast = multicast
        if let refusal = multicast.refusal { return port.error(refusal) }
        let (connection, isNew) = multicast.join(as: 1)
        // Subscribe before the source starts, so that no event is missed.
        RefCountStep.start(connection.sharedSubject.subject.asObservable(), port, connection)
        if isNew { multicast.start(connection) }
    }
}

/// Counts the subscribers of a connectable stream of another type. They enter and leave one at a time: a
/// subscriber that arrives while `connect()` runs is subscribed after it returns.
// Sound: it adds only constants, locks and atomics.
private final class GenericRefCount<Source: ConnectableObservableType>: Observable<Source.Element>,
    SubscriberCount, @unchecked Sendable
{
    private let source: Source
    private let gate = SerialGate()
    private let subscribers = RelaxedAtomic(0)
    private let connection = Lock<(any Disposable)?>(nil)

    init(_ source: consuming Source) {
        self.source = source
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Source.Element>) {
        let me = self
        let step = RefCountStep<Source.Element>(me, port)
        me.gate.run { [me, step] in me.enter(step) }
    }

    private func enter(_ step: RefCountStep<Source.Element>) {
        guard !step.upstream.isClosed else { return }
        step.isCounted.set(true)
        subscribers.set(subscribers.value + 1)
        startStream(source.asObservable(), Downstream(step))
        guard subscribers.value == 1, !step.upstream.isClosed else { return }
        let made = source.connect()
        connection.withLock { $0 = made }
    }

    func leave(_ step: Link, _ stops: inout DisposalStack) {
        let step = unsafeDowncast(step, to: RefCountStep<Source.Element>.self)
        gate.run { [self, step] in
            guard step.isCounted.value else { return }
            step.isCounted.set(false)
            subscribers.set(subscribers.value - 1)
            if subscribers.value == 0 { connection.withLock { $0.take() }?.dispose() }
        }
    }
}
