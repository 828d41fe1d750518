import CLibevent
import Glibc
import Timers

/// A listening socket that accepts connections on a loop.
///
/// It may be bound on any thread, so that a port in use is found before anything runs.
///
/// `@unchecked Sendable`: constant before `start`, used on the loop's thread only afterwards.
public final class Listener: @unchecked Sendable {
    /// The bound address, with the port that the kernel chose for port 0.
    public let address: SocketAddress

    /// Called at most once a second while descriptors are exhausted, with the connections shed since the last
    /// call.
    public var onExhausted: ((_ error: SocketError, _ shed: Int) -> Void)?
    /// Asked before each connection. If it returns false, the listener pauses.
    public var mayAccept: (() -> Bool)?

    private var descriptor: Int32
    /// What it accepts from when other descriptors are used up; nil for nothing.
    private let reserve: DescriptorReserve?
    private var loop: EventLoop?
    private var onAccept: ((SocketStream) -> Void)?
    // Its unretained context is this listener, which `loop.members` retains until the end of the wake that
    // closes it.
    private var event: EventHandle?
    private var memberIndex = -1
    private var isPaused = false
    private var retry: TimerToken?
    private var shed = 0
    private var lastReport: MonotonicTime?
    /// How long the last wake took in which it accepted.
    private var lastWake = TimeAmount.zero

    /// Binds and listens.
    ///
    /// - Throws: `SocketError`, with `isAddressInUse` when another socket listens there, even with
    ///   `SO_REUSEPORT`.
    public convenience init(bind address: SocketAddress) throws(SocketError) {
        try self.init(bind: address, joining: false)
    }

    /// Binds and listens for a few clients that must always be accepted.
    ///
    /// - Parameters:
    ///   - reserve: accepts connections when other descriptors are used up.
    ///   - permissions: of a Unix path, such as `0o660`. Nobody can connect before it has them.
    package convenience init(
        bind address: SocketAddress, reserve: DescriptorReserve, permissions: UInt32
    ) throws(SocketError) {
        try self.init(bind: address, joining: false, reserve: reserve, permissions: permissions)
    }

    /// Makes one listener per loop on one port; the kernel spreads connections among them. A Unix path has
    /// only one. The first binds exclusively, which refuses a port that another process uses, unless
    /// `joining` shares the port with a process of the same user, such as the one being replaced.
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

    private init(
        bind address: SocketAddress, joining: Bool, reserve: DescriptorReserve? = nil,
        permissions: UInt32? = nil
    ) throws(SocketError) {
        let descriptor = try Descriptor.socket(address.family, mayUseReserve: reserve != nil)
        do throws(SocketError) {
            if !address.isUnix {
                try Descriptor.set(SO_REUSEADDR, level: SOL_SOCKET, of: descriptor)
                // Accepted sockets inherit both options.
                try Descriptor.set(TCP_NODELAY, level: Int32(IPPROTO_TCP), of: descriptor)
                Self.limitUnsent(of: descriptor)
            }
            if joining { try Descriptor.set(SO_REUSEPORT, level: SOL_SOCKET, of: descriptor) }
            if case .ipv6(0, 0, _, _) = address.form {
                // `[::]` also accepts IPv4, whatever the system default is.
                try Descriptor.set(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), of: descriptor, to: 0)
            }
            try Self.bind(descriptor, to: address)
            if let permissions, case .unix(let path) = address.form, chmod(path, permissions) != 0 {
                throw SocketError(.bind, errno)
            }
            guard Glibc.listen(descriptor, Self.backlog) == 0 else { throw SocketError(.listen, errno) }
            // Allow others to join only once this socket listens: with SO_REUSEADDR several sockets may bind,
            // and the first to listen refuses the others (inet_csk_listen_start) unless both have
            // SO_REUSEPORT.
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
        self.reserve = reserve
        self.address = Descriptor.localAddress(of: descriptor) ?? address
    }

    /// Binds. Replaces a Unix path left behind by a process that no longer listens.
    private static func bind(_ descriptor: Int32, to address: SocketAddress) throws(SocketError) {
        var code = address.withUnsafeSockaddr { Glibc.bind(descriptor, $0, $1) == 0 ? 0 : errno }
        if code == EADDRINUSE, case .unix(let path) = address.form {
            let probe = try Descriptor.socket(AF_UNIX)
            defer { Glibc.close(probe) }
            let answer = address.withUnsafeSockaddr { Glibc.connect(probe, $0, $1) == 0 ? 0 : errno }
            // Connecting to a file of another kind is refused as well (unix(7)): it stays.
            if answer == ECONNREFUSED, Descriptor.isSocket(path), unlink(path) == 0 {
                code = address.withUnsafeSockaddr { Glibc.bind(descriptor, $0, $1) == 0 ? 0 : errno }
            }
        }
        guard code == 0 else { throw SocketError(.bind, code) }
    }

    /// Connections that may wait to be accepted, bounded by the kernel's `somaxconn`.
    private static let backlog: Int32 = 4096

    /// Unsent output that the kernel buffers per connection. A reader that is slow from the start costs the
    /// kernel 0.3 MB instead of up to 4 MB. The socket becomes writable again at half of it.
    static let unsentLimit: Int32 = 256 * 1024

    /// Kernels without the option buffer more.
    private static func limitUnsent(of descriptor: Int32) {
        try? Descriptor.set(
            TCP_NOTSENT_LOWAT, level: Int32(IPPROTO_TCP), of: descriptor, to: unsentLimit)
    }

    deinit {
        removePath()
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Starts accepting. Call `start(handler:)` on each stream that arrives.
    public func start(loop: EventLoop, onAccept: @escaping (SocketStream) -> Void) {
        loop.preconditionCurrent("a listener must be started on its event loop")
        precondition(self.loop == nil && descriptor >= 0, "a listener can be started only once")
        self.loop = loop
        self.onAccept = onAccept
        memberIndex = loop.members.insert(self)
        event = EventHandle(
            loop.base, descriptor, EV_READ | EV_PERSIST, listenerIsReady,
            Unmanaged.passUnretained(self).toOpaque())
        event?.add()
    }

    /// Stops accepting until `resume`. Connections wait in the backlog.
    public func pause() {
        guard !isPaused else { return }
        isPaused = true
        event?.remove()
    }

    /// Accepts again after a pause.
    public func resume() {
        guard isPaused else { return }
        isPaused = false
        if retry == nil { event?.add() }
    }

    /// Accepts the queued connections without asking `mayAccept`, then closes. Closing a listener of a
    /// `SO_REUSEPORT` group resets its queue, so `dropNewSYNs` first stops new connections.
    public func drainBacklogAndClose() {
        dropNewSYNs()
        while descriptor >= 0, acceptOne() {}
        close()
    }

    /// Stops listening. The kernel resets connections that were not accepted.
    public func close() {
        guard descriptor >= 0 else { return }
        removePath()
        if let event = event.take(), let loop { event.retire(on: loop) }
        Glibc.close(descriptor)
        descriptor = -1
        if let retry { loop?.cancelTimer(retry) }
        retry = nil
        onAccept = nil
        mayAccept = nil
        if memberIndex >= 0 { loop?.members.remove(at: memberIndex) }
        memberIndex = -1
    }

    func withDescriptor(_ body: (Int32) -> Void) {
        if descriptor >= 0 { body(descriptor) }
    }

    private func removePath() {
        if descriptor >= 0, case .unix(let path) = address.form, Descriptor.isSocket(path) { unlink(path) }
    }

    /// Most connections that a wake accepts, so that a flood of them does not starve the open ones.
    static let batch = 64
    /// The same after a wake of more than `longWake`.
    static let smallBatch = 8
    static let longWake = TimeAmount.milliseconds(5)

    static func batch(afterWakeOf time: TimeAmount) -> Int { time > longWake ? smallBatch : batch }

    fileprivate func ready() {
        guard let loop else { return }
        var left = Self.batch(afterWakeOf: lastWake)
        // Reads the clock if this is the first event of the wake; `runDeferred` reads it at the end.
        _ = loop.wakeTime
        loop.afterWrites(self)
        while left > 0, !isPaused, retry == nil, descriptor >= 0 {
            if let mayAccept, !mayAccept() { return pause() }
            guard acceptOne() else { return }
            left -= 1
        }
    }

    /// Accepts a connection. Returns false when none is queued or none can be accepted now.
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
        if Descriptor.isSpare(accepted, mayUseReserve: reserve != nil) {
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
            // Only this connection failed, not the listener (accept(2)): ECONNABORTED, EPROTO, ENETDOWN and
            // others.
            return code != EBADF && code != EINVAL && code != ENOTSOCK
        }
    }

    // MARK: Out of descriptors

    /// Stops watching the listener for 100 ms, since a readable listener that accepts nothing would spin the
    /// loop.
    private func acceptLater(_ error: SocketError) {
        guard let loop else { return }
        event?.remove()
        retry = loop.setTimer(after: .milliseconds(100), target: AcceptRetry(self))
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

private final class AcceptRetry: TimerTarget {
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

extension Listener: DeferredWork {
    /// A wake in which it accepted ends.
    public func runDeferred() {
        if let loop { lastWake = .clock() - loop.wakeTime }
    }
}

private func listenerIsReady(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue().ready()
}
