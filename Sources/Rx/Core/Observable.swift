import Locking

/// A stream of values in time: `next* (error | completed)?`, started by each subscription. The semantics are
/// RxSwift's. Any thread may emit and dispose. The events of one subscription do not overlap if subjects and
/// the observers of `create` are fed one event at a time.
// Sound: `down` is written once, before the first event.
open class Observable<Element: Sendable>: Link, ObservableType, @unchecked Sendable {
    /// The next step.
    // Unchecked for the row "six map+filter, an event" of RxBench.
    @exclusivity(unchecked)
    final var down = Downstream<Element>()

    @usableFromInline
    @inline(__always)
    override init() {
        super.init()
    }

    /// Starts the stream and sends its events to `observer`. Disposing of the result stops it.
    public final func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        Observable.subscribe(self, ObserverSubscriber(observer))
    }

    /// Returns the stream without its type.
    public final consuming func asObservable() -> Observable<Element> {
        self
    }

    /// Starts the stream towards `port`, with this object if it has no other owner, else with a copy. Before
    /// it returns, it attaches a link to `port` or sends a terminal event.
    consuming func run(_ port: consuming Downstream<Element>) {
        port.error(RxError.unknown)
    }

    /// Starts the stream for a receiver. Returns the link that stops it.
    consuming func run(for receiver: any SingleReceiver<Element>, number: Int) -> Link {
        let subscriber = NumberedSubscriber(receiver, number)
        run(Downstream(subscriber))
        return subscriber
    }

    /// Makes the source itself try `attempts` times in all, if it can. Called only if the source has no other
    /// owner.
    func fuseRetry(attempts: Int) -> Bool {
        false
    }

    /// Calls `body` with the value if the stream is a single known value, so that an operator needs no
    /// subscription for it.
    func withScalar(_ body: (Element) -> Void) -> Bool {
        false
    }

    /// The sources of a concatenation. An outer concatenation runs them itself instead of subscribing to this
    /// one.
    var concatenated: ConcatParts<Element>? { nil }

    override func unlink(_ others: inout [Link]) -> Link? {
        down.takeLink()
    }

    /// Frees the step below in a loop. Called by a step that is being freed.
    // Not inlined into the deinitializers of steps that rarely need it.
    @inline(never)
    final func freeBelow() {
        Link.free(down.takeLink())
    }

    @usableFromInline
    static func subscribe(
        _ source: consuming Observable<Element>, _ subscriber: consuming Subscriber<Element>
    ) -> any Disposable {
        startSubscription(source, Downstream(subscriber))
        return subscriber
    }

    @usableFromInline
    static func subscribe(
        _ source: consuming Observable<Element>, _ receiver: any SingleReceiver<Element>, _ number: Int
    ) -> Link {
        HeldLocks.assertNone()
        let trampoline = Trampoline.borrowed()
        let depth = trampoline._withUnsafeGuaranteedRef { $0.beginSubscription() }
        let link = (consume source).run(for: receiver, number: number)
        trampoline._withUnsafeGuaranteedRef { $0.endSubscription(depth) }
        return link
    }
}

/// `Observable` under a name that no other module uses.
public typealias RxObservable<Element: Sendable> = Observable<Element>

/// Starts `source` for a subscription that a program makes. It never waits.
// Not inlined, because that costs its callers further retains.
@inline(never)
private func startSubscription<Element: Sendable>(
    _ source: consuming Observable<Element>, _ port: consuming Downstream<Element>
) {
    HeldLocks.assertNone()
    let trampoline = Trampoline.borrowed()
    let depth = trampoline._withUnsafeGuaranteedRef { $0.beginSubscription() }
    (consume source).run(consume port)
    trampoline._withUnsafeGuaranteedRef { $0.endSubscription(depth) }
}

/// Starts `source` from an event or from a closure, so that synchronous sources inside it take turns. If too
/// many of these starts are nested, it starts after they have returned. A free function, because a static
/// method would look up the metadata of its class.
func startStream<Element: Sendable>(
    _ source: consuming Observable<Element>, _ port: consuming Downstream<Element>
) {
    HeldLocks.assertNone()
    let trampoline = Trampoline.borrowed()
    guard trampoline._withUnsafeGuaranteedRef({ $0.enter() }) else {
        return PostponedStart.enqueue(source, port)
    }
    (consume source).run(consume port)
    trampoline._withUnsafeGuaranteedRef { $0.leave() }
}

/// The same for a stream that is followed by something, which may depend on what the stream has emitted.
func startStream<Element: Sendable>(
    _ source: consuming Observable<Element>, _ port: consuming Downstream<Element>,
    before follower: Trampoline.Follower
) {
    let trampoline = Trampoline.current
    let outer = trampoline.allowStarts(before: follower)
    startStream(source, port)
    trampoline.restoreStarts(outer)
}
