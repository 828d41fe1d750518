extension ObservableType {
    /// Subscribes again whenever the stream fails.
    @inlinable
    public consuming func retry() -> Observable<Element> {
        Observable.retry(asObservable(), attempts: .max)
    }

    /// Subscribes again when the stream fails, `maxAttemptCount` times in all; the last error passes. With 0 it completes
    /// without subscribing; a negative count is `RxError.argumentOutOfRange`.
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
        if attempts <= mostAbsorbedAttempts {
            // Uniqueness is asked through the non-generic root: no metadata is looked up for it.
            var link: Link = consume source
            let isAlone = isKnownUniquelyReferenced(&link)
            let source = unsafeDowncast(consume link, to: Observable<Element>.self)
            if isAlone, source.absorb(attempts: attempts) { return source }
            return Retry(source, attempts: attempts)
        }
        return Retry(source, attempts: attempts)
    }
}

/// Runs its source until it does not fail, in a loop: a source that fails at once uses no stack.
// Sound: `repeated` is written before the source runs.
@usableFromInline
final class Retry<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let attempts: Int
    private let starts = RerunLoop()
    // Sound: written in `begin` before the source runs, read by whoever runs the starts.
    private var repeated: Observable<Element>?
    private let left: RelaxedAtomic<Int>

    @usableFromInline
    init(_ source: consuming Observable<Element>?, attempts: Int) {
        self.attempts = attempts
        left = RelaxedAtomic(attempts)
        super.init(source)
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
            startStream(repeated, Downstream(self))
        }
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        finish(with: value)
    }

    override func error(_ error: any Error) {
        guard left.value > 1 else { return super.error(error) }
        if left.value < .max { left.value -= 1 }
        // The failed attempt is over before the next one starts.
        upstream.clear()
        start()
    }
}
