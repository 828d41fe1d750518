import EventIO
import GatewayConfig
import GatewayCore
import Locking
import Networking

/// The admin listener of a gateway: an event loop and a thread of its own, so that a busy gateway can be
/// asked why. It serves until the drain has ended.
final class AdminServer: Sendable {
    /// Where to listen.
    enum Binding: Sendable {
        case bound(Listener)
        /// A draining gateway has the address, and will leave it.
        case occupied(SocketAddress)
    }

    /// The connections of each address, for which descriptors are reserved.
    static let connections = 64
    /// How often to try an address whose occupant does not answer.
    private static let (attempts, attemptsAtDefault) = (GatewayServer.bindAttempts, 2)

    private let group: EventLoopGroup
    let worker: LoopBound<AdminWorker>
    /// Why the default address is not used, for the log; nil if it is.
    private let omission: String?
    /// The addresses that are bound.
    private let bound: Lock<[SocketAddress]>
    private let accepts = Lock(false)
    let reserve: DescriptorReserve

    /// Binds. Call `accept` to serve.
    ///
    /// - Throws: an address of `settings.listen` cannot be used. The default address may be taken.
    init(_ configuration: GatewayServerConfiguration, name: GatewayName) throws {
        let settings = configuration.admin
        let reserve = DescriptorReserve(Self.connections * settings.addresses.count)
        self.reserve = reserve
        var bindings: [Binding] = []
        var omission: String?
        for address in settings.addresses {
            do throws(GatewayStartError) {
                bindings.append(
                    try Self.bind(
                        address.socketAddress, reserve, within: configuration.occupantTimeout,
                        attempts: settings.listen == nil ? Self.attemptsAtDefault : Self.attempts))
            } catch {
                guard settings.listen == nil else { throw error }
                omission = error.description
            }
        }
        self.omission = omission
        bound = Lock(
            bindings.compactMap { if case .bound(let listener) = $0 { listener.address } else { nil } })
        group = try EventLoopGroup(count: 1, name: "sluice-admin")
        let loop = group.loops[0]
        let renderer = try AdminRenderer(name)
        worker = LoopBound(on: loop) { [bindings] in
            AdminWorker(bindings, token: settings.token, renderer, reserve, on: loop)
        }
    }

    /// Binds an address, or finds that a draining gateway has it. Blocks while it asks the occupant.
    private static func bind(
        _ address: SocketAddress, _ reserve: DescriptorReserve, within limit: Duration, attempts: Int
    ) throws(GatewayStartError) -> Binding {
        for _ in 0..<attempts {
            do throws(SocketError) {
                return .bound(try listener(at: address, reserve))
            } catch {
                guard error.isAddressInUse else {
                    throw GatewayStartError("--admin: cannot listen on \(address): \(error)")
                }
            }
            switch HealthProbe.occupant(of: address, within: limit) {
            case .drainingGateway: return .occupied(address)
            case .other: throw isTaken(address)
            case .silent: break
            }
        }
        throw isTaken(address)
    }

    static func listener(
        at address: SocketAddress, _ reserve: DescriptorReserve
    ) throws(SocketError) -> Listener {
        // The owner and the group may connect.
        try Listener(bind: address, reserve: reserve, permissions: 0o660)
    }

    private static func isTaken(_ address: SocketAddress) -> GatewayStartError {
        GatewayStartError("--admin \(address) is taken: another program listens there")
    }

    /// The addresses that are bound. An address that a draining gateway has follows once it is free.
    var addresses: [SocketAddress] { bound.withLock { $0 } }

    /// Later calls do nothing.
    func accept(for gateway: GatewayServer) {
        let isFirst = accepts.withLock { accepts in
            defer { accepts = true }
            return !accepts
        }
        guard isFirst else { return }
        let log = gateway.logs.diagnostics
        if let omission { log.write(.warning, "no admin listener", ["what": omission]) }
        for address in addresses { Self.log(address, log) }
        worker.loop.execute { [self, weak gateway] in
            guard let gateway else { return }
            worker.value.accept(for: gateway) { address in
                self.bound.withLock { $0.append(address) }
                Self.log(address, log)
            }
        }
    }

    private static func log(_ address: SocketAddress, _ log: Log) {
        log.write(.info, "admin listening", ["address": address.description])
    }

    /// Closes the listeners and all connections.
    func close() { worker.loop.execute { [worker] in worker.value.close() } }

    /// Closes everything and ends the thread. Not to be called on it.
    func shutdown() {
        close()
        group.shutdown()
    }
}
