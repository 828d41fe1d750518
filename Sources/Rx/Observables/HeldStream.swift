import Synchronization

/// An operator that emits streams of its source's values. The source stays subscribed while the operator or
/// any of these streams has a subscriber.
protocol SourceHolder: Link {
    /// Stops the source, after the last subscription has ended.
    func letGo()
}

/// Counts the subscriptions that need a source: the outer one from the start, and each inner one. Retains the operator
/// until the count reaches 0. A stream kept beyond that retains nothing else.
final class HoldCount: Sendable {
    private let count = Atomic<Int>(1)
    private let holder = LinkSlot()

    /// Sets the operator that owns the source, before the first call of `release()`.
    func begin(_ holder: any SourceHolder) {
        self.holder.set(HeldSource(holder))
    }

    /// Adds a subscription. Returns false if the count has reached 0.
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

    /// Removes a subscription. The last one stops the source.
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

/// A stream that keeps its operator's source subscribed while it has subscribers.
// Sound: `isHolding` is written before the source starts.
final class HeldStream<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let stream: PublishSubject<Element>
    private let holds: HoldCount
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
