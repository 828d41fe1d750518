/// A step with a fixed number of sources that waits for values of all of them: combineLatest, zip.
///
/// The gate's owner alone touches the slots' values and the counts. Slots and join hold each other while it runs;
/// the join lets go of its slots at its end, as the gate's owner.
@usableFromInline
class Join<Out: Sendable>: Observable<Out>, @unchecked Sendable {
    final let gate = SerialGate()
    /// Holds the first source's slot, which stops the others too.
    final let sources = LinkSlot()
    final let count: Int
    final var withValues = 0
    final var done = 0

    init(count: Int) {
        self.count = count
        super.init()
    }

    /// The same join with fresh slots; `nil` when this one already runs.
    func copy() -> Join<Out>? {
        nil
    }

    /// Ties the slots to each other, attaches the join, and starts the sources in their order.
    func begin() {}

    /// Attaches the join and starts the sources of slots that are tied.
    final func begin(_ first: borrowing OwnedLink) {
        // From when the join is attached, any thread may end it: the first slot is kept, and keeps the others.
        guard let first = first.strong(as: Link.self) else { return }
        sources.set(first)
        down.attach(self)
        first.resume()
    }

    /// Does all of it with slots of one type.
    final func begin<In: Sendable>(_ slots: [JoinSlot<In, Out>]) {
        var next = OwnedLink()
        for slot in slots.reversed() {
            slot.tie(self, before: next)
            next = OwnedLink(slot)
        }
        if let first = slots.first { sources.set(first) }
        down.attach(self)
        for slot in slots { slot.begin() }
    }

    /// Lets go of the slots.
    func clear() {}

    /// Sends the result of the slots' values; a zip takes them out.
    func combine() throws {}

    /// The gate's owner put a value into a slot. `othersDone`: all other sources have completed.
    func arrived(wasEmpty: Bool, othersDone: Bool) {}

    override final class func run(_ source: consuming Observable<Out>, _ port: consuming Downstream<Out>) {
        var link: Link = consume source
        let isAlone = isKnownUniquelyReferenced(&link)
        let join = unsafeDowncast(consume link, to: Join<Out>.self)
        // One that runs already was resurrected by a weak reference.
        guard join.sources.isEmpty else { return port.error(RxError.disposed(object: join)) }
        if isAlone {
            join.down.lead(consume port)
            join.begin()
        } else if let copy = join.copy() {
            copy.down.lead(consume port)
            copy.begin()
        } else {
            port.error(RxError.disposed(object: join))
        }
    }

    override final func stop() {
        let isFirst = sources.end()
        sources.closeAndStop()
        // Who has begun an end clears after it.
        guard isFirst else { return }
        if gate.enter() {
            clear()
            gate.leave()
        } else {
            gate.park { self.clear() }
        }
    }

    override final func endReceived() {
        if !sources.isClosed { stop() }
    }

    final func fail(_ error: any Error) {
        guard sources.end() else { return }
        down.error(error)
        sources.closeAndStop()
        clear()
    }

    final func finish() {
        guard sources.end() else { return }
        down.completed()
        sources.closeAndStop()
        clear()
    }

    final func emit() {
        do {
            try combine()
        } catch {
            fail(error)
        }
    }

    /// Sends a result, and the completion with it when all sources are done.
    final func send(_ result: Out) {
        guard done == count else { return down.next(result) }
        guard sources.end() else { return }
        down.last(result)
        sources.closeAndStop()
        clear()
    }

    final func sourceDone() {
        done += 1
        if done == count { finish() }
    }
}

/// One source of a join.
@usableFromInline
class JoinSlot<In: Sendable, Out: Sendable>: InnerStep<In>, @unchecked Sendable {
    // Sound: written before the source starts. The source is an `Observable<In>`, kept by its non-generic root.
    fileprivate final var source: Link?
    fileprivate final var join = OwnedLink()
    fileprivate final var next = OwnedLink()
    /// Whether the source completed. The gate's owner's.
    final var isDone = false

    init(_ source: consuming Observable<In>) {
        self.source = source
        super.init()
    }

    /// The source for a copy of this slot; `nil` when this one runs.
    final var description: Observable<In>? {
        source.map { unsafeDowncast($0, to: Observable<In>.self) }
    }

    /// Keeps `value`. Whether there was none.
    func keep(_ value: In) -> Bool {
        false
    }

    /// Ties the slot to its join, in front of the slot `next`, which it keeps and stops with itself.
    final func tie(_ join: consuming Join<Out>, before next: borrowing OwnedLink = OwnedLink()) {
        self.join = OwnedLink(consume join)
        self.next = next.share()
    }

    /// Starts its source, then those of the slots after it.
    override final func resume() {
        begin()
        if !next.isEmpty { next.use(as: Link.self) { $0.resume() } }
    }

    final func begin() {
        guard let source = source.take(), !upstream.isClosed else { return }
        let observable = unsafeDowncast(consume source, to: Observable<In>.self)
        if observable.withScalar({ last($0) }) { return }
        type(of: observable).run(consume observable, Downstream(self))
    }

    override final func stop() {
        upstream.closeAndStop()
        if !next.isEmpty { next.use(as: Link.self) { $0.stop() } }
    }

    override final func next(_ value: In) {
        join.use(as: Join<Out>.self) { join in
            if join.gate.enter() {
                take(value, join)
                join.gate.leave()
            } else {
                join.gate.park { self.join.use(as: Join<Out>.self) { self.take(value, $0) } }
            }
        }
    }

    override final func last(_ value: In) {
        join.use(as: Join<Out>.self) { join in
            if join.gate.enter() {
                takeLast(value, join)
                join.gate.leave()
            } else {
                join.gate.park { self.join.use(as: Join<Out>.self) { self.takeLast(value, $0) } }
            }
        }
    }

    override final func error(_ error: any Error) {
        join.use(as: Join<Out>.self) { join in
            if join.gate.enter() {
                join.fail(error)
                join.gate.leave()
            } else {
                join.gate.park { self.join.use(as: Join<Out>.self) { $0.fail(error) } }
            }
        }
    }

    override final func completed() {
        join.use(as: Join<Out>.self) { join in
            if join.gate.enter() {
                end(join)
                join.gate.leave()
            } else {
                join.gate.park { self.join.use(as: Join<Out>.self) { self.end($0) } }
            }
        }
    }

    /// A zip's slot has no further value.
    final func ranEmpty() {
        join.use(as: Join<Out>.self) { $0.withValues -= 1 }
    }

    private final func take(_ value: In, _ join: Join<Out>) {
        guard !join.sources.isClosed else { return }
        join.arrived(wasEmpty: keep(value), othersDone: join.done == join.count - 1)
    }

    private final func takeLast(_ value: In, _ join: Join<Out>) {
        guard !join.sources.isClosed, !isDone else { return }
        isDone = true
        join.done += 1
        join.arrived(wasEmpty: keep(value), othersDone: join.done == join.count)
        upstream.closeAndStop()
    }

    private final func end(_ join: Join<Out>) {
        guard !join.sources.isClosed, !isDone else { return }
        isDone = true
        join.sourceDone()
        upstream.closeAndStop()
    }
}
