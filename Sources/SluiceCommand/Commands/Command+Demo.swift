import Dispatch
import EventIO
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import SampleUpstreams

extension Command {
    static let demoConfiguration: GatewayServerConfiguration = {
        var configuration = GatewayServerConfiguration()
        configuration.limits.allowsTimeline = true
        // The faults of one visitor must neither open the circuits of all nor take their retries.
        configuration.upstreamPolicy.breaker = nil
        configuration.retryBudget = RetryBudget(floor: 1000)
        return configuration
    }()

    /// Runs the gateway and the sample upstreams in one process. The upstreams have their own loop, and a port each: the ports after the
    /// gateway's or, if one is taken, any free one.
    static func demo(_ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        // Signals have to be blocked before a thread starts.
        Signals.prepare()
        var configuration = demoConfiguration
        try configuration.apply(arguments)
        configuration.files = configuration.files ?? BuiltInPages.files
        let hasLatency = try arguments.isOn("latency") ?? true
        let errors = LogWriter(descriptor: 2)
        defer { errors.close() }
        let complaints = errors.makeChannel()
        do {
            let host = SocketAddress(host: configuration.host, port: 0) ?? .loopback()
            let names = configuration.hosts(onLoopback: host.isLoopback)
            let sample = try SampleServer(
                database: try database(arguments), hasLatency: hasLatency, allowsHost: { names.allows($0) },
                log: { event in
                    if case .dataFailed(let error) = event { complaints.append(error.line) }
                })
            let group = try EventLoopGroup(count: 1, name: "samples")
            defer { group.shutdown() }
            let addresses = try sample.start(
                on: group.loops, at: SamplePorts.wanted(at: host, after: configuration.port), mayMove: true)
            let ports = SamplePorts(addresses, hasLatency: hasLatency)
            for upstream in SampleUpstream.allCases {
                configuration.upstreams[upstream.rawValue] = UpstreamURLs(ports.url(of: upstream))
            }
            configuration.files?.contentSecurityPolicy.connect(
                to: ports.sources(of: host.isLoopback ? names.names : nil))
            return try GatewayServer.run(configuration, of: "sluice", note: ports.note) { gateway in
                AppEndpoints.declare(on: gateway, hasVisitors: true)
                DemoEndpoints.declare(on: gateway, faults: sample.faults, calls: sample.calls, ports: ports)
            }
        } catch let error as UsageError {
            throw error
        } catch {
            Announcement.complain("\(error)")
            return 1
        }
    }

    /// Runs the sample upstreams alone, until SIGTERM or SIGINT.
    static func upstream(_ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        Signals.prepare()
        let host = try GatewayServerConfiguration.host(arguments) ?? "127.0.0.1"
        let port = try GatewayServerConfiguration.port(arguments) ?? 8080
        guard let address = SocketAddress(host: host, port: port) else {
            throw UsageError(
                message:
                    "\(arguments.source(of: "host")) takes a numeric address such as 127.0.0.1 or ::1, not '\(host)'"
            )
        }
        let log = LogWriter(descriptor: 1)
        let errors = LogWriter(descriptor: 2)
        defer {
            log.close()
            errors.close()
        }
        let lines = log.makeChannel()
        let complaints = errors.makeChannel()
        do {
            let sample = try SampleServer(
                database: try database(arguments),
                log: { event in
                    switch event {
                    case .answered(let answer): lines.append(answer.line)
                    case .dataFailed(let error): complaints.append(error.line)
                    }
                })
            let group = try EventLoopGroup(count: 1, name: "samples")
            defer { group.shutdown() }
            let bound = try sample.start(on: group.loops, at: address)
            let leave = DispatchSemaphore(value: 0)
            try Signals.watch(on: group.loops[0], onHangUp: { complaints.append(.hangUpIgnored) }) {
                leave.signal()
            }
            Announcement.write(url: "http://\(bound)")
            leave.wait()
            // Requests in flight are answered. A second signal ends the process at once.
            let stopped = DispatchSemaphore(value: 0)
            sample.stop { stopped.signal() }
            stopped.wait()
            return 0
        } catch let error as SocketError where error.isAddressInUse {
            Announcement.complain("\(address) is taken: another program listens there")
            return 1
        } catch {
            Announcement.complain("\(error)")
            return 1
        }
    }

    private static func database(_ arguments: ProgramArguments) throws -> String {
        if let path = arguments.string("data") { return path }
        return try SampleServer.defaultDatabasePath(environment: ProcessInfo.processInfo.environment)
    }
}
