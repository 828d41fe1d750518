import Locking

/// How long `share` keeps values for later subscribers.
public enum SubjectLifetimeScope: Sendable {
    /// Until the last subscriber leaves or the source ends. The next subscriber then subscribes to the source
    /// again.
    case whileConnected
    /// A later subscriber first receives the kept values and then, if the source has ended, its terminal
    /// event.
    case forever
}

extension ValueStreamType {
    /// Shares one subscription to the source while there are subscribers, and replays the last `replay`
    /// values to later ones. A negative `replay` fails with `RxError.argumentOutOfRange`.
    @inlinable
    public consuming func share(
        replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
    ) -> DerivedStream {
        guard replay >= 0 else { return Self.derived(from: .error(RxError.argumentOutOfRange)) }
        return Self.derived(from: Share(asObservable(), replay, scope, nil))
    }

    /// Shares one subscription to the source and replays only values younger than `timeToLive`.
    ///
    /// While the source runs, a new subscriber joins its connection, even if nothing is left to replay. With
    /// `.forever`, a subscriber after the end receives the kept values and the terminal event while one value
    /// is young enough or, without kept values, until `timeToLive` after the end. A later subscriber starts
    /// the source again. So this makes a request at most once a minute:
    ///
    ///     call.asObservable()
    ///         .share(replay: 1, scope: .forever, timeToLive: .seconds(60), scheduler: scheduler)
    ///
    /// Ages are measured with the clock of `scheduler`, and no timer is set. Expired values are freed when
    /// the next subscriber or value arrives.
    @inlinable
    public consuming func share(
        replay: Int, scope: SubjectLifetimeScope = .whileConnected, timeToLive: RxTimeInterval,
        scheduler: any SchedulerType
    ) -> DerivedStream {
        guard replay >= 0 else { return Self.derived(from: .error(RxError.argumentOutOfRange)) }
        return Self.derived(from: Share(asObservable(), replay, scope, (timeToLive, scheduler)))
    }
}

/// Declared outside the generic class, where using it would look up metadata. For the same reason the links
/// are untyped.
// Sound: each is set to an object of the class in its comment. The casts are unchecked for the rows "share, a
// first subscription" and "share, a further subscription" of RxBench.
private struct ShareState {
    /// The `ReplaySubject` that subscribers join. With `.forever` it outlives connections.
    var subject: Link?
    /// The current `Connection`.
    var connection: Link?
    /// The number of subscribers of the connection.
    var count = 0
}

/// Shared by all subscribers and never copied.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Share<Element: Sendable>: Observable<Element>, SubjectHost, @unchecked Sendable {
    private let source: Observable<Element>
    private let replay: Int
    private let scope: SubjectLifetimeScope
    private let lifetime: ReplayLifetime?
    private let context = SharedContext()
    private let state = AdaptiveLock(ShareState())

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
        if let refusal = share.context.refusal { return port.error(refusal) }
        let (subject, connection, isFirst) = share.join()
        let link = ShareLink<Element>(share, connection, port)
        // Subscribe before the source starts, so that no event is missed. A first subscriber that has already
        // left still starts the source, because others may have joined meanwhile.
        if link.open() { unsafeDowncast(subject, to: ReplaySubject<Element>.self).add(link) }
        guard isFirst, let connection else { return }
        let step = unsafeDowncast(connection, to: Connection<Element>.self)
        if !step.upstream.isClosed { share.context.start(share.source, step) }
    }

    /// Returns the subject, the connection unless it has ended, and whether the caller has to start the
    /// connection.
    private func join() -> (subject: Link, connection: Link?, isFirst: Bool) {
        let now = lifetime?.now
        // Released outside the lock, because releasing it may call back into this object.
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
            // After the end, `.forever` only replays.
            if subject.hasEnded { return (subject, nil, false) }
            let connection = Connection(self, subject)
            state.connection = connection
            state.count = 1
            return (subject, connection, true)
        }
    }

    func leave(_ link: Link) {
        var stops = DisposalStack()
        leave(link, &stops)
        stops.run()
    }

    func leave(_ link: Link, _ stops: inout DisposalStack) {
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
            // A connection that is delivering its end is stopped: a subscriber that reacts by subscribing
            // again starts the source again, and the two must not overlap.
            if connection.upstream.isClosed { connection.stop(&stops) }
        } else if let subject {
            unsafeDowncast(subject, to: ReplaySubject<Element>.self).leave(link)
        }
        connection?.stop(&stops)
    }

    /// Passes the end of the connection's source to the subject, by calling `end`.
    fileprivate func ended(_ connection: Connection<Element>, _ end: (ReplaySubject<Element>) -> Void) {
        switch scope {
        case .whileConnected:
            // Forget first: later subscribers, even in reaction to the end, start the source again.
            forget(connection)
            end(connection.subject)
        case .forever:
            // Forget last: subscribers that arrive before the subject has ended still belong to this
            // connection.
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

/// The shared subscription to the source.
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

// Sound: it adds only constants.
private final class ShareLink<Element: Sendable>: ReplayLink<Element>, @unchecked Sendable {
    /// The `Connection` it joined.
    let connection: Link?

    init(_ share: Share<Element>, _ connection: Link?, _ down: consuming Downstream<Element>) {
        self.connection = connection
        super.init(share, down)
    }
}
