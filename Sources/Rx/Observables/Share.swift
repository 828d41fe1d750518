import Locking

/// How long the values that `share` keeps for later subscribers live.
public enum SubjectLifetimeScope: Sendable {
    /// As long as somebody is subscribed. Afterwards, and after the end, a subscriber starts the source anew.
    case whileConnected
    /// For ever: a later subscriber first gets the values kept, and after the end only those and the end.
    case forever
}

extension ObservableType {
    /// One subscription to the source for all subscribers, from the first to the last one. `replay` values are kept for those
    /// that come later; a negative number of them is `RxError.argumentOutOfRange`.
    @inlinable
    public consuming func share(
        replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
    ) -> Observable<Element> {
        guard replay >= 0 else { return .error(RxError.argumentOutOfRange) }
        return Share(asObservable(), replay, scope, nil)
    }

    /// The same, with values that get too old: one that came `timeToLive` ago or longer is not replayed.
    ///
    /// While the source runs, who comes joins its connection, whatever there is to replay. `.forever`, after the end: as
    /// long as a value is kept that is not too old (without any, until `timeToLive` after the end) who comes gets that and
    /// the end; after that the next one starts the source anew, with nothing replayed. So a call is made at most once in that
    /// time: `call.asObservable().share(replay: 1, scope: .forever, timeToLive: .seconds(60), scheduler: scheduler)`.
    ///
    /// Ages are of `scheduler`'s clock, and no timer is set: what is too old is let go of when the next subscriber comes, or
    /// the value that takes its place.
    @inlinable
    public consuming func share(
        replay: Int, scope: SubjectLifetimeScope = .whileConnected, timeToLive: RxTimeInterval,
        scheduler: any SchedulerType
    ) -> Observable<Element> {
        guard replay >= 0 else { return .error(RxError.argumentOutOfRange) }
        return Share(asObservable(), replay, scope, (timeToLive, scheduler))
    }
}

extension InfallibleType {
    /// One subscription to the source for all subscribers. `replay` values are kept for those that come later, each for
    /// `timeToLive`.
    @inlinable
    public consuming func share(
        replay: Int, scope: SubjectLifetimeScope = .whileConnected, timeToLive: RxTimeInterval,
        scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible<Element>(
            raw: asObservable().share(
                replay: replay, scope: scope, timeToLive: timeToLive, scheduler: scheduler))
    }
}

/// Outside of the generic class, where using it would look up metadata; hence the links without their types.
private struct ShareState {
    /// What the subscribers of the connection are subscribed to, a `ReplaySubject`. With `.forever` it outlives connections.
    var subject: Link?
    /// A `Connection`.
    var connection: Link?
    /// The subscribers of the connection.
    var count = 0
}

/// The description that all subscribers share; it is never copied.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Share<Element: Sendable>: Observable<Element>, SubjectHost, @unchecked Sendable {
    private let source: Observable<Element>
    private let replay: Int
    private let scope: SubjectLifetimeScope
    private let lifetime: ReplayLifetime?
    private let state = CrowdLock(ShareState())

    @usableFromInline
    init(
        _ source: consuming Observable<Element>, _ replay: Int, _ scope: SubjectLifetimeScope,
        _ lifetime: (RxTimeInterval, any SchedulerType)?
    ) {
        self.source = source
        self.replay = replay
        self.scope = scope
        self.lifetime = lifetime.map { ReplayLifetime($0.0, $0.1) }
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        let share = self
        let (subject, connection, isFirst) = share.join()
        let link = ShareLink<Element>(share, connection, port)
        // The subscriber is there before the source starts, so that it misses nothing. One that has left meanwhile still starts
        // it for those who came in between.
        if link.open() { unsafeDowncast(subject, to: ReplaySubject<Element>.self).add(link) }
        guard isFirst, let connection else { return }
        let step = unsafeDowncast(connection, to: Connection<Element>.self)
        if !step.upstream.isClosed { startStream(share.source, Downstream(step)) }
    }

    /// The subject, the connection unless that has ended, and whether the caller is to start it.
    private func join() -> (subject: Link, connection: Link?, isFirst: Bool) {
        let now = lifetime?.now
        // Outside of the lock: what goes with it may come back here.
        var expired: Link?
        defer { withExtendedLifetime(expired) {} }
        return state.withLock { state in
            if let now, state.connection == nil, let old = state.subject {
                if unsafeDowncast(old, to: ReplaySubject<Element>.self).hasExpired(at: now) {
                    expired = old
                    state.subject = nil
                }
            }
            let subject: ReplaySubject<Element>
            if let there = state.subject {
                subject = unsafeDowncast(there, to: ReplaySubject<Element>.self)
            } else {
                subject = .create(bufferSize: replay, lifetime: lifetime)
                state.subject = subject
            }
            if let connection = state.connection {
                state.count += 1
                return (subject, connection, false)
            }
            // After the end of a `.forever` there are only the replay and the end.
            if subject.hasEnded { return (subject, nil, false) }
            let connection = Connection(self, subject)
            state.connection = connection
            state.count = 1
            return (subject, connection, true)
        }
    }

    func leave(_ link: Link) {
        let mine = unsafeDowncast(link, to: ShareLink<Element>.self).connection
        let (subject, connection): (Link?, Link?) = state.withLock { state in
            let subject = state.subject
            guard let connection = state.connection, connection === mine else { return (subject, nil) }
            state.count -= 1
            guard state.count == 0 else { return (subject, nil) }
            state.connection = nil
            if scope == .whileConnected { state.subject = nil }
            return (subject, connection)
        }
        if let mine {
            let connection = unsafeDowncast(mine, to: Connection<Element>.self)
            connection.subject.leave(link)
            // Its end is being passed on: who subscribes because of it starts the source anew, and alone.
            if connection.upstream.isClosed { connection.stop() }
        } else if let subject {
            unsafeDowncast(subject, to: ReplaySubject<Element>.self).leave(link)
        }
        connection?.stop()
    }

    /// The connection's source ended, as `end` tells the subject.
    fileprivate func ended(_ connection: Connection<Element>, _ end: (ReplaySubject<Element>) -> Void) {
        switch scope {
        case .whileConnected:
            // Who subscribes from now on, also because of the end, starts the source anew.
            forget(connection)
            end(connection.subject)
        case .forever:
            // Who subscribes before the subject has ended still belongs to this connection.
            end(connection.subject)
            forget(connection)
        }
    }

    private func forget(_ connection: Connection<Element>) {
        state.withLock { state in
            guard state.connection === connection else { return }
            state.connection = nil
            state.count = 0
            if scope == .whileConnected { state.subject = nil }
        }
    }
}

/// The one subscription to the source.
// Sound: it adds only constants.
private final class Connection<Element: Sendable>: InnerStep<Element>, @unchecked Sendable {
    let subject: ReplaySubject<Element>
    private let share: Share<Element>

    init(_ share: Share<Element>, _ subject: ReplaySubject<Element>) {
        self.share = share
        self.subject = subject
        super.init()
    }

    override func next(_ value: Element) {
        if !upstream.isClosed { subject.onNext(value) }
    }

    override func failed(_ error: any Error) {
        share.ended(self) { $0.onError(error) }
    }

    override func finished() {
        share.ended(self) { $0.onCompleted() }
    }
}

/// One subscriber of a shared stream.
// Sound: it adds only constants.
private final class ShareLink<Element: Sendable>: ReplayLink<Element>, @unchecked Sendable {
    /// The `Connection` it came for.
    let connection: Link?

    init(_ share: Share<Element>, _ connection: Link?, _ down: consuming Downstream<Element>) {
        self.connection = connection
        super.init(share, down)
    }
}
