import Queues

/// One source of a join, with its last value.
// Sound: the fields are written before the source starts; after that only the gate's owner touches them.
@usableFromInline
class JoinSlot<In: Sendable, Out: Sendable>: InnerStep<In>, @unchecked Sendable {
    /// An `Observable<In>`, stored as its non-generic root so that moving it out looks up no metadata.
    // Unchecked, like the properties below, for the rows "seven nested 4-way combineLatest" of RxBench.
    @exclusivity(unchecked)
    private final var source: Link?
    @exclusivity(unchecked)
    fileprivate final var join = OwnedLink()
    @exclusivity(unchecked)
    private final var next = OwnedLink()
    @exclusivity(unchecked)
    private final var isDone = false
    @exclusivity(unchecked)
    final var storage = ValueStorage<In>()

    @usableFromInline
    required init(_ source: consuming Observable<In>) {
        self.source = source
        super.init()
    }

    deinit {
        storage.destroy()
    }

    override final func unlink(_ others: inout [Link]) -> Link? {
        if let next = next.takeLink() { others.append(next) }
        return source.take() ?? join.takeLink()
    }

    /// Returns a slot that queues its values, for a zip.
    @inlinable
    static func queued(_ source: consuming Observable<In>) -> JoinSlot<In, Out> {
        ZipSlot(source)
    }

    /// Returns a fresh slot with the same source, or nil if this one is running.
    final func copy() -> JoinSlot<In, Out>? {
        // Sound: `source` is set to an `Observable<In>` only.
        source.map { type(of: self).init(unsafeDowncast($0, to: Observable<In>.self)) }
    }

    /// Stores `value`. Returns whether the slot was empty.
    func keep(_ value: In) -> Bool {
        let wasEmpty = !storage.isFull
        storage.set(value)
        return wasEmpty
    }

    /// Returns the value to combine, which a zip removes.
    func takeValue() -> In {
        storage.value
    }

    /// Ties the slot to its join and to the next slot, which it retains and stops.
    final func tie(_ join: consuming Join<Out>, before next: BorrowedLink = BorrowedLink()) {
        self.join = OwnedLink(consume join)
        self.next = next.share()
    }

    /// Starts its source, then the next slots.
    override final func resume() {
        begin()
        let next = next.borrowed
        if !next.isEmpty { next.use(as: Link.self) { $0.resume() } }
    }

    final func begin() {
        guard let source = source.take(), !upstream.isClosed else { return }
        // Sound: `source` is set to an `Observable<In>` only.
        let observable = unsafeDowncast(consume source, to: Observable<In>.self)
        if observable.withScalar({ last($0) }) { return }
        (consume observable).run(Downstream(self))
    }

    override final func stop(_ stops: inout DisposalStack) {
        let source = upstream.close()?.take()
        let next = next.borrowed
        if let source {
            if let next = next.retained() { stops.push(next) }
            stops.push(source)
        } else if !next.isEmpty {
            next.use(as: Link.self) { $0.stop(&stops) }
        }
    }

    override final func next(_ value: In) {
        join.borrowed.use(as: Join<Out>.self) { join in
            if join.gate.enter() {
                accept(value, join)
                join.gate.leave()
            } else {
                join.gate.park { self.accept(value, join) }
            }
        }
    }

    override final func last(_ value: In) {
        join.borrowed.use(as: Join<Out>.self) { join in
            if join.gate.enter() {
                acceptLast(value, join)
                join.gate.leave()
            } else {
                join.gate.park { self.acceptLast(value, join) }
            }
        }
    }

    override final func error(_ error: any Error) {
        join.borrowed.use(as: Join<Out>.self) { join in
            if join.gate.enter() {
                join.fail(error)
                join.gate.leave()
            } else {
                join.gate.park { join.fail(error) }
            }
        }
    }

    override final func completed() {
        join.borrowed.use(as: Join<Out>.self) { join in
            if join.gate.enter() {
                end(join)
                join.gate.leave()
            } else {
                join.gate.park { self.end(join) }
            }
        }
    }

    private final func accept(_ value: In, _ join: Join<Out>) {
        guard !join.sources.isClosed else { return }
        join.arrived(wasEmpty: keep(value), othersDone: join.done.value == join.count - 1)
    }

    private final func acceptLast(_ value: In, _ join: Join<Out>) {
        guard !join.sources.isClosed, !isDone else { return }
        isDone = true
        join.done.set(join.done.value + 1)
        join.arrived(wasEmpty: keep(value), othersDone: join.done.value == join.count)
        upstream.closeAndStop()
    }

    private final func end(_ join: Join<Out>) {
        guard !join.sources.isClosed, !isDone else { return }
        isDone = true
        join.sourceDone()
        upstream.closeAndStop()
    }
}

/// A slot that queues values until the other sources have sent theirs.
// Sound: as for `JoinSlot`.
@usableFromInline
final class ZipSlot<In: Sendable, Out: Sendable>: JoinSlot<In, Out>, @unchecked Sendable {
    /// The values after the first.
    private var queue = Queue<In>()

    override func keep(_ value: In) -> Bool {
        guard storage.isFull else {
            storage.set(value)
            return true
        }
        queue.append(value)
        return false
    }

    override func takeValue() -> In {
        let value = storage.value
        if let next = queue.popFirst() {
            storage.set(next)
        } else {
            storage.clear()
            join.borrowed.use(as: Join<Out>.self) { $0.withValues.set($0.withValues.value - 1) }
        }
        return value
    }
}
