extension ValueStreamType {
    /// Emits values until `other` emits one, then completes. The completion of `other` changes nothing; its
    /// error ends the stream.
    @inlinable
    public consuming func take<Source: ObservableConvertibleType>(until other: Source) -> DerivedStream {
        Self.derived(from: TakeUntil(asObservable(), Notifier(other.asObservable())))
    }
}

// Sound: it adds only constants.
@usableFromInline
final class TakeUntil<Element: Sendable>: NotifiedOperator<Element, Element>, @unchecked Sendable {
    @usableFromInline
    override init(_ source: consuming Observable<Element>?, _ notifier: Notifier) {
        super.init(source, notifier)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, notifier)
    }

    /// Starts `other` first. If it emits synchronously, the source is not subscribed to.
    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.down.attach(me)
        me.startNotifier()
        guard !me.upstream.isClosed else { return }
        (consume source).run(Downstream(me))
    }

    override func received(_ value: Element) {
        down.next(value)
    }

    override func notifierFired() {
        completed()
    }
}
