import Locking

/// What outlives the generations of a gateway: signing keys and the counts of limits, of entries whose
/// settings stay the same. A changed entry starts from nothing.
package final class AccessState: Sendable {
    let limits = LimitState()
    /// For requests that come over no loop.
    let loop = AccessLoop()
    private struct State {
        /// The keys of the generation in use.
        var keys: [SigningKeys] = []
        /// Keys that only requests of earlier generations use. They live as long as these requests.
        var retired: [Retired] = []
    }

    private struct Retired: Sendable {
        weak var keys: SigningKeys?
    }

    private let state = Lock(State())

    /// The time between two fetches for the sake of an unknown key.
    let unknownKeyPause: Duration

    /// A gateway that has not started.
    ///
    /// - Parameter unknownKeyPause: the time between two fetches for the sake of an unknown key. Shorter in
    ///   tests with a real clock.
    package init(unknownKeyPause: Duration = .seconds(30)) {
        self.unknownKeyPause = unknownKeyPause
    }

    /// Returns the keys with this identity, if the generation in use has them.
    func keys(_ identity: SigningKeys.Identity) -> SigningKeys? {
        state.withLock { $0.keys.first { $0.identity == identity } }
    }

    /// A generation is about to route its first request.
    func use(_ directory: AccessDirectory) {
        let used = directory.keys
        let old = state.withLock { state in
            let old = state.keys.filter { keys in !used.contains { $0.keys === keys } }
            state.keys = used.map(\.keys)
            state.retired.removeAll { $0.keys == nil }
            state.retired += old.map { Retired(keys: $0) }
            return old
        }
        for keys in old { keys.retire() }
        for (keys, source) in used { if let source { keys.start(from: source) } }
        limits.keep(only: directory.limits)
    }

    /// The gateway stops: fetches in progress are cancelled.
    package func end() {
        let old = state.withLock { state in
            let old = state.keys + state.retired.compactMap(\.keys)
            state = State()
            return old
        }
        for keys in old { keys.end() }
    }
}
