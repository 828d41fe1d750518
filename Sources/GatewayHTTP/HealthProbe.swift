import Dispatch
import EventIO
import HTTPModel
import HTTPOutbound
import Locking
import Rx

/// Asks a gateway whether it is ready, as a load balancer or a container's health check does.
public enum HealthProbe {
    /// The path that says whether requests should be sent here.
    public static let readyPath = "/health/ready"

    /// Time that a gateway has to answer a probe.
    static let patience = Duration.seconds(2)
    /// Time that whoever has our address has to say whether it is a gateway that leaves.
    static let occupantPatience = Duration.milliseconds(250)

    /// Blocks until the answer, at most 2 s.
    ///
    /// - Parameter url: `http://host:port` or `https://host:port`, with a path of its own or none: then `/health/ready` is asked.
    /// - Returns: nil when the gateway is ready, else why it is not.
    public static func check(_ url: String) -> String? {
        let parsed: HTTPURL
        do {
            parsed = try HTTPURL(url)
        } catch {
            return "'\(url)' is not a URL to ask: \(error)"
        }
        let origin: Origin?
        do throws(TLSError) {
            let tls = parsed.scheme == .https ? try TLSContext.shared() : nil
            origin = Origin(
                scheme: tls == nil ? .http : .https, host: parsed.host, port: UInt16(exactly: parsed.port),
                tls: tls)
        } catch {
            return "'\(url)' cannot be asked: \(error)"
        }
        guard let origin else { return "'\(url)' is not a URL to ask" }
        let path = parsed.path.isEmpty || parsed.path == "/" ? readyPath : parsed.path
        switch ask(origin, path, within: patience) {
        case .failure(let error): return "\(origin)\(path): \(error)"
        case .success(let response):
            let code = response.head.status.code
            return (200..<300).contains(code) ? nil : "\(origin)\(path) answered \(code)"
        }
    }

    /// Who listens on an address that is taken.
    enum Occupant {
        /// A gateway that was told to leave.
        case leavingGateway
        /// Nobody answered, within a moment: a gateway that is just closing its listener, perhaps.
        case silent
        case other
    }

    /// Asks who is there; blocks, a quarter of a second at most.
    static func occupant(of address: SocketAddress) -> Occupant {
        // An address that means every interface is asked at loopback.
        let host =
            switch address.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            case let host: host
            }
        guard let port = address.port.flatMap({ UInt16(exactly: $0) }),
            let origin = Origin(host: host, port: port)
        else { return .other }
        switch ask(origin, readyPath, within: occupantPatience) {
        case .failure(let error):
            let silences: [FailureReason] = [
                .connectionRefused, .connectionTimeout, .connectionTerminated, .responseTimeout,
            ]
            guard let error = error as? OutboundError else { return .other }
            return silences.contains(error.reason) ? .silent : .other
        case .success(let response):
            let isLeaving =
                response.head.status == .serviceUnavailable
                && response.body.elementsEqual(Health.body("draining"))
            return isLeaving ? .leavingGateway : .other
        }
    }

    private static func ask(_ origin: Origin, _ path: String, within limit: Duration)
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
        let subscription = SingleAssignmentDisposable()
        loop.execute {
            let call = client.origin(origin).send(OutboundRequest(target: path))
            subscription.setDisposable(
                call.subscribe { answer in
                    result.withLock { $0 = answer }
                    done.signal()
                })
        }
        defer { subscription.dispose() }
        done.wait()
        return result.withLock { $0 } ?? .failure(CancellationError())
    }
}
