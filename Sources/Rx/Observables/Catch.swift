extension ObservableType {
    /// Continues with the stream that `handler` returns when the source fails. An error of that second
    /// stream, or an error thrown by `handler`, ends the stream.
    @inlinable
    @preconcurrency
    public consuming func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        Catch(asObservable(), handler)
    }

    /// Emits `element` and completes when the source fails.
    @inlinable
    public consuming func catchAndReturn(_ element: Element) -> Observable<Element> {
        Catch(asObservable()) { _ in .just(element) }
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Catch<Element: Sendable>: Operator<Element, Element>, @unchecked Sendable {
    private let handler: @Sendable (any Error) throws -> Observable<Element>
    private let hasCaught = RelaxedAtomic(false)

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?,
        _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
    ) {
        self.handler = handler
        super.init(source)
    }

    @inline(__always)
    deinit {
        if hasCaught.value { freeBelow() }
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, handler)
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        down.last(value)
    }

    override func error(_ error: any Error) {
        guard !hasCaught.value else { return down.error(error) }
        hasCaught.set(true)
        do {
            let other = try handler(error)
            // The new source takes the old one's place downstream. The old one is released after its event
            // returns, or stopped if a closure threw.
            var below = down.share()
            if below.skip(nil) { startStream(other, below) } else { startStream(other, Downstream(self)) }
        } catch {
            down.error(error)
        }
    }

    override func skipped(by sender: Link?) -> Link? {
        hasCaught.value ? down.link : nil
    }
}
