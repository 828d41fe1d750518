import Locking

/// A stream that waits for `connect()` before it starts its source.
public protocol ConnectableObservableType<Element>: ObservableType {
    /// Starts the source, unless it runs already. Disposing what it returns stops the source; the subscribers are
    /// not told.
    func connect() -> any Disposable
}

/// A stream that waits for `connect()` before it starts its source, once for all of its subscribers.
// Sound: it adds no property.
public class ConnectableObservable<Element: Sendable>: Observable<Element>, ConnectableObservableType,
    @unchecked Sendable
{
    @usableFromInline
    override init() {
        super.init()
    }

    public func connect() -> any Disposable {
        Disposables.create()
    }

    /// The same stream, connected while anybody is subscribed.
    func counted() -> Observable<Element> {
        self
    }
}

extension ObservableType {
    /// One subscription to the source for all subscribers, made by `connect()`. They get what arrives while they are
    /// subscribed; after its end the next connection starts afresh. Nothing is buffered.
    @inlinable
    public consuming func publish() -> ConnectableObservable<Element> {
        multicast { PublishSubject() }
    }

    /// The same as `publish`, with the last `bufferSize` values of a connection kept for those that come later.
    @inlinable
    public consuming func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        multicast { ReplaySubject.create(bufferSize: bufferSize) }
    }

    /// The same as `publish`, with all values of a connection kept for those that come later, without bound.
    @inlinable
    public consuming func replayAll() -> ConnectableObservable<Element> {
        multicast { ReplaySubject.createUnbounded() }
    }

    /// `connect()` sends the source to `subject`, which is what the subscribers are subscribed to. Once it has ended, they
    /// and those that come later get from it what it sends after its end; a further connection sends it nothing.
    @inlinable
    public consuming func multicast<Subject: SubjectType>(_ subject: Subject)
        -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element
    {
        Multicast(asObservable()) { subject }
    }

    /// `connect()` sends the source to a subject that `makeSubject` makes for each connection, or for the first subscriber
    /// that waits for it. When several threads need the first one at once, it may be called by each; one of what they
    /// made is used.
    @inlinable
    @preconcurrency
    public consuming func multicast<Subject: SubjectType>(makeSubject: @escaping @Sendable () -> Subject)
        -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element
    {
        Multicast(asObservable(), makeSubject)
    }
}

/// A subject and its two sides, by reference.
final class Hub<Subject: SubjectType>: Sendable {
    let subject: Subject
    let observer: Subject.Observer

    init(_ subject: Subject) {
        self.subject = subject
        observer = subject.asObserver()
    }
}

/// The description that all subscribers share; it is never copied.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Multicast<Subject: SubjectType>: ConnectableObservable<Subject.Element>, @unchecked Sendable {
    private struct State {
        /// What those subscribe to who come now: the connection's, or that of the next one.
        var hub: Hub<Subject>?
        var connection: MulticastConnection<Subject>?
    }

    private let source: Observable<Subject.Observer.Element>
    private let makeSubject: @Sendable () -> Subject
    private let state = CrowdLock(State())

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
        let stream = hub().subject.asObservable()
        (consume stream).run(consume port)
    }

    override func connect() -> any Disposable {
        let (connection, isNew) = join(as: 0)
        if isNew { start(connection) }
        return connection
    }

    override func counted() -> Observable<Subject.Element> {
        MulticastCount(self)
    }

    private func hub() -> Hub<Subject> {
        if let hub = state.withLock({ $0.hub }) { return hub }
        let made = Hub(makeSubject())
        return state.withLock { state in
            let hub = state.hub ?? made
            state.hub = hub
            return hub
        }
    }

    /// The connection there is, or a new one for the caller to start, with so many subscribers more.
    func join(as subscribers: Int) -> (MulticastConnection<Subject>, isNew: Bool) {
        while true {
            let hub = hub()
            let joined: (MulticastConnection<Subject>, Bool)? = state.withLock { state in
                if let connection = state.connection {
                    connection.subscribers += subscribers
                    return (connection, false)
                }
                // Another thread's connection came and went meanwhile.
                guard state.hub === hub else { return nil }
                let connection = MulticastConnection(self, hub)
                connection.subscribers = subscribers
                state.connection = connection
                return (connection, true)
            }
            if let joined { return joined }
        }
    }

    func start(_ connection: MulticastConnection<Subject>) {
        if !connection.upstream.isClosed { startStream(source, Downstream(connection)) }
    }

    /// One subscriber less. Whether it was the last one, so that the connection is to be stopped.
    fileprivate func leave(_ connection: MulticastConnection<Subject>) -> Bool {
        state.withLock { state in
            guard state.connection === connection else { return false }
            connection.subscribers -= 1
            guard connection.subscribers == 0 else { return false }
            state = State()
            return true
        }
    }

    /// Who subscribes or connects from now on has nothing to do with `connection`.
    fileprivate func forget(_ connection: MulticastConnection<Subject>) {
        state.withLock { state in
            if state.connection === connection { state = State() }
        }
    }
}

/// The one subscription to the source.
// Sound: the lock of its stream guards `subscribers`.
final class MulticastConnection<Subject: SubjectType>: InnerStep<Subject.Observer.Element>, Disposable,
    SubscriberCount, @unchecked Sendable
{
    let hub: Hub<Subject>
    private let multicast: Multicast<Subject>
    // Guarded by the multicast's lock.
    fileprivate var subscribers = 0

    init(_ multicast: Multicast<Subject>, _ hub: Hub<Subject>) {
        self.multicast = multicast
        self.hub = hub
        super.init()
    }

    override func next(_ value: Subject.Observer.Element) {
        if !upstream.isClosed { hub.observer.onNext(value) }
    }

    override func failed(_ error: any Error) {
        multicast.forget(self)
        hub.observer.onError(error)
    }

    override func finished() {
        multicast.forget(self)
        hub.observer.onCompleted()
    }

    func dispose() {
        multicast.forget(self)
        upstream.closeAndStop()
    }

    func leave(_ step: Link) {
        // Also one whose end is being passed on: who subscribes because of it starts the source anew, and alone.
        if multicast.leave(self) || upstream.isClosed { upstream.closeAndStop() }
    }
}
