import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel
import NetworkingSession
import Rx

/// One loop's part of a gateway: its listener, clients and upstream connections. Confined to the loop.
final class Worker {
    /// What all workers of a gateway share for its whole life.
    struct Shared: Sendable {
        let phase: Phase
        let logs: Logs
        /// The descriptors that the process may have open.
        let descriptors: Int
        /// The client connections of all workers.
        let connections: ConnectionTotal
        /// Shared by all workers.
        let fileDescriptors: FileDescriptors
        let connectionLimitLog: ConnectionLimitLog
        let proxyHeaderLog: ProxyHeaderLog
        let handshakeLog: HandshakeLog
        /// Where the gateway listens; behind it a redirect leads.
        let port: Int
        let blockedLoopLog: BlockedLoopLog
        let tracing: Tracing
        let observer: (@Sendable (FinishedRequest) -> Void)?
    }

    let loop: EventLoop
    private let client: LoopClient
    private let shared: Shared
    private let recorder: Recorder
    private let streams = LoopStreams()
    private let access = AccessLoop()
    /// The port of the gateway's requests.
    private let port: WorkerPort
    /// The port for plain HTTP; nil without one.
    private let redirect: WorkerPort?
    private var ports: [WorkerPort] { [port] + (redirect.map { [$0] } ?? []) }
    /// How many ports have not closed their last connection.
    private var openPorts: Int
    /// The current generation's.
    private(set) var handler: RequestHandler
    private var onStopped: (() -> Void)?
    /// Whether hooks may call upstreams after the last request, so that the client stays open until
    /// `closeClient()`.
    private var keepsClient = false
    /// Whether all clients have their answers, so that only calls in progress keep the worker from its end.
    private var awaitsCalls = false
    /// Whether calls in progress are cut.
    private var cutsCalls = false
    /// The time from the end of the drain delay to the cut, as the current generation sets it.
    private var drainDeadline: Duration
    private var cutTimer: TimerToken?

    /// - Parameters:
    ///   - redirectListener: of the port for plain HTTP; nil without one.
    ///   - bodies: counts the bodies of the loop's requests.
    init(
        _ shared: Shared, _ generation: Generation, loop: EventLoop, listener: Listener,
        redirectListener: Listener?, client: LoopClient, bodies: BodyBudget
    ) {
        self.loop = loop
        self.client = client
        self.shared = shared
        recorder = Recorder(shared.logs, observer: shared.observer, loop: loop)
        recorder.use(shared.logs.settings)
        recorder.hide(generation.responder.credentialFields)
        recorder.trace(generation.configuration, by: shared.tracing.exporter)
        let limits = generation.inboundLimits(shared)
        drainDeadline = limits.drainDeadline
        handler = RequestHandler(
            generation, shared, limits, recorder: recorder, streams: streams, access: access)
        let counters = recorder.counters
        port = WorkerPort(
            listener, on: loop, shared, bodies: bodies, tls: generation.tls, counters: counters,
            generation.settings(handler, limits, shared, counters))
        redirect = redirectListener.map { [handler] listener in
            WorkerPort(
                listener, on: loop, shared, bodies: bodies, counters: counters,
                generation.redirectSettings(handler, limits, shared, counters))
        }
        openPorts = redirect == nil ? 1 : 2
        counters.use(generation.responder.endpoints, countsParts: generation.configuration.metrics.parts)
        counters.access.use(generation.responder.accessNames)
        let (blockedLog, loopName) = (shared.blockedLoopLog, loop.name)
        loop.watchBlocks { time, code in blockedLog.add(time, by: code, on: loopName, at: .clock()) }
    }

    /// Routes the next requests by another generation.
    func use(_ generation: Generation) {
        client.use(generation.routes, for: generation.upstreams)
        followLogs()
        recorder.hide(generation.responder.credentialFields)
        recorder.trace(generation.configuration, by: shared.tracing.exporter)
        recorder.counters.use(
            generation.responder.endpoints, countsParts: generation.configuration.metrics.parts)
        recorder.counters.access.use(generation.responder.accessNames)
        let limits = generation.inboundLimits(shared)
        drainDeadline = limits.drainDeadline
        handler = RequestHandler(
            generation, shared, limits, recorder: recorder, streams: streams, access: access)
        port.use(generation.settings(handler, limits, shared, recorder.counters))
        if let tls = generation.tls { use(tls) }
        redirect?.use(generation.redirectSettings(handler, limits, shared, recorder.counters))
    }

    /// New connections get these certificates.
    func use(_ tls: ServerTLS) { port.use(tls) }

    /// The port for plain HTTP leads to hosts of these certificates.
    func redirect(by generation: Generation) {
        let limits = generation.inboundLimits(shared)
        redirect?.use(generation.redirectSettings(handler, limits, shared, recorder.counters))
    }

    /// From now on, logs what the settings of the logs say.
    func followLogs() {
        client.observe(ConnectionLog(shared.logs.diagnostics))
        recorder.use(shared.logs.settings)
    }

    /// Starts serving.
    ///
    /// - Parameters:
    ///   - keepsClient: whether `closeClient()` follows the end.
    ///   - onStopped: called once everything has ended.
    func accept(keepsClient: Bool, onStopped: @escaping () -> Void) {
        self.keepsClient = keepsClient
        self.onStopped = onStopped
        for port in ports {
            port.accept { [unowned self] in
                openPorts -= 1
                if openPorts == 0 { end() }
            }
        }
    }

    /// Begins to send `Connection: close` at once and stops accepting after `delay`. In the last part of the
    /// delay, handshakes in progress complete and no new one begins.
    func drain(after delay: Duration) {
        for port in ports { port.beginDrain() }
        let handshakes = min(Self.handshakeTime, delay / 2)
        _ = loop.setTimer(after: delay - handshakes, target: HandshakeTimer(self))
        _ = loop.setTimer(after: delay, target: self)
    }

    /// A round trip to a distant client, plus one packet.
    static let handshakeTime = Duration.milliseconds(200)

    private final class HandshakeTimer: TimerTarget {
        private let worker: Worker

        init(_ worker: Worker) { self.worker = worker }

        func timerFired(_ token: TimerToken) {
            for port in worker.ports { port.dropNewSYNs() }
        }
    }

    /// Resets all connections.
    func close() {
        for port in ports { port.close() }
        cutCalls()
    }

    private func cutCalls() {
        cutsCalls = true
        if awaitsCalls { stopped() }
    }

    /// The failed and slow requests that operators may see.
    var records: (failed: [KeptRecords.Record], slow: [KeptRecords.Record]) { recorder.kept.all }

    /// How attempts at upstreams failed last, by the upstream's name.
    var lastFailures: [String: LastFailure] { client.lastFailures }

    /// The spans that wait for more, before they are passed to the exporter.
    var heldSpans: Int { recorder.tracer.heldSpans }

    /// Passes the spans that wait to the exporter.
    func flushSpans() { recorder.tracer.flush() }

    func takeLongestWake() -> TimeAmount { loop.takeLongestWake() }

    /// All clients have their answers. Writes that answers did not wait for go on to their ends, at most to
    /// the deadline of the drain.
    private func end() {
        awaitsCalls = true
        if cutsCalls { return stopped() }
        client.afterUncutCalls { [self] in stopped() }
    }

    private func stopped() {
        // Closing the client ends the calls, which leads back here.
        guard let callback = onStopped.take() else { return }
        if let cutTimer { loop.cancelTimer(cutTimer) }
        flushSpans()
        if !keepsClient { client.close() }
        callback()
    }

    /// Closes the connections to upstreams.
    func closeClient() { client.close() }
}

extension Worker: TimerTarget {
    /// The drain delay is over, or the deadline of the drain has passed.
    func timerFired(_ token: TimerToken) {
        guard token != cutTimer else {
            cutTimer = nil
            return cutCalls()
        }
        cutTimer = loop.setTimer(after: drainDeadline, target: self)
        for port in ports { port.stopAccepting() }
        streams.end()
    }
}

extension Generation {
    /// One loop's limits.
    fileprivate func inboundLimits(_ shared: Worker.Shared) -> InboundLimits {
        configuration.inboundLimits(largestBody: responder.largestBody, descriptors: shared.descriptors)
    }

    /// Serves the gateway's requests.
    fileprivate func settings(
        _ handler: RequestHandler, _ limits: InboundLimits, _ shared: Worker.Shared,
        _ counters: RequestCounters
    ) -> WorkerPort.Settings {
        WorkerPort.Settings(
            handler: handler, limits: limits, clients: configuration.clients,
            errorRenderer: errorRenderer(shared.logs.diagnostics, counters))
    }

    /// Redirects the requests of the port for plain HTTP.
    fileprivate func redirectSettings(
        _ requests: RequestHandler, _ limits: InboundLimits, _ shared: Worker.Shared,
        _ counters: RequestCounters
    ) -> WorkerPort.Settings {
        let context = tls?.context
        let target = RedirectTarget(hosts, port: configuration.redirect?.targetPort ?? shared.port) {
            context?.serves(host: $0) ?? false
        }
        return WorkerPort.Settings(
            handler: RedirectHandler(requests, to: target, challenges), limits: limits.forRedirects,
            clients: configuration.clients,
            errorRenderer: errorRenderer(shared.logs.diagnostics, counters))
    }

    /// Renders the requests that the server refuses.
    fileprivate func errorRenderer(
        _ log: Log, _ counters: RequestCounters
    ) -> (InboundError) -> HTTPResponse {
        { [responder] error in
            counters.count(error)
            log.refused(error)
            return responder.render(GatewayError(error), fields: error.head?.fields).response
        }
    }
}

extension Log {
    func refused(_ error: InboundError) {
        guard isDebug else { return }
        write(
            .debug, "request refused", ["status": error.status.code, "reason": "\(error.reason)"])
    }
}

extension GatewayError {
    /// The error for a request that the server refused.
    init(_ error: InboundError) {
        switch error.reason {
        case .overloaded, .bodyMemory, .connectionLimit: self = .overloaded
        // CONNECT: `Allow` is required (RFC 9110 15.5.6).
        case _ where error.status == .methodNotAllowed:
            self.init(.methodNotAllowed, error.message, fields: [.allow: GatewayResponder.serverMethods])
        default: self.init(status: error.status.code, message: error.message)
        }
    }
}
