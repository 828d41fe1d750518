import Locking

/// A stream of values in time: `next* (error | completed)?`, started by each subscription.
///
/// Semantics are RxSwift's. Any thread may emit and dispose. The events of one subscription do not
/// overlap, as long as what is fed by hand (a subject, the observer of `create`) is fed one event at a time.
// Sound: `down` is written once, before the first event.
open class Observable<Element: Sendable>: Link, ObservableType, @unchecked Sendable {
    /// Where the running step sends; written once, before its first event.
    final var down = Downstream<Element>()

    @usableFromInline
    @inline(__always)
    override init() {
        super.init()
    }

    public final func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        Observable.subscribe(self, ObserverSubscriber(observer))
    }

    public consuming func asObservable() -> Observable<Element> {
        self
    }

    /// Starts the stream towards `port`: with this object if nobody else holds it, else with a copy.
    ///
    /// It either attaches a link to `port` or sends a terminal event before it returns.
    consuming func run(_ port: consuming Downstream<Element>) {
        port.error(RxError.unknown)
    }

    /// Starts the stream for a receiver. Returns the link that stops it.
    consuming func run(for receiver: any SingleReceiver<Element>, number: Int) -> Link {
        let subscriber = NumberedSubscriber(receiver, number)
        run(Downstream(subscriber))
        return subscriber
    }

    /// Takes over being tried `attempts` times in all. Asked of an object that nobody else holds.
    func absorb(attempts: Int) -> Bool {
        false
    }

    /// Calls `body` with the value when the stream is just that, so that an operator needs no subscription for it.
    func withScalar(_ body: (Element) -> Void) -> Bool {
        false
    }

    /// The sources of a concatenation, which another one takes over instead of subscribing to it.
    var concatenated: ConcatParts<Element>? { nil }

    @usableFromInline
    static func subscribe(
        _ source: consuming Observable<Element>, _ subscriber: consuming Subscriber<Element>
    ) -> any Disposable {
        startStream(source, Downstream(subscriber))
        return subscriber
    }

    @usableFromInline
    static func subscribe(
        _ source: consuming Observable<Element>, _ receiver: any SingleReceiver<Element>, _ number: Int
    ) -> Link {
        HeldLocks.assertNone()
        let trampoline = Trampoline.current
        let outermost = trampoline.enter()
        let link = (consume source).run(for: receiver, number: number)
        if outermost { trampoline.drain() }
        return link
    }
}

/// `Observable` by a name that no other module uses.
public typealias RxObservable<Element: Sendable> = Observable<Element>

/// Starts `source` from outside or from an event, so that synchronous sources inside it run in turns.
///
/// A free function: a static method would look up the metadata of its class.
func startStream<Element: Sendable>(
    _ source: consuming Observable<Element>, _ port: consuming Downstream<Element>
) {
    HeldLocks.assertNone()
    let trampoline = Trampoline.current
    let outermost = trampoline.enter()
    (consume source).run(consume port)
    if outermost { trampoline.drain() }
}
