/// A step with a fixed number of sources that combines their values: combineLatest and zip. Only the gate's
/// owner touches the slots' values and the counts. The join and its slots retain each other until the gate's
/// owner releases the slots at the end.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
class Join<Out: Sendable>: Observable<Out>, @unchecked Sendable {
    final let gate = SerialGate()
    /// Holds the first source's slot, which stops the others too.
    final let sources = LinkSlot()
    final let count: Int
    /// Whether a value that can never be combined completes the join: all other sources have completed, and
    /// one has no value left. Otherwise the join completes when all sources have.
    final let endsWithoutPartners: Bool
    /// The number of slots with a value, and of slots whose source has completed.
    final let withValues = RelaxedAtomic(0)
    final let done = RelaxedAtomic(0)

    init(count: Int, endsWithoutPartners: Bool) {
        self.count = count
        self.endsWithoutPartners = endsWithoutPartners
        super.init()
    }

    /// Returns the same join with fresh slots, or nil if this one is already running.
    func copy() -> Join<Out>? {
        nil
    }

    /// Ties the slots to the join and to each other, then starts the join.
    func begin() {}

    func clear() {}

    /// Sends the result of the slots' values, which a zip removes.
    func combine() throws {}

    /// Attaches the join and starts the sources of its tied slots.
    final func start(_ first: consuming Link?) {
        // Any thread may end the join once it is attached, so the first slot is retained here. It retains the
        // others.
        guard let first else { return }
        sources.set(first)
        down.attach(self)
        first.resume()
    }

    override final consuming func run(_ port: consuming Downstream<Out>) {
        var link: Link = consume self
        let isAlone = isKnownUniquelyReferenced(&link)
        // Sound: it is this object.
        // Unchecked for the row "seven nested 4-way combineLatest, a subscription" of RxBench.
        let join = unsafeDowncast(consume link, to: Join<Out>.self)
        // A weak reference can resurrect a join that already runs.
        guard join.sources.isEmpty else { return port.error(RxError.disposed(object: join)) }
        if isAlone {
            join.down.takeStep(of: consume port)
            join.begin()
        } else if let copy = join.copy() {
            copy.down.takeStep(of: consume port)
            copy.begin()
        } else {
            port.error(RxError.disposed(object: join))
        }
    }

    override final func stop(_ stops: inout DisposalStack) {
        // The caller that began the end also clears.
        if sources.end() { stops.pushStopped(self) }
        sources.close(&stops)
    }

    override final func stopped(_ stops: inout DisposalStack) {
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

    // MARK: As the gate's owner

    /// Called when a slot has stored a value. `othersDone` means that all other sources have completed.
    final func arrived(wasEmpty: Bool, othersDone: Bool) {
        if wasEmpty { withValues.set(withValues.value + 1) }
        if withValues.value == count {
            emit()
        } else if done.value == count || othersDone && endsWithoutPartners {
            finish()
        }
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

    private final func emit() {
        do {
            try combine()
        } catch {
            fail(error)
        }
    }

    /// Sends a result, with the completion when all sources are done.
    final func send(_ result: Out) {
        guard done.value == count else { return down.next(result) }
        guard sources.end() else { return }
        down.last(result)
        sources.closeAndStop()
        clear()
    }

    final func sourceDone() {
        done.set(done.value + 1)
        if done.value == count { finish() }
    }
}
