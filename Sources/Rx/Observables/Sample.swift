extension ObservableType {
    /// Emits the latest value since the last sample, or else `defaultValue`, if given, each time `sampler`
    /// emits or completes. After the source completes, the stream completes at the next sample. An error of
    /// either ends it at once.
    @inlinable
    public consuming func sample<Source: ObservableType>(
        _ sampler: Source, defaultValue: Element? = nil
    ) -> Observable<Element> {
        Sample(asObservable(), Notifier(sampler.asObservable()), defaultValue)
    }
}

// Sound: only the gate's owner touches the mutable properties.
@usableFromInline
final class Sample<Element: Sendable>: NotifiedOperator<Element, Element>, @unchecked Sendable {
    private let defaultValue: Element?
    private var latest = ValueStorage<Element>()
    private var isOver = false

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ sampler: Notifier, _ defaultValue: Element?) {
        self.defaultValue = defaultValue
        super.init(source, sampler)
    }

    deinit {
        latest.destroy()
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, notifier, defaultValue)
    }

    override func received(_ value: Element) {
        if !isOver { latest.set(value) }
    }

    /// Completion waits for the next sample.
    override func sourceCompleted() {
        isOver = true
        upstream.clear()
    }

    override func notifierFired() {
        gate.run { self.tick() }
    }

    override func notifierCompleted() {
        notifierFired()
    }

    private func tick() {
        guard !upstream.isClosed else { return }
        if latest.isFull {
            let value = latest.value
            latest.clear()
            down.next(value)
        } else if let defaultValue {
            down.next(defaultValue)
        }
        if isOver { end() }
    }
}
