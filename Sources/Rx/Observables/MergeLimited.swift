import Locking
import Queues
import Synchronization

/// Merges the inner streams of a selector, a limited number at a time. Values wait until there is room for a
/// stream.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class MergeLimited<In: Sendable, Out: Sendable>: StatefulOperator<In, Out>,
    @unchecked Sendable
{
    private struct State {
        var waiting = Queue<In>()
        var active = 0
        var isOuterDone = false

        var isOver: Bool { isOuterDone && active == 0 && waiting.isEmpty }
        /// Whether one inner stream is left, whose events the operator only passes on.
        var hasLastStream: Bool { isOuterDone && active == 1 && waiting.isEmpty }

        mutating func next(_ limit: Int) -> In? {
            guard active < limit, let value = waiting.popFirst() else { return nil }
            active += 1
            return value
        }

        /// Claims a slot for a new value. Returns false if all slots are taken or older values are waiting.
        mutating func claimSlot(_ limit: Int) -> Bool {
            guard active < limit, waiting.isEmpty else { return false }
            active += 1
            return true
        }
    }

    private let selector: @Sendable (In) throws -> Observable<Out>
    private let limit: Int
    /// Stored, because naming the type for each value would look up its metadata.
    private let innerType: MergeLimitedInner<In, Out>.Type
    private let gate = SerialGate()
    private let inners = InnerList()
    private let state = Lock(State())
    /// Pending requests to drain the queue. The caller that raises it from 0 drains, so synchronous sources
    /// do not recurse.
    private let drainRequests = Atomic<Int>(0)

    @usableFromInline
    init(
        _ source: consuming Observable<In>?, _ limit: Int,
        _ selector: @escaping @Sendable (In) throws -> Observable<Out>,
        _ innerType: MergeLimitedInner<In, Out>.Type
    ) {
        self.limit = limit
        self.selector = selector
        self.innerType = innerType
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, limit, selector, innerType)
    }

    override func stop(_ stops: inout DisposalStack) {
        guard let source = upstream.close() else { return }
        inners.close(&stops)
        source.stop(&stops)
        drop()
    }

    /// Releases the waiting values outside the lock.
    private func drop() {
        _ = state.withLock { state in
            let old = state.waiting
            state.waiting = Queue()
            return old
        }
    }

    override func next(_ value: In) {
        guard !upstream.isClosed else { return }
        guard
            drainRequests.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged
        else {
            state.withLock { $0.waiting.append(value) }
            return requestDrain()
        }
        // No other caller is draining. Start at once if there is room and nothing waits.
        if state.withLock({ $0.claimSlot(limit) }) {
            guard start(value) else { return }
        } else {
            state.withLock { $0.waiting.append(value) }
        }
        drain()
    }

    private func requestDrain() {
        if drainRequests.add(1, ordering: .acquiringAndReleasing).oldValue == 0 { drain() }
    }

    private func drain() {
        repeat {
            while let value = state.withLock({ $0.next(limit) }) {
                guard start(value) else { return }
            }
        } while drainRequests.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
    }

    /// Starts the inner stream of a value. Returns false if the whole stream has ended, so the queue must not
    /// be drained again.
    private func start(_ value: In) -> Bool {
        let source: Observable<Out>
        do {
            source = try selector(value)
        } catch {
            // Ends the stream now, or after the delivery in progress.
            self.error(error)
            return false
        }
        if source.withScalar({ innerNext($0) }) {
            if streamEnded() { gate.run { self.end(nil) } }
            return true
        }
        let inner = innerType.init(self)
        guard inners.add(inner) else { return false }
        skipBelowLastStream()
        startStream(source, Downstream(inner))
        return true
    }

    /// Frees a slot. Returns whether everything has ended.
    private func streamEnded() -> Bool {
        state.withLock { state in
            state.active -= 1
            return state.isOver
        }
    }

    override func completed() {
        let isOver = state.withLock { state in
            state.isOuterDone = true
            return state.isOver
        }
        if isOver { return gate.run { self.end(nil) } }
        upstream.emptyAfterEnd()
        skipBelowLastStream()
    }

    private func skipBelowLastStream() {
        // If the gate is taken, the operator is delivering.
        guard state.withLock({ $0.hasLastStream }), gate.enter() else { return }
        skipBelow()
        gate.leave()
    }

    fileprivate func skip(_ inner: any InnerListMember, _ sender: Link?) -> Link? {
        guard state.withLock({ $0.hasLastStream }) else { return nil }
        _ = inners.outerDone()
        return leaveChain(inner, sender, gate, inners)
    }

    override func error(_ error: any Error) {
        gate.run { self.end(error) }
    }

    private func end(_ error: (any Error)?) {
        if let error { super.error(error) } else { super.completed() }
    }

    func innerNext(_ value: Out) {
        gate.run(self, value) { me, value in if !me.upstream.isClosed { me.down.next(value) } }
    }

    func innerCompleted(_ inner: any InnerListMember) {
        _ = inners.remove(inner)
        // The gate runs this after any parked values of the inner stream.
        if streamEnded() { gate.run { self.end(nil) } } else { requestDrain() }
    }
}

// Sound: it adds only constants.
@usableFromInline
final class MergeLimitedInner<In: Sendable, Out: Sendable>: ChildStep<Out>, @unchecked Sendable {
    required init(_ parent: MergeLimited<In, Out>) {
        super.init(parent)
    }

    override func next(_ value: Out) {
        parent.use(as: MergeLimited<In, Out>.self) { $0.innerNext(value) }
    }

    override func failed(_ error: any Error) {
        parent.use(as: MergeLimited<In, Out>.self) { $0.error(error) }
    }

    override func finished() {
        parent.use(as: MergeLimited<In, Out>.self) { $0.innerCompleted(self) }
    }

    override func skipped(by sender: Link?) -> Link? {
        parent.use(as: MergeLimited<In, Out>.self) { $0.skip(self, sender) }
    }
}
