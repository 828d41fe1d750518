import Timers

/// What a request for the addresses of a name is told.
enum ResolveUpdate: Sendable, Equatable {
    /// The addresses of one family. `complete` follows.
    case partial([SocketAddress])
    /// The addresses of both families, or the reason for their absence. Nothing follows.
    case complete(Result<[SocketAddress], SocketError>)
}

/// A request for the addresses of a name, until it is told all of them.
///
/// `@unchecked Sendable`: `loop`, `host` and `port` are constant; everything else is used on the loop only.
final class ResolveRequest: @unchecked Sendable {
    private let loop: EventLoop
    private let host: String
    private let port: Int
    private var updated: ((ResolveUpdate) -> Void)?
    private var timer: TimerToken?
    /// Set while the request waits for a lookup.
    private var resolver: Resolver?

    init(
        _ host: String, port: Int, on loop: EventLoop,
        _ updated: @escaping (ResolveUpdate) -> Void
    ) {
        self.host = host
        self.port = port
        self.loop = loop
        self.updated = updated
    }

    /// Cancels the request, on its loop. `updated` is not called.
    func cancel() {
        updated = nil
        if let timer { loop.cancelTimer(timer) }
        timer = nil
        resolver.take()?.requestLeft(host, self)
    }

    func wait(for resolver: Resolver, until deadline: MonotonicTime) {
        self.resolver = resolver
        timer = loop.setTimer(at: deadline, target: ResolveDeadline(self))
    }

    fileprivate func deadlinePassed() {
        timer = nil
        complete(.failure(SocketError(.nameTimedOut, .resolve, subject: host)))
    }

    /// Tells the addresses of one family. May be called on any thread.
    func found(_ addresses: [SocketAddress]) {
        loop.execute { self.updated?(.partial(addresses.map { $0.with(port: self.port) })) }
    }

    /// May be called on any thread.
    func finish(_ result: Result<[SocketAddress], SocketError>) {
        loop.execute { self.complete(result.map { $0.map { $0.with(port: self.port) } }) }
    }

    private func complete(_ result: Result<[SocketAddress], SocketError>) {
        guard let updated else { return }
        cancel()
        updated(.complete(result))
    }
}

private final class ResolveDeadline: TimerTarget {
    private let request: ResolveRequest

    init(_ request: ResolveRequest) {
        self.request = request
    }

    func timerFired(_: TimerToken) {
        request.deadlinePassed()
    }
}
