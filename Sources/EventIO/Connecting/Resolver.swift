import Locking
import Rx

/// Resolves names on helper threads, behind a cache that all loops share.
///
/// Requests for the same name share one lookup. An expired answer is returned while it is looked up again, so a
/// silent resolver does not delay requests for names in use.
public final class Resolver: Sendable {
    /// Blocks until it has the answer. The port of the addresses is ignored.
    public typealias Lookup = @Sendable (_ host: String) -> Result<[SocketAddress], SocketError>

    public struct Limits: Sendable {
        /// How long addresses are fresh. Default 30 s.
        public var positiveAge = TimeAmount.seconds(30)
        /// How long a failure is cached. Default 1 s.
        public var negativeAge = TimeAmount.seconds(1)
        /// How long expired addresses may be used while they are looked up again. Default 5 min.
        public var staleAge = TimeAmount.seconds(300)
        /// Concurrent lookups. Default 8.
        public var threads = 8
        /// Names that may wait for a thread; further ones fail at once. Default 256.
        public var waitingNames = 256
        /// Cached names. Default 1024.
        public var cachedNames = 1024

        public init() {}
    }

    private struct Entry {
        var result: Result<[SocketAddress], SocketError>?
        var freshUntil = MonotonicTime(nanoseconds: 0)
        var usableUntil = MonotonicTime(nanoseconds: 0)
        var isLookingUp = false
        /// Keyed by identity, so that a request that times out leaves in constant time.
        var waiting: [ObjectIdentifier: ResolveRequest] = [:]
    }

    private enum Decision {
        case answer(Result<[SocketAddress], SocketError>)
        case answerAndLookUp([SocketAddress])
        case lookUp
        case wait
    }

    private let entries = Lock<[String: Entry]>([:])
    private let limits: Limits
    private let lookup: Lookup
    private let clock: @Sendable () -> MonotonicTime
    private let helpers: HelperThreads
    let unreachable = UnreachableAddresses()

    public init(
        limits: Limits = Limits(), lookup: @escaping Lookup = Resolver.systemLookup,
        clock: @escaping @Sendable () -> MonotonicTime = MonotonicTime.clock
    ) {
        self.limits = limits
        self.lookup = lookup
        self.clock = clock
        helpers = HelperThreads(
            name: "resolver", limit: limits.threads, waitingLimit: limits.waitingNames)
    }

    /// Finds the addresses of `host`, without a lookup if it is numeric. `completion` is called once, on `loop`,
    /// after this returns: with at least one address, or with `.nameNotFound`, `.nameFailed` or `.nameTimedOut`. The
    /// lookup continues after the deadline, for later requests.
    @discardableResult
    func resolve(
        _ host: String, port: Int, on loop: EventLoop, deadline: MonotonicTime,
        completion: @escaping (Result<[SocketAddress], SocketError>) -> Void
    ) -> ResolveRequest {
        let request = ResolveRequest(host, port: port, on: loop, completion)
        if let address = SocketAddress(host: host, port: port) {
            request.finish(.success([address]))
            return request
        }
        switch decide(host, request) {
        case .answer(let result): request.finish(result)
        case .answerAndLookUp(let addresses):
            request.finish(.success(addresses))
            startLookup(host)
        case .lookUp:
            request.wait(for: self, until: deadline)
            startLookup(host)
        case .wait: request.wait(for: self, until: deadline)
        }
        return request
    }

    private func decide(_ host: String, _ request: ResolveRequest) -> Decision {
        let now = clock()
        return entries.withLock { entries in
            if entries[host] == nil { Self.makeRoom(in: &entries, limit: limits.cachedNames) }
            var entry = entries[host] ?? Entry()
            defer { entries[host] = entry }
            if let result = entry.result, now < entry.freshUntil { return .answer(result) }
            let mustLookUp = !entry.isLookingUp
            entry.isLookingUp = true
            if case .success(let addresses) = entry.result, now < entry.usableUntil {
                return mustLookUp ? .answerAndLookUp(addresses) : .answer(.success(addresses))
            }
            entry.waiting[ObjectIdentifier(request)] = request
            return mustLookUp ? .lookUp : .wait
        }
    }

    private func startLookup(_ host: String) {
        let accepted = helpers.submit { [self] in found(lookup(host), for: host) }
        if !accepted { found(.failure(SocketError(.nameFailed, .resolve, subject: host)), for: host) }
    }

    private func found(_ result: Result<[SocketAddress], SocketError>, for host: String) {
        let now = clock()
        let waiting = entries.withLock { entries in
            guard var entry = entries[host] else { return [ResolveRequest]() }
            let waiting = Array(entry.waiting.values)
            entry.waiting = [:]
            entry.isLookingUp = false
            switch result {
            case .success:
                entry.result = result
                entry.freshUntil = now + limits.positiveAge
                entry.usableUntil = entry.freshUntil + limits.staleAge
            case .failure(let error):
                entry.freshUntil = now + limits.negativeAge
                // A failing resolver does not invalidate a name that it resolved before.
                let keepsOld = error.kind == .nameFailed && now < entry.usableUntil
                if !keepsOld {
                    entry.result = result
                    entry.usableUntil = entry.freshUntil
                }
            }
            entries[host] = entry
            return waiting
        }
        for request in waiting { request.finish(result) }
    }

    fileprivate func remove(_ request: ResolveRequest, _ host: String) {
        entries.withLock { _ = $0[host]?.waiting.removeValue(forKey: ObjectIdentifier(request)) }
    }

    /// Evicts the idle names that expire first.
    private static func makeRoom(in entries: inout [String: Entry], limit: Int) {
        guard entries.count >= limit else { return }
        let idle = entries.filter { !$0.value.isLookingUp }.sorted {
            $0.value.usableUntil < $1.value.usableUntil
        }
        for (host, _) in idle.prefix(max(1, limit / 8)) { entries[host] = nil }
    }
}

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
        resolver.take()?.remove(self, host)
    }

    fileprivate func wait(for resolver: Resolver, until deadline: MonotonicTime) {
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
