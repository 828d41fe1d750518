import Locking

/// An operator's subscription to a further source. It passes events to the operator, which stops it.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
class InnerStep<In: Sendable>: Step<In, Never>, InnerListMember, @unchecked Sendable {
    final let upstream = LinkSlot()
    private final let position = RelaxedAtomic(0)

    final var index: Int {
        get { position.value }
        set { position.set(newValue) }
    }

    override final func attach(_ upstream: Link) {
        self.upstream.set(upstream)
    }

    override func stop(_ stops: inout DisposalStack) {
        upstream.close(&stops)
    }

    final func stopSource() {
        upstream.closeAndStop()
    }

    final func detach(_ sender: Link?) {
        upstream.closeAfterEnd(of: sender)
    }

    override func error(_ error: any Error) {
        guard upstream.end() else { return }
        failed(error)
        stopSource()
    }

    override func completed() {
        guard upstream.end() else { return }
        finished()
        stopSource()
    }

    func failed(_ error: any Error) {}

    func finished() {}
}

/// An inner step that reports to an operator, which it retains.
// Sound: it moves its parent out only when it is about to be freed.
@usableFromInline
class ChildStep<In: Sendable>: InnerStep<In>, @unchecked Sendable {
    // Unchecked, like the links of `JoinSlot`, which it resembles.
    @exclusivity(unchecked)
    private final var owner: OwnedLink

    /// The operator, which exists until the step is about to be freed.
    @inline(__always)
    final var parent: BorrowedLink { owner.borrowed }

    init(_ parent: Link) {
        owner = OwnedLink(parent)
        super.init()
    }

    deinit {
        Link.free(owner.takeLink())
    }

    override final func unlink(_ others: inout [Link]) -> Link? {
        owner.takeLink()
    }
}

/// A member of an `InnerList`. It stores its index, so that removing it needs no search.
protocol InnerListMember: Link {
    var index: Int { get set }

    /// Stops what feeds it. What `stop()` does, without a stack of its own if nothing is left to stop.
    func stopSource()

    /// Releases the link that feeds it, because the operator leaves the chain. A link other than `sender` is
    /// told that it has ended.
    func detach(_ sender: Link?)
}

/// An operator's subscriptions to any number of inner sources.
struct InnerList: ~Copyable {
    struct State {
        var links: [any InnerListMember] = []
        var isOuterDone = false
        var isClosed = false

        var left: Left {
            guard isOuterDone else { return .more }
            return links.isEmpty ? .nothing : links.count == 1 ? .last : .more
        }
    }

    /// What the operator still waits for.
    enum Left {
        case nothing
        /// One inner source, whose events it only passes on from now on.
        case last
        case more
    }

    private let state = Lock(State())
    /// Whether a link has been added. If not, `outerDone()` needs no lock.
    private let isUsed = RelaxedAtomic(false)
    /// Whether `outerDone()` was called before a link was added.
    private let hasEndedUnused = RelaxedAtomic(false)

    init() {}

    /// Returns false if the list is closed or complete. Called by the outer source, like `outerDone()`.
    func add(_ link: any InnerListMember) -> Bool {
        guard !hasEndedUnused.value else { return false }
        isUsed.set(true)
        return state.withLock { state in
            guard !state.isClosed, !state.isOuterDone else { return false }
            link.index = state.links.count
            state.links.append(link)
            return true
        }
    }

    /// Removes and stops a link that has completed. Returns what the operator still waits for.
    func remove(_ link: any InnerListMember) -> Left {
        let left = state.withLock { state in
            let index = link.index
            if index < state.links.count, state.links[index] === link {
                state.links.swapAt(index, state.links.count - 1)
                state.links.removeLast()
                if index < state.links.count { state.links[index].index = index }
            }
            return state.left
        }
        link.stopSource()
        return left
    }

    /// Records that no more links will be added. Returns what the operator still waits for.
    @inline(__always)
    func outerDone() -> Left {
        guard isUsed.value else {
            hasEndedUnused.set(true)
            return .nothing
        }
        return usedOuterDone()
    }

    private func usedOuterDone() -> Left {
        state.withLock { state in
            state.isOuterDone = true
            return state.left
        }
    }

    /// Whether the operator waits for `link` alone.
    func isLast(_ link: any InnerListMember) -> Bool {
        state.withLock { state in
            guard case .last = state.left else { return false }
            return state.links[0] === link
        }
    }

    /// Removes all links without stopping them. Links added later are refused.
    func close() -> [any InnerListMember] {
        state.withLock { state in
            state.isClosed = true
            let links = state.links
            state.links = []
            return links
        }
    }

    func close(_ stops: inout DisposalStack) {
        stops.push(close())
    }

    /// Stops all links but `link`. Links added later are kept.
    func stopAll(but link: any InnerListMember) {
        let others = state.withLock { state in
            let others = state.links.filter { $0 !== link }
            if others.count < state.links.count {
                link.index = 0
                state.links = [link]
            } else {
                state.links = []
            }
            return others
        }
        for other in others { other.stop() }
    }
}
