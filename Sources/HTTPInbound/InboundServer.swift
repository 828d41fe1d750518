public import EventIO
public import HTTPModel
internal import HTTPWire
public import Rx

/// Serves HTTP/1.1 to clients on one loop. Confined to that loop.
///
/// Hand it listeners with `adopt`. To leave: `beginDrain`, later `stopAccepting`, then wait for `onIdle`.
public final class InboundServer {
    public let loop: EventLoop
    let limits: InboundLimits
    let handler: any InboundHandler
    /// Makes the answer for what the server itself refuses: not HTTP, too long, too late, too much.
    let errorRenderer: (InboundError) -> HTTPResponse

    /// Called once, when the last connection has ended after `stopAccepting`.
    public var onIdle: (() -> Void)?

    /// Connections open now.
    public var connectionCount: Int { connections.count }
    /// Requests that wait for their handler now.
    public private(set) var requestsInFlight = 0
    /// Bytes of answers that wait for their clients in memory.
    private(set) var waitingBytes = 0
    /// Bytes of answers in files, for slow clients.
    private(set) var spooledBytes = 0
    /// Called when no file could be made, or not all be written. None is tried again for a minute.
    public var onSpoolFailed: ((SocketError) -> Void)?
    /// Connections accepted so far.
    private(set) var acceptedConnections = 0

    let stateLimits: StateLimits
    let requestLimits: RequestLimits
    var date = DateHeader()
    /// Where heads and small answers are put together. Taken out while it is used.
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
    /// Of `spooledBytes`, and of connections that have ended, what is being written.
    private(set) var unwrittenBytes = 0
    private var spoolsFrom = MonotonicTime(nanoseconds: 0)
    private var isFull = false
    private var drainTimer: TimerToken?

    /// - Parameters:
    ///   - loop: the loop that everything happens on; call `init` on it.
    ///   - errorRenderer: called for each refusal, on the loop.
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

    /// Accepts and serves what comes to `listener`, until `stopAccepting`.
    public func adopt(_ listener: Listener) {
        listeners.append(listener)
        listener.start(loop: loop) { [weak self] stream in self?.accept(stream) }
    }

    private func accept(_ stream: SocketStream) {
        let connection = InboundConnection(stream: stream, server: self)
        connection.index = connections.count
        connections.append(connection)
        acceptedConnections += 1
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

    func requestCame() {
        requestsInFlight += 1
    }

    func requestLeft() {
        requestsInFlight -= 1
    }

    /// False when the bodies held would be too many bytes.
    func take(bodyBytes: Int) -> Bool {
        guard heldBodyBytes + bodyBytes <= limits.bufferedBodies else { return false }
        heldBodyBytes += bodyBytes
        return true
    }

    func release(bodyBytes: Int) {
        heldBodyBytes -= bodyBytes
    }

    /// A connection's queue has grown or shrunk. Where all together are too many bytes, who has not read for longest pays.
    func waitingChanged(by bytes: Int) {
        waitingBytes += bytes
        while bytes > 0, waitingBytes > limits.waitingAnswers {
            let waiting = connections.lazy.filter { $0.waitingBytes > 0 }
            guard let slowest = waiting.min(by: { $0.progressedAt < $1.progressedAt }) else { return }
            slowest.end(.reset, .stalled)
        }
    }

    /// Whether more than half of the bytes wait that may wait in memory.
    var isShortOfRoom: Bool { waitingBytes > limits.waitingAnswers / 2 }

    /// Where an answer of so many bytes may wait on disk; nil: nowhere.
    func spoolDirectory(for bytes: Int) -> String? {
        guard loop.now >= spoolsFrom, spooledBytes + bytes <= limits.spooledAnswers,
            // What is being written is in memory, also when its connection has ended: a disk that hangs keeps so much.
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
        guard let error, loop.now >= spoolsFrom else { return }
        spoolsFrom = loop.now + TimeAmount(.seconds(60))
        onSpoolFailed?(error)
    }

    func spoolForgotten(_ bytes: Int) {
        spooledBytes -= bytes
    }

    // MARK: Leaving

    /// Goes on serving everybody, with `Connection: close` in each answer.
    public func beginDrain() {
        guard case .serving = phase else { return }
        phase = .announced
        for connection in connections { connection.state.drainAnnounced() }
    }

    /// Lets no connection begin any more, ahead of `stopAccepting`: handshakes under way come to their end meanwhile, and
    /// who is turned away comes to whoever listens there by then.
    public func turnNewcomersAway() {
        for listener in listeners { listener.turnNewcomersAway() }
    }

    /// Accepts what waits in the listeners' queues, closes them, and serves what was accepted: first
    /// requests are answered, further ones are 503 `DRAINING`. `onIdle` follows, at the latest after
    /// `InboundLimits.drainDeadline`, when what is left is reset.
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

    // MARK: Answers of its own

    /// 204 with `Allow`; nil where the handler names no methods.
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
    /// The drain took too long.
    public func timerFired(_ token: TimerToken) {
        drainTimer = nil
        close()
    }
}
