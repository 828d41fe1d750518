import Synchronization

/// An operator that emits streams of its source's values. The source stays subscribed while the operator or
/// any of these streams has a subscriber.
protocol SourceOwner: Link {
    /// Puts the source on `stops`, after the last subscription has ended.
    func stopSource(_ stops: inout DisposalStack)
}

/// Counts the subscriptions that need a source: the outer one from the start, and each inner one. Retains the
/// operator until the count reaches 0. A stream kept beyond that retains nothing else.
final class SourceRetainCount: Sendable {
    private let count = Atomic<Int>(1)
    private let owner = LinkSlot()

    /// Sets the operator that owns the source, before the first call of `release()`.
    func begin(_ owner: any SourceOwner) {
        self.owner.set(RetainedSource(owner))
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

    /// Removes a subscription. The last one puts the source on `stops`.
    func release(_ stops: inout DisposalStack) {
        if count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { owner.close(&stops) }
    }
}

// Sound: it adds only constants.
private final class RetainedSource: Link, @unchecked Sendable {
    private let owner: any SourceOwner

    init(_ owner: any SourceOwner) {
        self.owner = owner
        super.init()
    }

    override func stop(_ stops: inout DisposalStack) {
        owner.stopSource(&stops)
    }
}

/// A stream that keeps its operator's source subscribed while it has subscribers.
// Sound: it adds only constants, locks and atomics.
final class SourceRetainingStream<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable
{
    private let stream: PublishSubject<Element>
    private let sourceRetains: SourceRetainCount
    private let isRetaining = RelaxedAtomic(false)

    init(_ stream: PublishSubject<Element>, _ sourceRetains: SourceRetainCount) {
        self.stream = stream
        self.sourceRetains = sourceRetains
        super.init(stream)
    }

    override func copy() -> Operator<Element, Element> {
        SourceRetainingStream(stream, sourceRetains)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        isRetaining.set(sourceRetains.retain())
        super.begin(source)
    }

    override func next(_ value: Element) {
        if !upstream.isClosed { down.next(value) }
    }

    override func stop(_ stops: inout DisposalStack) {
        guard let source = upstream.close() else { return }
        if isRetaining.value { sourceRetains.release(&stops) }
        source.stop(&stops)
    }
}
