import Dispatch
import EventIO
import GatewayConfig
import HTTPModel
import HTTPOutbound
import Locking

/// Checks whether a gateway is ready, like a load balancer or a container's health check.
package enum HealthProbe {
    /// The path of the readiness check.
    public static let readyPath = HealthPath.ready

    static let checkTimeout = Duration.seconds(2)
    /// Time-out of the question whether the occupant of an address is a draining gateway.
    static let occupantTimeout = GatewayServerConfiguration.occupantTimeout

    /// Checks a gateway. Blocks for at most 2 s.
    ///
    /// - Parameter url: `http://host:port` or `https://host:port`, optionally with a path. The default path
    ///   is `/health/ready`. The certificate of this machine is not verified: nobody is on the way to it, and
    ///   it is for other names.
    /// - Returns: nil if the gateway is ready, else the reason why it is not.
    public static func check(_ url: String) -> String? {
        let parsed: HTTPURL
        do {
            parsed = try HTTPURL(url)
        } catch {
            return "invalid URL '\(url)': \(error)"
        }
        switch origin(of: parsed) {
        case .failure(let complaint): return "cannot check '\(url)': \(complaint.message)"
        case .success(let origin):
            return check(origin, parsed.path.isEmpty || parsed.path == "/" ? readyPath : parsed.path)
        }
    }

    /// Why a URL cannot be asked.
    struct Complaint: Error {
        let message: String
    }

    /// Returns whom to ask for a URL.
    static func origin(of url: HTTPURL) -> Result<Origin, Complaint> {
        do throws(TLSError) {
            let tls = url.scheme == .https ? try TLSContext.shared(for: tls(to: url.host)) : nil
            let origin = Origin(
                scheme: tls == nil ? .http : .https, host: url.host, port: UInt16(exactly: url.port), tls: tls
            )
            return origin.map { .success($0) }
                ?? .failure(Complaint(message: "it has no host that can be asked"))
        } catch {
            return .failure(Complaint(message: "\(error)"))
        }
    }

    private static func tls(to host: String) -> TLSConfiguration {
        let isLoopback = host == "localhost" || SocketAddress(host: host, port: 0)?.isLoopback == true
        return isLoopback ? unverified : TLSConfiguration()
    }

    /// Verifies nothing: the question is not secret, and the answer is checked by its content.
    private static let unverified: TLSConfiguration = {
        var configuration = TLSConfiguration()
        configuration.verification = .insecureNone
        return configuration
    }()

    /// Returns nil if the gateway is ready, else the reason why it is not. Blocks for at most 2 s.
    static func check(_ origin: Origin, _ path: String = readyPath) -> String? {
        switch ask(origin, OutboundRequest(target: path), within: checkTimeout) {
        case .failure(let error): return "\(origin)\(path): \(error)"
        case .success(let response):
            let code = response.head.status.code
            return (200..<300).contains(code) ? nil : "\(origin)\(path) answered \(code)"
        }
    }

    enum Occupant {
        case drainingGateway
        /// It did not answer in time. It may be a gateway that is closing its listener.
        case silent
        case other
    }

    /// Finds out who listens on an address, by plain HTTP or TLS. Blocks for at most this time, or twice as
    /// long for a gateway that speaks TLS.
    ///
    /// - Parameters:
    ///   - address: the address.
    ///   - limit: the time for an answer.
    ///   - others: further addresses of the same gateway, by plain HTTP, which are asked if it asks for a
    ///     certificate.
    static func occupant(
        of address: SocketAddress, within limit: Duration = occupantTimeout, others: [SocketAddress] = []
    ) -> Occupant {
        guard let origin = origin(of: address) else { return .other }
        let answer = ask(origin, OutboundRequest(target: readyPath), within: limit)
        // A port with TLS answers a plain request so.
        guard case .success(let response) = answer, response.head.status == .badRequest else {
            return occupant(answer)
        }
        guard let tls = try? TLSContext.shared(for: unverified),
            let secure = self.origin(of: address, tls)
        else { return .other }
        let found = ask(secure, OutboundRequest(target: readyPath), within: limit)
        guard case .failure = found else { return occupant(found) }
        // It may ask for a certificate, which nobody has who only looks.
        for other in others {
            if case .drainingGateway = occupant(of: other, within: limit) { return .drainingGateway }
        }
        return occupant(found)
    }

    private static func occupant(_ answer: Result<OutboundResponse, any Error>) -> Occupant {
        switch answer {
        case .failure(let error):
            let silences: [FailureReason] = [
                .connectionRefused, .connectionTimeout, .connectionTerminated, .responseTimeout,
            ]
            guard let error = error as? OutboundError else { return .other }
            return silences.contains(error.reason) ? .silent : .other
        case .success(let response):
            let isDraining =
                response.head.status == .serviceUnavailable
                && response.body.elementsEqual(Health.body("draining"))
            return isDraining ? .drainingGateway : .other
        }
    }

    /// Returns how to reach a listener; nil for port 0.
    ///
    /// - Parameter tls: nil for plain HTTP.
    static func origin(of address: SocketAddress, _ tls: TLSContext? = nil) -> Origin? {
        guard let port = address.port else { return Origin(unixSocket: address.host) }
        // The addresses for all interfaces are reached at loopback.
        let host =
            switch address.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            case let host: host
            }
        return UInt16(exactly: port).flatMap {
            Origin(scheme: tls == nil ? .http : .https, host: host, port: $0, tls: tls)
        }
    }

    /// Sends one request on a loop of its own. Blocks for at most this time.
    static func ask(_ origin: Origin, _ request: OutboundRequest, within limit: Duration)
        -> Result<OutboundResponse, any Error>
    {
        let group: EventLoopGroup
        do {
            group = try EventLoopGroup(count: 1, name: "health")
        } catch {
            return .failure(error)
        }
        defer { group.shutdown() }
        let loop = group.loops[0]
        let done = DispatchSemaphore(value: 0)
        let result = Lock<Result<OutboundResponse, any Error>?>(nil)
        var limits = OutboundLimits()
        limits.connectTimeout = limit
        limits.totalTimeout = limit
        let client = HTTPClient(loop: loop, limits: limits)
        loop.execute {
            _ = client.origin(origin).send(request) { answer in
                result.withLock { $0 = answer.mapError { $0 } }
                done.signal()
            }
        }
        done.wait()
        return result.withLock { $0 } ?? .failure(CancellationError())
    }
}
