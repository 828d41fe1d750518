/// Reports the addresses of a name until it is cancelled or released. Made by `Resolver.watch`.
public final class AddressWatch: Sendable {
    private let watcher: AddressWatcher
    /// Keeps the resolver alive.
    private let resolver: Resolver

    init(_ watcher: AddressWatcher, _ resolver: Resolver) {
        self.watcher = watcher
        self.resolver = resolver
    }

    deinit { cancel() }

    /// Ends the watch. May be called on any thread. Called on its loop, no call of `changed` follows.
    public func cancel() {
        resolver.core.unwatch(watcher)
        watcher.cancel()
    }
}

/// The part of a watch that the cache knows.
final class AddressWatcher: Sendable {
    private final class Report {
        var changed: (([SocketAddress]) -> Void)?
        var last: Set<SocketAddress>?

        init(_ changed: @escaping ([SocketAddress]) -> Void) { self.changed = changed }

        func tell(_ addresses: [SocketAddress]) {
            let set = Set(addresses)
            guard set != last else { return }
            last = set
            changed?(addresses)
        }
    }

    let host: String
    private let port: Int
    private let report: LoopBound<Report>

    init(_ host: String, port: Int, on loop: EventLoop, _ changed: @escaping ([SocketAddress]) -> Void) {
        self.host = host
        self.port = port
        report = LoopBound(Report(changed), loop: loop)
    }

    /// Reports the addresses that `core` has when the loop gets to it, so that two calls cannot overtake each
    /// other. Ends the watch if the loop has ended.
    func look(at core: ResolverCore) {
        let isAccepted = report.loop.execute { [self] in
            guard let addresses = core.change({ cache, _ in cache.addresses(of: host) }) else { return }
            report.value.tell(addresses.map { $0.with(port: port) })
        }
        if !isAccepted { core.unwatch(self) }
    }

    func look(at addresses: [SocketAddress]) {
        report.loop.execute { [self] in report.value.tell(addresses) }
    }

    func cancel() {
        report.loop.onLoop { [self] in report.value.changed = nil }
    }
}
