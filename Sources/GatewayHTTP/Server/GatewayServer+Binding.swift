import EventIO
import GatewayConfig

extension GatewayServer {
    /// How often to try an address if its occupant does not answer.
    static let bindAttempts = 8

    static func bind(_ configuration: GatewayServerConfiguration) throws -> (
        [Listener], TakeoverClaim?
    ) {
        guard let address = SocketAddress(host: configuration.host, port: configuration.port) else {
            throw GatewayStartError("'\(configuration.host)' is not a numeric address to listen on")
        }
        // A gateway that is closing its listeners does not answer, and will be gone in a moment.
        for _ in 0..<bindAttempts {
            do throws(SocketError) {
                return (try Listener.group(bind: address, count: configuration.loops), nil)
            } catch {
                guard error.isAddressInUse else {
                    throw GatewayStartError("cannot listen on \(address): \(error)")
                }
            }
            switch HealthProbe.occupant(of: address, within: configuration.occupantTimeout) {
            case .drainingGateway: return try join(address, count: configuration.loops)
            case .other: throw isTaken(address)
            case .silent: break
            }
        }
        throw isTaken(address)
    }

    /// Shares a port with a draining gateway, so that a restart refuses no client: until the old gateway has
    /// closed its listeners, the kernel distributes the connections between the two.
    private static func join(_ address: SocketAddress, count: Int) throws -> ([Listener], TakeoverClaim?) {
        let claim: TakeoverClaim
        do {
            claim = try TakeoverClaim(of: address)
        } catch {
            guard error.isAddressInUse else {
                throw GatewayStartError("cannot take over \(address): \(error)")
            }
            throw GatewayStartError("\(address) is taken: another gateway is taking it over already")
        }
        do {
            return (try Listener.group(bind: address, count: count, joining: true), claim)
        } catch {
            // For example, the kernel forbids sharing the port of another user's gateway.
            throw GatewayStartError(
                "\(address) is taken by a draining gateway and cannot be shared: \(error)")
        }
    }

    private static func isTaken(_ address: SocketAddress) -> GatewayStartError {
        GatewayStartError("\(address) is taken: another program listens there")
    }
}
