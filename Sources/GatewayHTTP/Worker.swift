import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel
import NetworkingSession
import Rx

/// One loop's share of a gateway: its listener, its clients, its upstream connections. Confined to the loop.
final class Worker {
    /// What all workers of a gateway share.
    struct Plan: Sendable {
        let responder: GatewayResponder
        let phase: Phase
        let logs: Logs
        /// What the process may have open.
        let descriptors: Int
        let files: FileServer?
        let hosts: HostNames
        let configuration: GatewayServerConfiguration
    }

    private let loop: EventLoop
    private let listener: Listener
    private let client: LoopClient
    private let server: InboundServer
    private var onStopped: (() -> Void)?

    init(_ plan: Plan, loop: EventLoop, listener: Listener, client: LoopClient) {
        self.loop = loop
        self.listener = listener
        self.client = client
        let configuration = plan.configuration
        let limits = configuration.inboundLimits(
            largestBody: plan.responder.largestBody, descriptors: plan.descriptors)
        let accessLog = plan.logs.makeAccessChannel().map { AccessLog(channel: $0, loop: loop) }
        let responder = plan.responder
        let log = plan.logs.diagnostics
        let files = plan.files.map { LoopFiles($0, responder, accessLog: accessLog, log: log) }
        let handler = RequestHandler(
            responder, phase: plan.phase, hosts: plan.hosts, accessLog: accessLog, files: files,
            log: log)
        server = InboundServer(loop: loop, limits: limits, handler: handler) { error in
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
        server.onSpoolFailed = { error in
            log.write(.warning, "answers for slow clients stay in memory", ["error": "\(error)"])
        }
    }

    /// Serves from here on; `onStopped` is called when all is over.
    func accept(onStopped: @escaping () -> Void) {
        self.onStopped = onStopped
        server.onIdle = { [unowned self] in end() }
        server.adopt(listener)
    }

    /// Answers carry `Connection: close` at once; after `delay` nobody new is accepted. In the last of it, handshakes that
    /// began come to their end, and none begins.
    func drain(after delay: Duration) {
        server.beginDrain()
        let rest = min(Self.handshakeTime, delay / 2)
        _ = loop.setTimer(after: delay - rest, target: TurningAway(self))
        _ = loop.setTimer(after: delay, target: self)
    }

    /// A round trip to a client far away, and one packet more.
    static let handshakeTime = Duration.milliseconds(200)

    private final class TurningAway: TimerTarget {
        private let worker: Worker

        init(_ worker: Worker) { self.worker = worker }

        func timerFired(_ token: TimerToken) { worker.server.turnNewcomersAway() }
    }

    /// Resets everybody.
    func close() {
        server.close()
    }

    var report: GatewayReport {
        GatewayReport(
            connections: server.connectionCount, requests: server.requestsInFlight, calls: client.report,
            timers: loop.timerCount, wakes: loop.wakeCount)
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
    /// What the server refuses, in the gateway's words.
    fileprivate init(_ error: InboundError) {
        switch error.reason {
        case .overloaded: self = .overloaded
        case .draining: self = .draining
        // CONNECT, which no path has (RFC 9110 15.5.6).
        case _ where error.status == .methodNotAllowed:
            self.init(.methodNotAllowed, error.message, fields: [.allow: GatewayResponder.serverMethods])
        default: self.init(status: error.status.code, message: error.message)
        }
    }
}
