import Locking

/// A stream that subscribes to its source only on `connect()`.
public protocol ConnectableObservableType<Element>: ObservableType {
    /// Subscribes to the source, unless already connected. Disposing the result disconnects, without an
    /// event.
    func connect() -> any Disposable
}

// Sound: it adds only constants.
/// A stream that shares one subscription to its source, made by `connect()`.
public class ConnectableObservable<Element: Sendable>: Observable<Element>, ConnectableObservableType,
    @unchecked Sendable
{
    @usableFromInline
    override init() {
        super.init()
    }

    /// Subscribes to the source. Disposing of the result ends that subscription.
    public func connect() -> any Disposable {
        Disposables.create()
    }

    /// Returns this stream, connected while it has subscribers.
    func refCounted() -> Observable<Element> {
        self
    }
}

extension ObservableType {
    /// Shares one subscription, made by `connect()`, and replays nothing. It can reconnect after the source
    /// ends.
    @inlinable
    public consuming func publish() -> ConnectableObservable<Element> {
        multicast { PublishSubject() }
    }

    /// Like `publish()`, but replays the last `bufferSize` values to late subscribers.
    @inlinable
    public consuming func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        multicast { ReplaySubject.create(bufferSize: bufferSize) }
    }

    /// Like `publish()`, but replays all values to late subscribers, without limit.
    @inlinable
    public consuming func replayAll() -> ConnectableObservable<Element> {
        multicast { ReplaySubject.createUnbounded() }
    }

    /// Shares one subscription to the source through `subject`, which ends with the source. Late subscribers
    /// then receive what it replays, and reconnecting has no effect on them.
    @inlinable
    public consuming func multicast<Subject: SubjectType>(_ subject: Subject)
        -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element
    {
        Multicast(asObservable()) { subject }
    }

    /// Shares one subscription to the source through a new subject for each connection. `makeSubject` runs
    /// when a connection starts, or earlier when the first subscriber arrives. Threads that need the subject
    /// at the same moment may each call it, and one of the results is used.
    @inlinable
    @preconcurrency
    public consuming func multicast<Subject: SubjectType>(makeSubject: @escaping @Sendable () -> Subject)
        -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element
    {
        Multicast(asObservable(), makeSubject)
    }
}

/// A subject with its observer side, held by reference.
final class SharedSubject<Subject: SubjectType>: Sendable {
    let subject: Subject
    let observer: Subject.Observer

    init(_ subject: Subject) {
        self.subject = subject
        observer = subject.asObserver()
    }
}

/// Shared by all subscribers and never copied.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Multicast<Subject: SubjectType>: ConnectableObservable<Subject.Element>, @unchecked Sendable {
    private struct State {
        /// The subject that new subscribers join, of the current or the next connection.
        var sharedSubject: SharedSubject<Subject>?
        var connection: MulticastConnection<Subject>?
        /// The number of counted subscribers of the connection.
        var subscribers = 0
    }

    private let source: Observable<Subject.Observer.Element>
    private let makeSubject: @Sendable () -> Subject
    private let context = SharedContext()
    private let state = AdaptiveLock(State())

    @usableFromInline
    init(
        _ source: consuming Observable<Subject.Observer.Element>,
        _ makeSubject: @escaping @Sendable () -> Subject
    ) {
        self.source = source
        self.makeSubject = makeSubject
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Subject.Element>) {
        if let refusal { return port.error(refusal) }
        let stream = sharedSubject().subject.asObservable()
        (consume stream).run(consume port)
    }

    /// Why the running code may not subscribe; nil if it may.
    var refusal: (any Error)? { context.refusal }

    override func connect() -> any Disposable {
        let (connection, isNew) = join(as: 0)
        if isNew { start(connection) }
        return connection
    }

    override func refCounted() -> Observable<Subject.Element> {
        MulticastRefCount(self)
    }

    private func sharedSubject() -> SharedSubject<Subject> {
        if let sharedSubject = state.withLock({ $0.sharedSubject }) { return sharedSubject }
        let made = SharedSubject(makeSubject())
        return state.withLock { state in
            let sharedSubject = state.sharedSubject ?? made
            state.sharedSubject = sharedSubject
            return sharedSubject
        }
    }

    /// Adds `subscribers` to the current connection, or to a new one that the caller has to start.
    func join(as subscribers: Int) -> (MulticastConnection<Subject>, isNew: Bool) {
        while true {
            let sharedSubject = sharedSubject()
            let joined: (MulticastConnection<Subject>, Bool)? = state.withLock { state in
                if let connection = state.connection {
                    state.subscribers += subscribers
                    return (connection, false)
                }
                // Another thread connected and disconnected meanwhile.
                guard state.sharedSubject === sharedSubject else { return nil }
                let connection = MulticastConnection(self, sharedSubject)
                state.connection = connection
                state.subscribers = subscribers
                return (connection, true)
            }
            if let joined { return joined }
        }
    }

    func start(_ connection: MulticastConnection<Subject>) {
        if !connection.upstream.isClosed { context.start(source, connection) }
    }

    /// Removes one subscriber. Returns whether it was the last, so the caller stops the connection.
    fileprivate func leave(_ connection: MulticastConnection<Subject>) -> Bool {
        state.withLock { state in
            guard state.connection === connection else { return false }
            state.subscribers -= 1
            guard state.subscribers == 0 else { return false }
            state = State()
            return true
        }
    }

    /// Detaches `connection`: later subscribers and `connect()` calls start a new one.
    fileprivate func forget(_ connection: MulticastConnection<Subject>) {
        state.withLock { state in
            if state.connection === connection { state = State() }
        }
    }
}

/// The shared subscription to the source.
// Sound: it adds only constants.
final class MulticastConnection<Subject: SubjectType>: InnerStep<Subject.Observer.Element>, Disposable,
    SubscriberCount, @unchecked Sendable
{
    let sharedSubject: SharedSubject<Subject>
    private let multicast: Multicast<Subject>

    init(_ multicast: Multicast<Subject>, _ sharedSubject: SharedSubject<Subject>) {
        self.multicast = multicast
        self.sharedSubject = sharedSubject
        super.init()
    }

    override func next(_ value: Subject.Observer.Element) {
        if !upstream.isClosed { sharedSubject.observer.onNext(value) }
    }

    override func failed(_ error: any Error) {
        multicast.forget(self)
        sharedSubject.observer.onError(error)
    }

    override func finished() {
        multicast.forget(self)
        sharedSubject.observer.onCompleted()
    }

    func dispose() {
        multicast.forget(self)
        upstream.closeAndStop()
    }

    override var isDisposedByStopping: Bool { true }

    override func stop(_ stops: inout DisposalStack) {
        multicast.forget(self)
        super.stop(&stops)
    }

    func leave(_ step: Link, _ stops: inout DisposalStack) {
        // Also stop a connection that is delivering its end: a subscriber that reacts by subscribing again
        // starts the source again, and the two must not overlap.
        if multicast.leave(self) || upstream.isClosed { upstream.close(&stops) }
    }
}
