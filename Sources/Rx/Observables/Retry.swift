extension ObservableType {
    /// Subscribes to the source again whenever it fails, without a limit.
    @inlinable
    public consuming func retry() -> Observable<Element> {
        Observable.retry(asObservable(), attempts: .max)
    }

    /// Subscribes to the source again when it fails, up to `maxAttemptCount` attempts in total, and passes on
    /// the last error. With 0 it completes without subscribing. A negative count fails with
    /// `RxError.argumentOutOfRange`.
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
            // Sound: it is this object.
            // Unchecked for the row "charts pipeline, built for each request" of RxBench.
            let source = unsafeDowncast(consume link, to: Observable<Element>.self)
            if isAlone, source.fuseRetry(attempts: attempts) { return source }
            return Retry(source, attempts: attempts)
        }
        return Retry(source, attempts: attempts)
    }
}

/// Repeats its source while it fails, in a loop, so a source that fails synchronously does not recurse.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Retry<Element: Sendable>: StartingOperator<Element>, @unchecked Sendable {
    private let attempts: Int
    private let starts = RerunLoop()
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

    override func sourceKept() {
        starts.run { startKept(isLast: left.value == 1) }
    }

    override func last(_ value: Element) {
        finish(with: value)
    }

    override func error(_ error: any Error) {
        guard left.value > 1 else { return super.error(error) }
        if left.value < .max { left.set(left.value - 1) }
        // Dispose the failed attempt before the next one starts.
        upstream.clear()
        sourceKept()
    }
}
