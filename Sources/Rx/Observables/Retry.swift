extension ObservableType {
    /// Subscribes to the source again whenever it fails, without a limit.
    @inlinable
    public consuming func retry() -> Observable<Element> {
        Observable.retry(asObservable(), attempts: .max)
    }

    /// Subscribes to the source again when it fails, up to `maxAttemptCount` attempts in total, and passes on the last
    /// error. With 0 it completes without subscribing. A negative count fails with `RxError.argumentOutOfRange`.
    @inlinable
    public consuming func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        Observable.retry(asObservable(), attempts: maxAttemptCount)
    }
}

extension Observable {
    @usableFromInline
    static func retry(
        _ source: consuming Observable<Element>, attempts: Int
    ) -> Observable<Element> {
        guard attempts > 0 else { return attempts == 0 ? .empty() : .error(RxError.argumentOutOfRange) }
        if attempts <= maximumFusedAttempts {
            // Checking uniqueness through the non-generic root looks up no metadata.
            var link: Link = consume source
            let isAlone = isKnownUniquelyReferenced(&link)
            let source = unsafeDowncast(consume link, to: Observable<Element>.self)
            if isAlone, source.fuseRetry(attempts: attempts) { return source }
            return Retry(source, attempts: attempts)
        }
        return Retry(source, attempts: attempts)
    }
}

/// Repeats its source while it fails, in a loop, so a source that fails synchronously does not recurse.
// Sound: `repeated` is written before the source runs.
@usableFromInline
final class Retry<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let attempts: Int
    private let starts = RerunLoop()
    private var repeated: Observable<Element>?
    private let left: RelaxedAtomic<Int>
    /// Whether the last attempt has started.
    private let isLast = RelaxedAtomic(false)

    @usableFromInline
    init(_ source: consuming Observable<Element>?, attempts: Int) {
        self.attempts = attempts
        left = RelaxedAtomic(attempts)
        super.init(source)
    }

    deinit {
        Link.free(down.takeLink())
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, attempts: attempts)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.repeated = source
        me.down.attach(me)
        me.start()
    }

    private func start() {
        starts.run {
            guard !upstream.isClosed, let repeated else { return }
            guard left.value == 1 else { return startStream(repeated, Downstream(self)) }
            isLast.set(true)
            startLast(repeated, Downstream(self))
        }
    }

    override func skipped(by sender: Link?) -> Link? {
        leaveChain(isLast.value, sender)
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        finish(with: value)
    }

    override func error(_ error: any Error) {
        guard left.value > 1 else { return super.error(error) }
        if left.value < .max { left.set(left.value - 1) }
        // Dispose the failed attempt before the next one starts.
        upstream.clear()
        start()
    }
}
