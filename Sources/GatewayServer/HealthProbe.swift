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

    /// Blocks until the answer, at most some seconds.
    ///
    /// - Parameter url: `http://host:port`, with a path of its own or none: then `/health/ready` is asked.
    /// - Returns: nil when the gateway is ready, else why it is not.
    public static func check(_ url: String) -> String? {
        let parsed: HTTPURL
        do {
            parsed = try HTTPURL(url)
        } catch {
            return "'\(url)' is not a URL to ask: \(error)"
        }
        guard parsed.scheme == .http else { return "'\(url)': https is not spoken yet, only http" }
        guard let origin = Origin(host: parsed.host, port: UInt16(exactly: parsed.port)) else {
            return "'\(url)' is not a URL to ask"
        }
        let path = parsed.path.isEmpty || parsed.path == "/" ? readyPath : parsed.path
        do {
            let group = try EventLoopGroup(count: 1, name: "health")
            defer { group.shutdown() }
            return ask(origin, path, on: group.loops[0])
        } catch {
            return "\(error)"
        }
    }

    private static func ask(_ origin: Origin, _ path: String, on loop: EventLoop) -> String? {
        let done = DispatchSemaphore(value: 0)
        let complaint = Lock<String?>(nil)
        let call = loop.runBlocking {
            var limits = OutboundLimits()
            limits.totalTimeout = .seconds(2)
            return HTTPClient(loop: loop, limits: limits).upstream(origin)
                .send(OutboundRequest(target: path))
        }
        let subscription = call.subscribe(
            onSuccess: { response in
                if !(200..<300).contains(response.head.status.code) {
                    complaint.withLock { $0 = "\(origin)\(path) answered \(response.head.status.code)" }
                }
                done.signal()
            },
            onFailure: { error in
                complaint.withLock { $0 = "\(origin)\(path): \(error)" }
                done.signal()
            })
        defer { subscription.dispose() }
        done.wait()
        return complaint.withLock { $0 }
    }
}
