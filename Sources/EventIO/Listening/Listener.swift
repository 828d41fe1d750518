import CLibevent
import Glibc
import Rx

/// A listening socket and, once started, its place on a loop.
///
/// Bound on any thread, so that a taken port is found before anything runs; `start` and everything after it
/// happen on its loop. `@unchecked Sendable` is sound: before `start` nothing changes, afterwards only the loop's
/// thread touches it.
public final class Listener: @unchecked Sendable {
    /// The address that it is bound to, with the port that the kernel chose where 0 was asked for.
    public let address: SocketAddress

    /// Told at most once a second when descriptors ran out, with the connections shed since the last time.
    public var onExhausted: ((_ error: SocketError, _ shed: Int) -> Void)?

    private var descriptor: Int32
    private var loop: EventLoop?
    private var onAccept: ((SocketStream) -> Void)?
    // Its context is this listener, unretained: `loop.members` retains it from `start` to the end of the wake in
    // which it is closed.
    private var event: EventHandle?
    private var memberIndex = -1
    private var isPaused = false
    private var retry: TimerToken?
    private var shed = 0
    private var lastReport: MonotonicTime?

    /// Binds and listens.
    ///
    /// - Throws: `SocketError`; `isAddressInUse` when another socket listens there, `SO_REUSEPORT` or not.
    public convenience init(bind address: SocketAddress) throws(SocketError) {
        try self.init(bind: address, joining: false)
    }

    /// One listener per loop on one port, between which the kernel spreads the connections. The first binds
    /// alone, so that a port that another process uses is refused.
    ///
    /// - Parameter joining: the port is shared instead with listeners of another process of the same user that allow it:
    ///   with those of a process that leaves.
    public static func group(
        bind address: SocketAddress, count: Int, joining: Bool = false
    ) throws(SocketError) -> [Listener] {
        let first = try Listener(bind: address, joining: joining)
        var listeners = [first]
        while listeners.count < count, !address.isUnix {
            listeners.append(try Listener(bind: first.address, joining: true))
        }
        return listeners
    }

    private init(bind address: SocketAddress, joining: Bool) throws(SocketError) {
        let descriptor = try Descriptor.socket(address.family)
        do throws(SocketError) {
            if !address.isUnix {
                try Descriptor.set(SO_REUSEADDR, level: SOL_SOCKET, of: descriptor)
                // Accepted sockets inherit both.
                try Descriptor.set(TCP_NODELAY, level: Int32(IPPROTO_TCP), of: descriptor)
                Self.limitUnsent(of: descriptor)
            }
            if joining { try Descriptor.set(SO_REUSEPORT, level: SOL_SOCKET, of: descriptor) }
            if case .ipv6(0, 0, _, _) = address.form {
                // `[::]` means every address, IPv4 ones too, whatever the system's default is.
                try Descriptor.set(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), of: descriptor, to: 0)
            }
            try Self.bind(descriptor, to: address)
            guard Glibc.listen(descriptor, Self.backlog) == 0 else { throw SocketError(.listen, errno) }
            // Only after it listens alone does the first socket let others join: with SO_REUSEADDR several may be bound, and
            // the first to listen refuses the others (inet_csk_listen_start) unless both allow it.
            if !joining, !address.isUnix {
                try Descriptor.set(SO_REUSEPORT, level: SOL_SOCKET, of: descriptor)
            }
        } catch {
            Glibc.close(descriptor)
            var error = error
            error.subject = address.description
            throw error
        }
        self.descriptor = descriptor
        self.address = Descriptor.localAddress(of: descriptor) ?? address
    }

    /// Binds. A Unix path that a process left behind without listening any more is taken over.
    private static func bind(_ descriptor: Int32, to address: SocketAddress) throws(SocketError) {
        var code = address.withUnsafeSockaddr { Glibc.bind(descriptor, $0, $1) == 0 ? 0 : errno }
        if code == EADDRINUSE, case .unix(let path) = address.form {
            let probe = try Descriptor.socket(AF_UNIX)
            defer { Glibc.close(probe) }
            let answer = address.withUnsafeSockaddr { Glibc.connect(probe, $0, $1) == 0 ? 0 : errno }
            if answer == ECONNREFUSED, unlink(path) == 0 {
                code = address.withUnsafeSockaddr { Glibc.bind(descriptor, $0, $1) == 0 ? 0 : errno }
            }
        }
        guard code == 0 else { throw SocketError(.bind, code) }
    }

    /// Connections that may wait to be accepted; the kernel's `somaxconn` bounds it.
    private static let backlog: Int32 = 4096

    /// Bytes that the kernel takes of one connection's output before it sends them. A reader that is slow from the start
    /// then costs the kernel 0.3 MB, not the 4 MB that its buffer may grow to. Writability comes back at half of it.
    static let unsentLimit: Int32 = 256 * 1024

    /// A kernel that does not know the option keeps more in its own buffers.
    private static func limitUnsent(of descriptor: Int32) {
        try? Descriptor.set(
            TCP_NOTSENT_LOWAT, level: Int32(IPPROTO_TCP), of: descriptor, to: unsentLimit)
    }

    deinit {
        removePath()
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Accepts from here on. Each connection comes as a stream that waits for `start(handler:)`.
    public func start(loop: EventLoop, onAccept: @escaping (SocketStream) -> Void) {
        loop.preconditionCurrent("a listener is started on its event loop")
        precondition(self.loop == nil && descriptor >= 0, "a listener is started once")
        self.loop = loop
        self.onAccept = onAccept
        memberIndex = loop.members.insert(self)
        event = EventHandle(
            loop.base, descriptor, EV_READ | EV_PERSIST, listenerIsReady,
            Unmanaged.passUnretained(self).toOpaque())
        event?.add()
    }

    /// Accepts no more until `resume`; connections wait in the backlog.
    public func pause() {
        guard !isPaused else { return }
        isPaused = true
        event?.remove()
    }

    public func resume() {
        guard isPaused else { return }
        isPaused = false
        if retry == nil { event?.add() }
    }

    /// Accepts what is waiting, then closes: closing a listener of a `SO_REUSEPORT` group resets what waits in
    /// its queue. Nobody comes between the last accept and the close (`turnNewcomersAway`).
    public func drainBacklogAndClose() {
        turnNewcomersAway()
        while descriptor >= 0, acceptOne() {}
        close()
    }

    /// Closes now.
    public func close() {
        guard descriptor >= 0 else { return }
        removePath()
        if let event = event.take(), let loop { event.retire(on: loop) }
        Glibc.close(descriptor)
        descriptor = -1
        if let retry { loop?.cancelTimer(retry) }
        retry = nil
        onAccept = nil
        if memberIndex >= 0 { loop?.members.remove(at: memberIndex) }
        memberIndex = -1
    }

    func withDescriptor(_ body: (Int32) -> Void) {
        if descriptor >= 0 { body(descriptor) }
    }

    private func removePath() {
        if descriptor >= 0, case .unix(let path) = address.form { unlink(path) }
    }

    fileprivate func ready() {
        // Bounded, so that a flood of connections does not keep the loop from those it has.
        var left = 64
        while left > 0, !isPaused, retry == nil, descriptor >= 0, acceptOne() { left -= 1 }
    }

    /// False when nothing waits, or nothing can be taken now.
    private func acceptOne() -> Bool {
        guard let loop else { return false }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let (accepted, peer) = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                let accepted = accept4(
                    descriptor, pointer, &length, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
                return (accepted, accepted < 0 ? nil : SocketAddress(pointer, length: length))
            }
        }
        guard accepted >= 0 else { return acceptFailed(errno) }
        if Descriptor.isSpare(accepted) {
            // The close tells the client.
            Glibc.close(accepted)
            shed += 1
            acceptLater(SocketError(.accept, EMFILE, subject: address.description))
            return false
        }
        onAccept?(SocketStream(adopting: accepted, remoteAddress: peer ?? address, loop: loop))
        return true
    }

    private func acceptFailed(_ code: Int32) -> Bool {
        switch code {
        case EAGAIN: return false
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            acceptLater(SocketError(.accept, code, subject: address.description))
            return false
        default:
            // The connection, not the listener, is at fault (accept(2)): ECONNABORTED, EPROTO, ENETDOWN, ...
            return code != EBADF && code != EINVAL && code != ENOTSOCK
        }
    }

    // MARK: Out of descriptors

    /// A listener that stays ready without being served would burn a core: it is taken out, and put back by a timer.
    private func acceptLater(_ error: SocketError) {
        guard let loop else { return }
        event?.remove()
        retry = loop.setTimer(after: .milliseconds(100), target: Retry(self))
        let now = loop.now
        if let lastReport, now - lastReport < .seconds(1) { return }
        lastReport = now
        onExhausted?(error, shed)
        shed = 0
    }

    fileprivate func retryIsDue() {
        retry = nil
        if !isPaused { event?.add() }
    }
}

/// Puts a listener that ran out of descriptors back.
private final class Retry: TimerTarget {
    private unowned let listener: Listener

    init(_ listener: Listener) {
        self.listener = listener
    }

    func timerFired(_ token: TimerToken) {
        listener.retryIsDue()
    }
}

extension Listener: LoopMember {
    func loopEnds() {
        close()
    }
}

private func listenerIsReady(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue().ready()
}
