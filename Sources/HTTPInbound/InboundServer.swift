public import EventIO
public import HTTPModel
internal import HTTPWire
public import Rx

/// Serves HTTP/1.1 to clients on one loop, and is used on that loop only.
///
/// Pass it listeners with `adopt`. To shut down, call `beginDrain`, later `stopAccepting`, and wait for `onIdle`.
public final class InboundServer {
    public let loop: EventLoop
    let limits: InboundLimits
    let handler: any InboundHandler
    /// Makes the response when the server itself refuses a request.
    let errorRenderer: (InboundError) -> HTTPResponse

    /// Called once, when the last connection has closed after `stopAccepting`.
    public var onIdle: (() -> Void)?

    public var connectionCount: Int { connections.count }
    /// Requests that wait for their handler.
    public private(set) var requestsInFlight = 0
    /// Bytes of answers that wait in memory for slow clients.
    private(set) var waitingBytes = 0
    /// Bytes of answers that wait in files for slow clients.
    private(set) var spooledBytes = 0
    /// Called when a file could not be created or written. No further file is tried for a minute.
    public var onSpoolFailed: ((SocketError) -> Void)?

    let stateLimits: StateLimits
    let requestLimits: RequestLimits
    var date = DateHeader()
    /// The buffer in which heads and small answers are assembled. Taken out while in use.
    var output: [UInt8] = []

    private enum Phase {
        case serving
        case announced
        case refusing(since: MonotonicTime)
    }

    private var phase = Phase.serving
    private var listeners: [Listener] = []
    private(set) var connections: [InboundConnection] = []
    private var heldBodyBytes = 0
    /// Bytes being written to files, also for connections that have closed.
    private(set) var unwrittenBytes = 0
    private var spoolsAgainAt = MonotonicTime(nanoseconds: 0)
    private var isFull = false
    private var drainTimer: TimerToken?

    /// Call it on `loop`. `errorRenderer` is called there for each refusal.
    public init(
        loop: EventLoop, limits: InboundLimits = InboundLimits(), handler: any InboundHandler,
        errorRenderer: @escaping (InboundError) -> HTTPResponse
    ) {
        self.loop = loop
        self.limits = limits
        self.handler = handler
        self.errorRenderer = errorRenderer
        stateLimits = StateLimits(limits)
        requestLimits = RequestLimits(limits)
        output.reserveCapacity(32 * 1024)
    }

    // MARK: Connections

    public func adopt(_ listener: Listener) {
        listeners.append(listener)
        listener.start(loop: loop) { [weak self] stream in self?.accept(stream) }
    }

    private func accept(_ stream: SocketStream) {
        let connection = InboundConnection(stream: stream, server: self)
        connection.index = connections.count
        connections.append(connection)
        stream.start(handler: connection)
        switch phase {
        case .serving: break
        case .announced: connection.state.drainAnnounced()
        case .refusing(let since): connection.state.listenerClosed(at: since)
        }
        connection.settle()
        if connections.count >= limits.connections, !isFull {
            isFull = true
            for listener in listeners { listener.pause() }
        }
    }

    func connectionEnded(_ connection: InboundConnection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.index] = last
            last.index = connection.index
        }
        if isFull, connections.count < limits.connections {
            isFull = false
            for listener in listeners { listener.resume() }
        }
        becomeIdle()
    }

    // MARK: Counts

    var isOverloaded: Bool { requestsInFlight >= limits.requestsInFlight }

    func requestStarted() {
        requestsInFlight += 1
    }

    func requestEnded() {
        requestsInFlight -= 1
    }

    /// Reserves memory for request bodies. Returns false if the limit would be exceeded.
    func reserve(bodyBytes: Int) -> Bool {
        guard heldBodyBytes + bodyBytes <= limits.bufferedBodies else { return false }
        heldBodyBytes += bodyBytes
        return true
    }

    func release(bodyBytes: Int) {
        heldBodyBytes -= bodyBytes
    }

    /// Counts a change of a connection's queue. Above the limit, resets the connections without progress for longest.
    func waitingChanged(by bytes: Int) {
        waitingBytes += bytes
        while bytes > 0, waitingBytes > limits.waitingAnswers {
            let waiting = connections.lazy.filter { $0.waitingBytes > 0 }
            guard let slowest = waiting.min(by: { $0.progressedAt < $1.progressedAt }) else { return }
            slowest.end(.reset, .stalled)
        }
    }

    /// Whether answers use more than half of the memory allowed for waiting.
    var isShortOfMemory: Bool { waitingBytes > limits.waitingAnswers / 2 }

    /// The folder where an answer of this size may wait; nil if it may not wait on disk.
    func spoolDirectory(for bytes: Int) -> String? {
        guard loop.now >= spoolsAgainAt, spooledBytes + bytes <= limits.spooledAnswers,
            // Bytes being written are still in memory, even if their connection has closed, and a disk may hang.
            unwrittenBytes + bytes <= limits.waitingAnswers
        else { return nil }
        return limits.spoolDirectory
    }

    func spoolBegan(_ bytes: Int) {
        spooledBytes += bytes
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
    }

    // MARK: Leaving

    /// Continues serving, with `Connection: close` in each answer.
    public func beginDrain() {
        guard case .serving = phase else { return }
        phase = .announced
        for connection in connections { connection.state.drainAnnounced() }
    }

    /// Drops new SYNs shortly before `stopAccepting`. Handshakes in progress complete meanwhile. A client sends a dropped
    /// SYN again, and reaches whichever process then listens on the port.
    public func dropNewSYNs() {
        for listener in listeners { listener.dropNewSYNs() }
    }

    /// Accepts the queued connections, closes the listeners, and serves what was accepted: first requests are
    /// answered, later ones are 503 `DRAINING`. `onIdle` follows, at the latest after `InboundLimits.drainDeadline`,
    /// when the remaining connections are reset.
    public func stopAccepting() {
        if case .refusing = phase { return }
        let now = loop.now
        for listener in listeners { listener.drainBacklogAndClose() }
        listeners = []
        phase = .refusing(since: now)
        for connection in connections {
            connection.state.listenerClosed(at: now)
            connection.settle()
        }
        drainTimer = loop.setTimer(after: limits.drainDeadline, target: self)
        becomeIdle()
    }

    /// Closes the listeners and resets every connection now.
    public func close() {
        for listener in listeners { listener.close() }
        listeners = []
        let outcome: InboundOutcome
        switch phase {
        case .serving: outcome = .aborted
        case .announced, .refusing: outcome = .drain
        }
        if case .refusing = phase {} else { phase = .refusing(since: loop.now) }
        while let connection = connections.last { connection.end(.reset, outcome) }
        becomeIdle()
    }

    private func becomeIdle() {
        guard case .refusing = phase, connections.isEmpty else { return }
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
    public func timerFired(_ token: TimerToken) {
        drainTimer = nil
        close()
    }
}
