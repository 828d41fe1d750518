import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel
import JSONBytes
import Locking

/// Answers the requests of one admin address. Confined to the loop of the admin listener. They are neither
/// logged nor counted.
final class AdminHandler: InboundHandler {
    static let largestBody = 1 << 20
    /// The requests that this address explains at once. An endpoint may take its time.
    static let mostExplained = 16
    var explained = 0

    let renderer: AdminRenderer
    /// The gateway's own; nil once it is gone.
    weak var gateway: GatewayServer?
    private let access: AdminAccess
    private let pulses: LoopPulses
    /// Shared by all addresses.
    let events: AdminEvents

    init(
        for gateway: GatewayServer, at address: SocketAddress, token: AdminToken?, _ renderer: AdminRenderer,
        _ pulses: LoopPulses, _ events: AdminEvents
    ) {
        self.gateway = gateway
        self.renderer = renderer
        self.pulses = pulses
        self.events = events
        access = AdminAccess(to: address, token: token)
    }

    /// Also asked about a connection above the limit.
    func healthAnswer(to head: HTTPRequestHead) -> HTTPResponse? {
        do throws(GatewayError) {
            guard let gateway, let answer = try Health(gateway.phase).answer(head) else { return nil }
            try check(head, isOpen: true)
            guard answer.status == .ok, head.target.path == HealthPath.live, let loop = pulses.stuckLoop
            else { return answer }
            return AdminRenderer.answer(
                .serviceUnavailable, ["status": "stuck", "loop": JSONLiteral(loop)])
        } catch {
            return renderer.answer(error, to: head.fields)
        }
    }

    func decide(_ arrival: InboundExchange.Arrival) -> BodyDecision {
        let head = arrival.head
        if let answer = healthAnswer(to: head) { return .answer(answer) }
        do throws(GatewayError) {
            try check(head, isOpen: AdminOperation.isOpen(head.target.path))
            let operation = try AdminOperation.find(head)
            return .buffer(limit: Self.largestBody, AdminExchange(arrival, operation, self))
        } catch {
            return .answer(renderer.answer(error, to: head.fields))
        }
    }

    private func check(_ head: HTTPRequestHead, isOpen: Bool) throws(GatewayError) {
        let hosts = gateway?.current.withLock { $0.configuration.hosts }
        try access.check(head, isOpen: isOpen, hosts: hosts ?? nil)
    }
}
