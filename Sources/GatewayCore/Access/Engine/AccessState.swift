import Locking

/// What outlives the generations of a gateway: signing keys and the counts of limits, of entries whose
/// settings stay the same. A changed entry starts
/// from nothing.
package final class AccessState: Sendable {
    let limits = LimitState()
    /// For requests that come over no loop.
    let loop = AccessLoop()
    /// The keys of the generation in use.
    private let keys = Lock<[SigningKeys]>([])

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
        keys.withLock { $0.first { $0.identity == identity } }
    }

    /// A generation is about to route its first request.
    func use(_ directory: AccessDirectory) {
        let used = directory.keys
        let old = keys.withLock { keys in
            defer { keys = used.map(\.keys) }
            return keys
        }
        for keys in old where !used.contains(where: { $0.keys === keys }) { keys.end() }
        for (keys, source) in used { if let source { keys.start(from: source) } }
        limits.keep(only: directory.limits.map(\.limit))
    }

    /// The gateway stops: fetches in progress are cancelled.
    package func end() {
        let old = keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
        for keys in old { keys.end() }
    }
}
