import Locking

/// A source that an operator subscribes to besides its first one: the link that the operator stops, and what
/// passes its events on to the operator.
@usableFromInline
class Inner<In: Sendable>: Step<In, Never>, @unchecked Sendable {
    final let upstream = LinkSlot()

    override final func attach(_ upstream: Link) {
        self.upstream.set(upstream)
    }

    override func stop() {
        upstream.closeAndStop()
    }

    override func error(_ error: any Error) {
        guard let source = upstream.close() else { return }
        failed(error)
        source.stop()
    }

    override func completed() {
        guard let source = upstream.close() else { return }
        finished()
        source.stop()
    }

    /// It ended with an error; nothing more comes.
    func failed(_ error: any Error) {}

    /// It completed; nothing more comes.
    func finished() {}
}

/// The inner sources of an operator that has any number of them.
struct InnerList: ~Copyable {
    struct State {
        var links: [Link] = []
        var isOuterDone = false
        var isClosed = false
    }

    private let state = Lock(State())

    init() {}

    /// Whether the list took it; a closed one does not.
    func add(_ link: Link) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.links.append(link) }
            return !state.isClosed
        }
    }

    /// Removes it. Whether nothing is left to wait for.
    func remove(_ link: Link) -> Bool {
        state.withLock { state in
            if let index = state.links.firstIndex(where: { $0 === link }) {
                state.links.swapAt(index, state.links.count - 1)
                state.links.removeLast()
            }
            return state.isOuterDone && state.links.isEmpty
        }
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
    func stopAll(but link: Link) {
        let others = state.withLock { state in
            let others = state.links.filter { $0 !== link }
            state.links = state.links.filter { $0 === link }
            return others
        }
        for other in others { other.stop() }
    }
}
