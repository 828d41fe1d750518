import Locking
import Synchronization

extension ObservableType {
    /// Mirrors whichever of this stream and `right` emits an event first, even a terminal one. The other is disposed.
    @inlinable
    public consuming func amb<Source: ObservableType>(
        _ right: Source
    ) -> Observable<Element> where Source.Element == Element {
        Amb([asObservable(), right.asObservable()])
    }

    /// Mirrors whichever stream emits an event first, even a terminal one. The others are disposed, or never subscribed
    /// to if it emits during its subscription. An empty sequence never emits or ends.
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
            startStream(source, Downstream(inner))
            // Another thread may have picked a winner while this source was being added.
            let winner = winner.load(ordering: .acquiring)
            if winner != -1, winner != number { inner.stop() }
        }
    }

    override func cancel() {
        inners.closeAndStop()
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
