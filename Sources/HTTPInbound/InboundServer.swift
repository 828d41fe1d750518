public import EventIO
public import HTTPModel
internal import HTTPWire
internal import Metrics
public import Timers

/// Serves HTTP/1.1 to clients on one loop, plain or over TLS, and is used on that loop only.
///
/// Pass it listeners with `adopt`. To shut down, call `beginDrain`, later `stopAccepting`, and wait for
/// `onIdle`.
public final class InboundServer {
    /// The loop on which the server accepts and answers.
    public let loop: EventLoop
    private(set) var limits: InboundLimits
    private(set) var clients: ClientSettings
    private(set) var handler: any InboundHandler
    /// Makes the response when the server itself refuses a request.
    private(set) var errorRenderer: (InboundError) -> HTTPResponse

    /// Called once, when the last connection has closed after `stopAccepting`.
    public var onIdle: (() -> Void)?

    /// The open connections of clients.
    public var connectionCount: Int { order.count }
    /// Clients that were closed or refused at the connection limit, since the start.
    public internal(set) var shed = ShedCounts()
    /// Called for each of them, with its count.
    public var onShed: ((ShedCounts) -> Void)?
    /// Connections of trusted proxies that were closed since the start, because they did not begin with a
    /// header of the PROXY protocol.
    public internal(set) var refusedProxyHeaders = 0
    /// Called for each of them, with the reason, `missing`, `malformed`, `too_long` or `timeout`.
    public var onProxyHeaderRefused: ((_ reason: String, _ peer: SocketAddress) -> Void)?
    /// Requests that wait for their handler.
    public private(set) var requestsInFlight = 0
    /// Bytes of answers that wait in memory for slow clients.
    public private(set) var waitingBytes = 0
    /// Bytes of these that were freed since `largeMemoryWasFreed` was called.
    private var freedBytes = 0
    /// Bytes of answers that wait in files for slow clients.
    private(set) var spooledBytes = 0
    /// Called when a file could not be created or written. No further file is tried for a minute.
    public var onSpoolFailed: ((SocketError) -> Void)?

    /// Nil on a plain port.
    public internal(set) var tls: InboundTLS?
    /// The handshakes that ended since the start.
    public internal(set) var handshakes = HandshakeCounts()
    /// Called for each handshake that did not succeed, with the reason, and whether it made room for a
    /// newcomer. A client that leaves before its first byte has begun none.
    public var onHandshakeFailed: ((_ reason: String, _ peer: SocketAddress, _ isShed: Bool) -> Void)?
    /// The connections whose handshakes are not done.
    var unfinished = UnfinishedHandshakes()
    let turns: HandshakeTurns
    /// Time in which connections finish whose clients an older policy accepted. Shorter in tests.
    var retirementTime = TimeAmount.seconds(60)

    let counts: InboundCounts
    private(set) var stateLimits: StateLimits
    let requestLimits: RequestLimits
    var date = DateHeader()
    /// The buffer in which heads and small answers are assembled. Taken out while in use.
    var output: [UInt8] = []

    /// The connections of all loops. Those above the limit are not among them.
    let total: ConnectionTotal
    /// Shared by all loops.
    let fileDescriptors: FileDescriptors
    var order = EvictionOrder()
    /// By their slots in `order`.
    var connections: [(any ClientConnection)?] = []
    private(set) var listeners: [Listener] = []
    /// Set while the listeners are paused at the limit.
    var acceptRetry: TimerToken?

    enum Phase {
        case serving
        case announced
        case leaving(since: MonotonicTime)
    }

    private(set) var phase = Phase.serving
    let bodies: BodyBudget
    /// Bytes of request bodies in memory.
    public var bodyBytes: Int { bodies.inUse }
    /// Bytes being written to files, also for connections that have closed.
    private(set) var unwrittenBytes = 0
    private var spoolsAgainAt = MonotonicTime(nanoseconds: 0)
    private var drainTimer: TimerToken?

    /// Call it on `loop`. `errorRenderer` is called there for each refusal. `total` counts the connections of
    /// several loops and replaces `limits.connections`; by default each server counts its own.
    /// `bodies` counts the bodies of this loop's requests up to `limits.bufferedBodies`. `fileDescriptors`
    /// are for answers that wait on disk; by default there may be any number. `clients` names the proxies in
    /// front. With `tls` the port speaks TLS.
    public init(
        loop: EventLoop, limits: InboundLimits = InboundLimits(), total: ConnectionTotal? = nil,
        bodies: BodyBudget? = nil, fileDescriptors: FileDescriptors = FileDescriptors(),
        clients: ClientSettings = ClientSettings(), tls: InboundTLS? = nil, handler: any InboundHandler,
        errorRenderer: @escaping (InboundError) -> HTTPResponse
    ) {
        self.loop = loop
        self.tls = tls
        turns = HandshakeTurns(loop)
        counts = InboundCounts(on: loop, hasTLS: tls != nil)
        self.limits = limits
        self.clients = clients
        self.total = total ?? ConnectionTotal(limit: limits.connections)
        self.fileDescriptors = fileDescriptors
        self.handler = handler
        self.errorRenderer = errorRenderer
        stateLimits = StateLimits(limits)
        requestLimits = RequestLimits(limits)
        self.bodies = bodies ?? BodyBudget(limit: limits.bufferedBodies, loop: loop)
        self.bodies.setLimit(limits.bufferedBodies)
        output.reserveCapacity(32 * 1024)
        date.strictTransportSecurity = tls?.strictTransportSecurity
    }

    /// Replaces the handler, the limits and the renderer, on open connections too. The new handler decides
    /// about the requests whose heads are complete from now on. The exchange of an earlier request stays as
    /// the old one has made it.
    ///
    /// - Parameters:
    ///   - handler: serves the requests from now on.
    ///   - limits: apply to the next requests. Limits of heads (`target`, `headerBlock`, `headerLine`,
    ///     `headerCount`) and `connections` stay as they are.
    ///   - clients: the proxies in front. Open connections need no header of the PROXY protocol.
    ///   - errorRenderer: called for each refusal.
    public func use(
        _ handler: any InboundHandler, limits: InboundLimits, clients: ClientSettings = ClientSettings(),
        errorRenderer: @escaping (InboundError) -> HTTPResponse
    ) {
        self.handler = handler
        self.limits = limits
        self.clients = clients
        self.errorRenderer = errorRenderer
        stateLimits = StateLimits(limits)
        bodies.setLimit(limits.bufferedBodies)
        for case let connection? in connections { connection.use(handler, limits: stateLimits) }
    }

    // MARK: Connections

    /// Accepts the connections of a listener.
    public func adopt(_ listener: Listener) {
        listeners.append(listener)
        listener.mayAccept = { [weak self] in self?.mayAccept() ?? true }
        listener.start(loop: loop) { [weak self] stream in self?.accept(stream) }
    }

    func connectionEnded(_ connection: any ClientConnection) {
        connections[connection.index] = nil
        order.remove(connection.index)
        counts.connections.add(-1)
        if connection.holdsPlace { total.remove() }
        acceptAgain()
        becomeIdle()
    }

    // MARK: Counts

    var isOverloaded: Bool { requestsInFlight >= limits.requestsInFlight }

    func requestStarted() {
        requestsInFlight += 1
        counts.requestsInFlight.add(1)
    }

    func requestEnded() {
        requestsInFlight -= 1
        counts.requestsInFlight.add(-1)
    }

    /// Counts a change of a connection's queue. Above the limit, resets connections whose clients do not
    /// read.
    func waitingChanged(by bytes: Int) {
        waitingBytes += bytes
        counts.waitingInMemory.add(bytes)
        // The queues of many connections are small, and large together.
        if bytes < 0 { freedBytes -= bytes }
        if freedBytes >= EventLoop.largeMemory {
            freedBytes = 0
            loop.largeMemoryWasFreed()
        }
        while bytes > 0, waitingBytes > limits.waitingAnswers, let slowest = slowestReader() {
            slowest.end(.reset, .stalled)
        }
    }

    /// Whether an answer of this size may be held in memory while it is written. Less than half of the memory
    /// allowed for waiting is held, so that what is written has room.
    func mayHold(_ bytes: Int) -> Bool { waitingBytes + bytes <= limits.waitingAnswers / 2 }

    /// Whether answers use more than half of the memory allowed for waiting.
    var isShortOfMemory: Bool { waitingBytes > limits.waitingAnswers / 2 }

    /// The folder where an answer of this size may wait; nil if it may not wait on disk.
    func spoolDirectory(for bytes: Int) -> String? {
        guard loop.now >= spoolsAgainAt, spooledBytes + bytes <= limits.spooledAnswers,
            // Bytes being written are still in memory, even if their connection has closed, and a disk may
            // hang.
            unwrittenBytes + bytes <= limits.waitingAnswers
        else { return nil }
        return limits.spoolDirectory
    }

    func spoolBegan(_ bytes: Int) {
        spooledBytes += bytes
        counts.waitingInFiles.add(bytes)
        unwrittenBytes += bytes
    }

    func spoolEnded(_ bytes: Int, _ error: SocketError?) {
        unwrittenBytes -= bytes
        loop.largeMemoryWasFreed()
        guard let error, loop.now >= spoolsAgainAt else { return }
        spoolsAgainAt = loop.now + TimeAmount(.seconds(60))
        onSpoolFailed?(error)
    }

    func spoolReleased(_ bytes: Int) {
        spooledBytes -= bytes
        counts.waitingInFiles.add(-bytes)
    }

    // MARK: Leaving

    /// Continues serving. An answer has `Connection: close`, unless the next request of its connection has
    /// already arrived.
    public func beginDrain() {
        guard case .serving = phase else { return }
        phase = .announced
        for case let connection? in connections { connection.drainAnnounced() }
    }

    /// Drops new SYNs shortly before `stopAccepting`. Handshakes in progress complete meanwhile. A client
    /// sends a dropped SYN again, and reaches whichever process then listens on the port.
    public func dropNewSYNs() {
        for listener in listeners { listener.dropNewSYNs() }
    }

    /// Accepts the queued connections, closes the listeners, and serves what was accepted. Connections that
    /// send no request within `InboundLimits.drainGrace` are closed, all others after their last answer.
    /// `onIdle` follows, at the latest after `InboundLimits.drainDeadline`, when the remaining connections
    /// are reset.
    public func stopAccepting() {
        if case .leaving = phase { return }
        let now = loop.now
        for listener in listeners { listener.drainBacklogAndClose() }
        forgetListeners()
        phase = .leaving(since: now)
        for case let connection? in connections {
            connection.listenerClosed(at: now)
        }
        drainTimer = loop.setTimer(after: limits.drainDeadline, target: self)
        becomeIdle()
    }

    /// Closes the listeners and resets every connection now.
    public func close() {
        for listener in listeners { listener.close() }
        forgetListeners()
        let outcome: InboundOutcome
        switch phase {
        case .serving: outcome = .aborted
        case .announced, .leaving: outcome = .drain
        }
        if case .leaving = phase {} else { phase = .leaving(since: loop.now) }
        for case let connection? in connections { connection.end(.reset, outcome) }
        becomeIdle()
    }

    private func forgetListeners() {
        listeners = []
        acceptAgain()
    }

    private func becomeIdle() {
        guard case .leaving = phase, order.count == 0 else { return }
        if let drainTimer { loop.cancelTimer(drainTimer) }
        drainTimer = nil
        let callback = onIdle
        onIdle = nil
        callback?()
    }

    // MARK: The server's own answers

    /// 204 with `Allow`; nil if the handler names no methods.
    func optionsAnswer(_ head: HTTPRequestHead) -> HTTPResponse? {
        var methods = handler.allowedMethods(head)
        guard !methods.isEmpty else { return nil }
        if methods.contains(.get), !methods.contains(.head) { methods.append(.head) }
        if !methods.contains(.options) { methods.append(.options) }
        let allow = methods.map(\.rawValue).joined(separator: ", ")
        return HTTPResponse(status: .noContent, fields: ["Allow": allow])
    }
}

extension InboundServer: TimerTarget {
    /// Accepts again after a pause, or ends the drain whose time is over.
    public func timerFired(_ token: TimerToken) {
        guard token == drainTimer else { return acceptAgain() }
        drainTimer = nil
        close()
    }
}
