import Locking
import Synchronization

extension ObservableType {
    /// This stream or `right`: whichever sends anything first, be it its end. The other one is disposed.
    @inlinable
    public consuming func amb<Source: ObservableType>(
        _ right: Source
    ) -> Observable<Element> where Source.Element == Element {
        Amb([asObservable(), right.asObservable()])
    }

    /// Of all streams the one that sends anything first, be it its end. The others are disposed; those behind one that
    /// sends as it is subscribed to are not subscribed to. None of none: it never ends.
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
    /// Which source sent first; -1 as long as none did.
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
            startStream(source, Downstream(inner))
            // Another thread may have decided it while this one was added.
            let winner = winner.load(ordering: .acquiring)
            if winner != -1, winner != number { inner.stop() }
        }
    }

    override func cancel() {
        inners.closeAndStop()
    }

    /// Whether `inner` may send: it is the first, or was.
    fileprivate func mayPass(_ inner: AmbInner<Element>) -> Bool {
        let (exchanged, original) = winner.compareExchange(
            expected: -1, desired: inner.number, ordering: .acquiringAndReleasing)
        if exchanged { inners.stopAll(but: inner) }
        return exchanged || original == inner.number
    }
}

// Sound: it adds only constants.
private final class AmbInner<Element: Sendable>: InnerStep<Element>, @unchecked Sendable {
    private let parent: Amb<Element>
    let number: Int

    init(_ parent: Amb<Element>, _ number: Int) {
        self.parent = parent
        self.number = number
        super.init()
    }

    override func next(_ value: Element) {
        if !upstream.isClosed, parent.mayPass(self) { parent.onNext(value) }
    }

    override func failed(_ error: any Error) {
        if parent.mayPass(self) { parent.onError(error) }
    }

    override func finished() {
        if parent.mayPass(self) { parent.onCompleted() }
    }
}
