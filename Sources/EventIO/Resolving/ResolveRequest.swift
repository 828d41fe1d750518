import Rx

/// A request for the addresses of a name, until its completion is called.
///
/// `@unchecked Sendable`: `loop`, `host` and `port` are constant; everything else is used on the loop only.
final class ResolveRequest: @unchecked Sendable {
    private let loop: EventLoop
    private let host: String
    private let port: Int
    private var completion: ((Result<[SocketAddress], SocketError>) -> Void)?
    private var timer: TimerToken?
    /// Set while the request waits for a lookup.
    private var resolver: Resolver?

    init(
        _ host: String, port: Int, on loop: EventLoop,
        _ completion: @escaping (Result<[SocketAddress], SocketError>) -> Void
    ) {
        self.host = host
        self.port = port
        self.loop = loop
        self.completion = completion
    }

    /// Cancels the request, on its loop. `completion` is not called.
    func cancel() {
        completion = nil
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

    /// May be called on any thread.
    func finish(_ result: Result<[SocketAddress], SocketError>) {
        loop.execute { self.complete(result.map { $0.map { $0.with(port: self.port) } }) }
    }

    private func complete(_ result: Result<[SocketAddress], SocketError>) {
        guard let completion else { return }
        cancel()
        completion(result)
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
