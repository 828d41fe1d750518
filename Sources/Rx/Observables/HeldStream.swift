import Synchronization

/// An operator that sends streams of its source's values: the source runs as long as somebody is subscribed to the operator
/// or to one of those.
protocol SourceHolder: Link {
    /// Nobody is left: stop the source.
    func letGo()
}

/// Counts those that need a source: the outer subscription, which it starts with, and each inner one.
///
/// It has the operator until the last of them has gone: a stream that somebody keeps beyond that keeps nothing else.
final class HoldCount: Sendable {
    private let count = Atomic<Int>(1)
    private let holder = LinkSlot()

    /// The operator whose source it is, before anybody can release it.
    func begin(_ holder: any SourceHolder) {
        self.holder.set(HeldSource(holder))
    }

    /// Whether the source still ran, and is now held once more.
    func retain() -> Bool {
        var current = count.load(ordering: .acquiring)
        while current > 0 {
            let (exchanged, original) = count.weakCompareExchange(
                expected: current, desired: current + 1, ordering: .acquiringAndReleasing)
            if exchanged { return true }
            current = original
        }
        return false
    }

    /// The last one lets the source go.
    func release() {
        if count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { holder.closeAndStop() }
    }
}

// Sound: it adds only constants.
private final class HeldSource: Link, @unchecked Sendable {
    private let holder: any SourceHolder

    init(_ holder: any SourceHolder) {
        self.holder = holder
        super.init()
    }

    override func stop() {
        holder.letGo()
    }
}

/// A stream whose subscriptions hold the source of the operator that sends it.
// Sound: `isHolding` is written before the source starts.
final class HeldStream<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let stream: PublishSubject<Element>
    private let holds: HoldCount
    /// Written before the subscription can end.
    private var isHolding = false

    init(_ stream: PublishSubject<Element>, _ holds: HoldCount) {
        self.stream = stream
        self.holds = holds
        super.init(stream)
    }

    override func copy() -> Operator<Element, Element> {
        HeldStream(stream, holds)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        isHolding = holds.retain()
        super.begin(source)
    }

    override func next(_ value: Element) {
        if !upstream.isClosed { down.next(value) }
    }

    override func stop() {
        if upstream.closeAndStop(), isHolding { holds.release() }
    }
}
