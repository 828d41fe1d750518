import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel
import NetworkingSession
import Rx

/// One loop's part of a gateway: its listener, clients and upstream connections. Confined to the loop.
final class Worker {
    /// What all workers of a gateway share.
    struct Plan: Sendable {
        let responder: GatewayResponder
        let phase: Phase
        let logs: Logs
        /// The descriptors that the process may have open.
        let descriptors: Int
        /// The client connections of all workers.
        let connections: ConnectionTotal
        let connectionLimitLog: ConnectionLimitLog
        let files: FileServer?
        let hosts: HostNames
        let configuration: GatewayServerConfiguration
    }

    private let loop: EventLoop
    private let listener: Listener
    private let client: LoopClient
    private let server: InboundServer
    private let handler: RequestHandler
    private var onStopped: (() -> Void)?

    init(_ plan: Plan, loop: EventLoop, listener: Listener, client: LoopClient) {
        self.loop = loop
        self.listener = listener
        self.client = client
        let configuration = plan.configuration
        let limits = configuration.inboundLimits(
            largestBody: plan.responder.largestBody, descriptors: plan.descriptors)
        let records = RequestRecords(
            accessLog: plan.logs.makeAccessChannel().map { AccessLog(channel: $0, loop: loop) },
            observer: configuration.observer, loop: loop)
        let responder = plan.responder
        let log = plan.logs.diagnostics
        let files = plan.files.map { LoopFiles($0, responder, records: records, log: log) }
        let handler = RequestHandler(
            responder, phase: plan.phase, hosts: plan.hosts, requestsInFlight: limits.requestsInFlight,
            records: records, files: files, compression: configuration.compression, log: log)
        self.handler = handler
        server = InboundServer(
            loop: loop, limits: limits, total: plan.connections, handler: handler
        ) { error in
            if log.isDebug {
                log.write(
                    .debug, "request refused",
                    ["status": "\(error.status.code)", "reason": "\(error.reason)"])
            }
            return responder.render(GatewayError(error), fields: error.head?.fields).response
        }
        listener.onExhausted = { error, shed in
            log.write(.warning, "no file descriptors left", ["error": "\(error)", "shed": "\(shed)"])
        }
        let limitLog = plan.connectionLimitLog
        server.onShed = { counts in limitLog.add(counts, on: loop) }
        server.onSpoolFailed = { error in
            log.write(.warning, "answers for slow clients stay in memory", ["error": "\(error)"])
        }
    }

    /// Starts serving. `onStopped` is called once everything has ended.
    func accept(onStopped: @escaping () -> Void) {
        self.onStopped = onStopped
        server.onIdle = { [unowned self] in end() }
        server.adopt(listener)
    }

    /// Begins to send `Connection: close` at once and stops accepting after `delay`. In the last part of the delay, handshakes in
    /// progress complete and no new one begins.
    func drain(after delay: Duration) {
        server.beginDrain()
        let handshakes = min(Self.handshakeTime, delay / 2)
        _ = loop.setTimer(after: delay - handshakes, target: HandshakeTimer(self))
        _ = loop.setTimer(after: delay, target: self)
    }

    /// A round trip to a distant client, plus one packet.
    static let handshakeTime = Duration.milliseconds(200)

    private final class HandshakeTimer: TimerTarget {
        private let worker: Worker

        init(_ worker: Worker) { self.worker = worker }

        func timerFired(_ token: TimerToken) { worker.server.dropNewSYNs() }
    }

    /// Resets all connections.
    func close() {
        server.close()
    }

    var report: GatewayReport {
        GatewayReport(
            connections: server.connectionCount, requests: server.requestsInFlight, calls: client.report,
            timers: loop.timerCount, wakes: loop.wakeCount, refusedRequests: handler.admission.refusals,
            tables: client.tables, shed: server.shed)
    }

    private func end() {
        client.close()
        let callback = onStopped
        onStopped = nil
        callback?()
    }
}

extension Worker: TimerTarget {
    /// The drain delay is over.
    func timerFired(_ token: TimerToken) {
        server.stopAccepting()
    }
}

extension GatewayError {
    /// The error for a request that the server refused.
    init(_ error: InboundError) {
        switch error.reason {
        case .overloaded: self = .overloaded
        case .draining: self = .draining
        // CONNECT: `Allow` is required (RFC 9110 15.5.6).
        case _ where error.status == .methodNotAllowed:
            self.init(.methodNotAllowed, error.message, fields: [.allow: GatewayResponder.serverMethods])
        default: self.init(status: error.status.code, message: error.message)
        }
    }
}
