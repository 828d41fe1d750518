/// A stream that starts once the starts in progress on this thread have returned. It then stays in the chain,
/// unless that got shorter meanwhile.
// Sound: it adds only constants.
final class PostponedStart<Element: Sendable>: StartingOperator<Element>, @unchecked Sendable {
    /// Where it starts, whoever runs the waiting work.
    private let context = SubscriberContexts.running

    static func enqueue(
        _ source: consuming Observable<Element>, _ port: consuming Downstream<Element>
    ) {
        let start = PostponedStart<Element>(nil)
        start.keep(source)
        start.down.takeStep(of: port)
        start.down.attach(start)
        Trampoline.current.enqueue(start)
    }

    /// Starts `source` in the place of an operator of another type.
    static func startNow(_ source: consuming Observable<Element>, _ port: consuming Downstream<Element>) {
        var port = port
        if port.skip(nil) { return startStream(source, port) }
        let start = PostponedStart<Element>(nil)
        start.down.takeStep(of: port)
        start.down.attach(start)
        if !start.upstream.isClosed { start.startInPlace(source) }
    }

    override func resume() {
        if SubscriberContexts.areUsed {
            SubscriberContexts.run(in: context) { startKept(isLast: true) }
        } else {
            startKept(isLast: true)
        }
    }

    override func last(_ value: Element) {
        finish(with: value)
    }
}
