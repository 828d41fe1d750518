import EventIO
import GatewayConfig
import HTTPInbound
import Rx

/// The admin listener on its loop. Confined to it.
final class AdminWorker {
    /// How often an address is tried that a draining gateway has.
    static let retryInterval = Duration.milliseconds(100)

    private let loop: EventLoop
    private let token: AdminToken?
    private let renderer: AdminRenderer
    private let reserve: DescriptorReserve
    let pulses: LoopPulses
    private let events: AdminEvents
    private var bindings: [AdminServer.Binding]
    /// One for each address, each with its own connections and requests: the clients of one address cannot
    /// keep out the clients of another.
    private var servers: [InboundServer] = []
    private var retry: TimerToken?
    private weak var gateway: GatewayServer?
    private var onBound: ((SocketAddress) -> Void)?

    init(
        _ bindings: [AdminServer.Binding], token: AdminToken?, _ renderer: AdminRenderer,
        _ reserve: DescriptorReserve, on loop: EventLoop
    ) {
        self.bindings = bindings
        self.token = token
        self.renderer = renderer
        self.reserve = reserve
        self.loop = loop
        pulses = LoopPulses(on: loop)
        events = AdminEvents(on: loop)
    }

    /// - Parameter onBound: called for each address that becomes free later.
    func accept(for gateway: GatewayServer, onBound: @escaping (SocketAddress) -> Void) {
        self.gateway = gateway
        self.onBound = onBound
        pulses.begin(gateway.workers.map(\.loop))
        for case .bound(let listener) in bindings { serve(listener, gateway) }
        bindings.removeAll { if case .bound = $0 { true } else { false } }
        tryLater()
    }

    func close() {
        if let retry = retry.take() { loop.cancelTimer(retry) }
        pulses.end()
        events.close()
        for server in servers { server.close() }
        servers = []
        bindings = []
    }

    private func serve(_ listener: Listener, _ gateway: GatewayServer) {
        let renderer = renderer
        let server = InboundServer(
            loop: loop, limits: Self.limits,
            handler: AdminHandler(for: gateway, at: listener.address, token: token, renderer, pulses, events),
            errorRenderer: { renderer.answer($0) })
        server.adopt(listener)
        servers.append(server)
    }

    private static let limits = {
        var limits = InboundLimits()
        limits.connections = AdminServer.connections
        // For health checks.
        limits.connectionsAboveLimit = 4
        // Those that last have limits of their own, which leave room for all others.
        limits.requestsInFlight = AdminServer.connections
        limits.requestBody = AdminHandler.largestBody
        limits.bufferedBodies = 16 * AdminHandler.largestBody
        limits.waitingAnswers = 64 << 20
        // Clients that read nothing would keep others out.
        limits.sendStall = .seconds(10)
        limits.spoolDirectory = nil
        return limits
    }()

    // MARK: Addresses of draining gateways

    private func tryLater() {
        guard !bindings.isEmpty else { return }
        retry = loop.setTimer(after: Self.retryInterval, target: self)
    }

    private func tryAgain(_ gateway: GatewayServer) {
        bindings.removeAll { binding in
            guard case .occupied(let address) = binding else { return true }
            do throws(SocketError) {
                let listener = try AdminServer.listener(at: address, reserve)
                onBound?(listener.address)
                serve(listener, gateway)
                return true
            } catch {
                guard !error.isAddressInUse else { return false }
                gateway.logs.diagnostics.write(
                    .warning, "no admin listener", ["what": "cannot listen on \(address): \(error)"])
                return true
            }
        }
    }
}

extension AdminWorker: TimerTarget {
    func timerFired(_ token: TimerToken) {
        retry = nil
        guard let gateway else { return }
        tryAgain(gateway)
        tryLater()
    }
}
