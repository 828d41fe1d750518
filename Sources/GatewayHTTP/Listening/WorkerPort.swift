import EventIO
import GatewayConfig
import HTTPInbound
import HTTPModel

/// A port of a gateway on one loop: its listener, and the server of its connections. Confined to the loop.
final class WorkerPort {
    /// What a reload may change.
    struct Settings {
        let handler: any InboundHandler
        let limits: InboundLimits
        let clients: ClientSettings
        /// Called for each refusal.
        let errorRenderer: (InboundError) -> HTTPResponse
    }

    private let listener: Listener
    private let server: InboundServer

    /// - Parameters:
    ///   - shared: has the connections of all loops and ports, among which these count, and the logs.
    ///   - bodies: counts the bodies of the loop's requests.
    ///   - tls: nil for a port of plain HTTP.
    ///   - counters: the loop's.
    init(
        _ listener: Listener, on loop: EventLoop, _ shared: Worker.Shared, bodies: BodyBudget,
        tls: ServerTLS? = nil, counters: RequestCounters, _ settings: Settings
    ) {
        self.listener = listener
        server = InboundServer(
            loop: loop, limits: settings.limits, total: shared.connections, bodies: bodies,
            fileDescriptors: shared.fileDescriptors, clients: settings.clients, tls: tls?.inbound,
            handler: settings.handler, errorRenderer: settings.errorRenderer)
        report(to: shared, on: loop, counters)
    }

    private func report(to shared: Worker.Shared, on loop: EventLoop, _ counters: RequestCounters) {
        let log = shared.logs.diagnostics
        listener.onExhausted = { error, shed in
            log.write(.warning, "no file descriptors left", ["error": "\(error)", "shed": shed])
        }
        let limitLog = shared.connectionLimitLog
        server.onShed = { counts in limitLog.add(counts, on: loop) }
        let proxyLog = shared.proxyHeaderLog
        server.onProxyHeaderRefused = { reason, address in
            counters.count(.proxyHeader)
            proxyLog.add(ProxyHeaderCounts(reason, from: address), on: loop)
        }
        let handshakeLog = shared.handshakeLog
        server.onHandshakeFailed = { reason, peer, isShed in
            log.handshakeFailed(reason, peer)
            handshakeLog.add(FailedHandshakes(reason, from: peer, isShed: isShed), on: loop)
        }
        server.onSpoolFailed = { error in
            log.write(.warning, "answers for slow clients stay in memory", ["error": "\(error)"])
        }
    }

    func use(_ settings: Settings) {
        server.use(
            settings.handler, limits: settings.limits, clients: settings.clients,
            errorRenderer: settings.errorRenderer)
    }

    /// New connections get these certificates. Call it for a port that has TLS.
    func use(_ tls: ServerTLS) { server.use(tls: tls.inbound) }

    /// - Parameter onIdle: called once, when the last connection has closed after `stopAccepting`.
    func accept(onIdle: @escaping () -> Void) {
        server.onIdle = onIdle
        server.adopt(listener)
    }

    func beginDrain() { server.beginDrain() }

    func dropNewSYNs() { server.dropNewSYNs() }

    func stopAccepting() { server.stopAccepting() }

    func close() { server.close() }
}

extension Log {
    fileprivate func handshakeFailed(_ reason: String, _ peer: SocketAddress) {
        guard isDebug else { return }
        write(.debug, "TLS handshake failed", ["remote": "\(peer)", "reason": reason])
    }
}
