import Locking
import Synchronization

extension ObservableType {
    /// Mirrors whichever of this stream and `right` emits an event first, even a terminal one. The other is
    /// disposed.
    @inlinable
    public consuming func amb<Source: ObservableType>(
        _ right: Source
    ) -> Observable<Element> where Source.Element == Element {
        Amb([asObservable(), right.asObservable()])
    }

    /// Mirrors whichever stream emits an event first, even a terminal one. The others are disposed, or never
    /// subscribed to if it emits during its subscription. An empty sequence never emits or ends.
    @inlinable
    public static func amb<Sources: Sequence>(
        _ sequence: Sources
    ) -> Observable<Element> where Sources.Element == Observable<Element> {
        Amb(Array(sequence))
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Amb<Element: Sendable>: Emitter<Element>, @unchecked Sendable {
    private let sources: [Observable<Element>]
    /// Index of the source that emitted first, or -1 before that.
    private let winner = Atomic<Int>(-1)
    private let inners = InnerList()

    @usableFromInline
    init(_ sources: [Observable<Element>]) {
        self.sources = sources
        super.init()
    }

    override func copy() -> Emitter<Element> {
        type(of: self).init(sources)
    }

    override func begin() {
        for (number, source) in sources.enumerated() where winner.load(ordering: .acquiring) == -1 {
            let inner = AmbInner(self, number)
            guard inners.add(inner) else { return }
            startStream(source, Downstream(inner), before: .stream)
            // Another thread may have picked a winner while this source was being added.
            let winner = winner.load(ordering: .acquiring)
            if winner != -1, winner != number { inner.stop() }
        }
    }

    override func cancel() {
        var stops = DisposalStack()
        cancel(&stops)
        stops.run()
    }

    override func cancel(_ stops: inout DisposalStack) {
        inners.close(&stops)
    }

    /// Leaves the chain once `inner` has won, because only its events are left to pass on.
    fileprivate func skip(_ inner: AmbInner<Element>, _ sender: Link?) -> Link? {
        // This emitter retries an error, and a receiver is not a step.
        guard !isCopied, !hasReceiver, winner.load(ordering: .acquiring) == inner.number, close() else {
            return nil
        }
        _ = inners.close()
        inner.detach(sender)
        return down.link
    }

    /// Returns whether `inner` may emit: it is the winner, or becomes it now.
    fileprivate func mayPass(_ inner: AmbInner<Element>) -> Bool {
        let (exchanged, original) = winner.compareExchange(
            expected: -1, desired: inner.number, ordering: .acquiringAndReleasing)
        if exchanged { inners.stopAll(but: inner) }
        return exchanged || original == inner.number
    }
}

// Sound: it adds only constants.
private final class AmbInner<Element: Sendable>: ChildStep<Element>, @unchecked Sendable {
    let number: Int

    init(_ parent: Amb<Element>, _ number: Int) {
        self.number = number
        super.init(parent)
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        parent.use(as: Amb<Element>.self) { if $0.mayPass(self) { $0.onNext(value) } }
    }

    override func failed(_ error: any Error) {
        parent.use(as: Amb<Element>.self) { if $0.mayPass(self) { $0.onError(error) } }
    }

    override func finished() {
        parent.use(as: Amb<Element>.self) { if $0.mayPass(self) { $0.onCompleted() } }
    }

    override func skipped(by sender: Link?) -> Link? {
        parent.use(as: Amb<Element>.self) { $0.skip(self, sender) }
    }
}
