/// A stream that starts once the starts in progress on this thread have returned. It then stays in the chain, unless that
/// got shorter meanwhile.
// Sound: only the thread that starts it touches `source`.
final class PostponedStart<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private var source: Observable<Element>?
    /// Where it starts, whoever runs the waiting work.
    private let context = SubscriberContexts.running
    private let isStarted = RelaxedAtomic(false)

    static func enqueue(
        _ source: consuming Observable<Element>, _ port: consuming Downstream<Element>
    ) {
        let start = PostponedStart<Element>(nil)
        start.source = source
        start.down.takeStep(of: port)
        start.down.attach(start)
        Trampoline.current.enqueue(start)
    }

    deinit {
        Link.free(down.takeLink())
    }

    /// Starts `source` in the place of an operator of another type.
    static func startNow(_ source: consuming Observable<Element>, _ port: consuming Downstream<Element>) {
        var port = port
        if port.skip(nil) { return startStream(source, port) }
        let start = PostponedStart<Element>(nil)
        start.down.takeStep(of: port)
        start.down.attach(start)
        guard !start.upstream.isClosed else { return }
        start.isStarted.set(true)
        startStream(source, Downstream(start))
    }

    override func resume() {
        guard let source = source.take(), !upstream.isClosed else { return }
        isStarted.set(true)
        if SubscriberContexts.areUsed {
            SubscriberContexts.run(in: context) { startLast(source, Downstream(self)) }
        } else {
            startLast(source, Downstream(self))
        }
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        finish(with: value)
    }

    override func skipped(by sender: Link?) -> Link? {
        leaveChain(isStarted.value, sender)
    }
}
