import Locking

/// A source that an operator subscribes to besides its first one: the link that the operator stops, and what
/// passes its events on to the operator.
// Sound: the lock of its list guards `index`.
@usableFromInline
class InnerStep<In: Sendable>: Step<In, Never>, InnerListMember, @unchecked Sendable {
    final let upstream = LinkSlot()
    // The lock of the list that it is in guards it.
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

    /// It ended with an error; nothing more comes.
    func failed(_ error: any Error) {}

    /// It completed; nothing more comes.
    func finished() {}
}

/// What is in an `InnerList`. It knows its index there, so that it is found without a search.
protocol InnerListMember: Link {
    var index: Int { get set }
}

/// The inner sources of an operator that has any number of them.
struct InnerList: ~Copyable {
    struct State {
        var links: [any InnerListMember] = []
        var isOuterDone = false
        var isClosed = false
    }

    private let state = Lock(State())

    init() {}

    /// Whether the list took it; one that is closed, or to which no more was to be added, does not.
    func add(_ link: any InnerListMember) -> Bool {
        state.withLock { state in
            guard !state.isClosed, !state.isOuterDone else { return false }
            link.index = state.links.count
            state.links.append(link)
            return true
        }
    }

    /// Removes one that has completed, and stops it: it is left before the operator goes on. Whether nothing is left to wait
    /// for.
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

    /// No more will be added. Whether nothing is left to wait for.
    func outerDone() -> Bool {
        state.withLock { state in
            state.isOuterDone = true
            return state.links.isEmpty
        }
    }

    /// Closes the list and stops what is in it.
    func closeAndStop() {
        let links = state.withLock { state in
            state.isClosed = true
            let links = state.links
            state.links = []
            return links
        }
        for link in links { link.stop() }
    }

    /// Keeps `link`, stops the others. Those that come later are kept.
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
