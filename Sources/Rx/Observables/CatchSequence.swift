import Locking

extension ObservableType {
    /// Subscribes to the next source whenever one fails, until one completes. The last source's error is
    /// passed on. An empty sequence completes. The iterator advances only when the next source is needed.
    @inlinable
    public static func `catch`<Sources: Sequence & Sendable>(
        sequence: Sources
    ) -> Observable<Element> where Sources.Element == Observable<Element> {
        CatchSequence {
            var iterator = sequence.makeIterator()
            return ConcatParts(next: { iterator.next() }, remaining: nil)
        }
    }

    /// Subscribes to the next source whenever one fails, until one completes. The last source's error is
    /// passed on. An empty collection completes.
    @inlinable
    public static func `catch`<Sources: Collection & Sendable>(
        sequence: Sources
    ) -> Observable<Element> where Sources.Element == Observable<Element> {
        CatchSequence {
            var iterator = sequence.makeIterator()
            return ConcatParts(next: { iterator.next() }, remaining: sequence.count)
        }
    }
}

// Sound: only the caller that runs the start loop touches `parts`.
@usableFromInline
final class CatchSequence<Element: Sendable>: StartingOperator<Element>, @unchecked Sendable {
    private let makeParts: @Sendable () -> ConcatParts<Element>
    private let starts = RerunLoop()
    private var parts: ConcatParts<Element>?
    private let lastError = Lock<(any Error)?>(nil)

    @usableFromInline
    init(_ makeParts: @escaping @Sendable () -> ConcatParts<Element>) {
        self.makeParts = makeParts
        super.init(.never())
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(makeParts)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.down.attach(me)
        me.parts = me.makeParts()
        me.start()
    }

    private func start() {
        starts.run {
            guard !upstream.isClosed else { return }
            guard let source = parts?.next() else {
                if let error = lastError.withLock({ $0 }) { super.error(error) } else { super.completed() }
                return
            }
            start(source, isLast: parts?.remaining == 0)
        }
    }

    override func error(_ error: any Error) {
        guard !upstream.isClosed else { return }
        upstream.clear()
        lastError.withLock { $0 = error }
        start()
    }
}
