import Locking

/// An operator's subscription to a further source. It passes events to the operator, which stops it.
// Sound: the lock of its list guards `index`.
@usableFromInline
class InnerStep<In: Sendable>: Step<In, Never>, InnerListMember, @unchecked Sendable {
    final let upstream = LinkSlot()
    final var index = 0

    override final func attach(_ upstream: Link) {
        self.upstream.set(upstream)
    }

    override func stop() {
        upstream.closeAndStop()
    }

    override func error(_ error: any Error) {
        guard upstream.end() else { return }
        failed(error)
        stop()
    }

    override func completed() {
        guard upstream.end() else { return }
        finished()
        stop()
    }

    func failed(_ error: any Error) {}

    func finished() {}
}

/// A member of an `InnerList`. It stores its index, so that removing it needs no search.
protocol InnerListMember: Link {
    var index: Int { get set }
}

/// An operator's subscriptions to any number of inner sources.
struct InnerList: ~Copyable {
    struct State {
        var links: [any InnerListMember] = []
        var isOuterDone = false
        var isClosed = false
    }

    private let state = Lock(State())

    init() {}

    /// Returns false if the list is closed or complete.
    func add(_ link: any InnerListMember) -> Bool {
        state.withLock { state in
            guard !state.isClosed, !state.isOuterDone else { return false }
            link.index = state.links.count
            state.links.append(link)
            return true
        }
    }

    /// Removes and stops a link that has completed. Returns whether the operator has nothing more to wait for.
    func remove(_ link: any InnerListMember) -> Bool {
        let isLast = state.withLock { state in
            let index = link.index
            if index < state.links.count, state.links[index] === link {
                state.links.swapAt(index, state.links.count - 1)
                state.links.removeLast()
                if index < state.links.count { state.links[index].index = index }
            }
            return state.isOuterDone && state.links.isEmpty
        }
        link.stop()
        return isLast
    }

    /// Records that no more links will be added. Returns whether the operator has nothing more to wait for.
    func outerDone() -> Bool {
        state.withLock { state in
            state.isOuterDone = true
            return state.links.isEmpty
        }
    }

    func closeAndStop() {
        let links = state.withLock { state in
            state.isClosed = true
            let links = state.links
            state.links = []
            return links
        }
        for link in links { link.stop() }
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
