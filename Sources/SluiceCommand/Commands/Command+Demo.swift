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

    /// Runs the gateway and the sample upstreams in one process. Each upstream has a server of its own.
    static func demo(_ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        // Signals have to be blocked before a thread starts.
        Signals.prepare()
        var configuration = demoConfiguration
        configuration.admin.fallback = gateway.listening.admin.fallback
        configuration.version = gateway.version
        try configuration.apply(arguments)
        configuration.files = configuration.files ?? BuiltInPages.files
        let hasLatency = try arguments.isOn("latency") ?? true
        do {
            let samples = try SampleAPIs(database: try database(arguments), hasLatency: hasLatency)
            let host = SocketAddress(host: configuration.host, port: 0) ?? .loopback()
            let names = configuration.hosts(onLoopback: host.isLoopback)
            let servers = try start(samples, beside: configuration, names)
            defer { servers.forEach { $0.stop() } }
            let ports = SamplePorts(
                servers.map(\.port), at: host, isSecure: configuration.tls != nil, hasLatency: hasLatency)
            for upstream in SampleUpstream.allCases {
                configuration.upstreams[upstream.rawValue] = UpstreamURLs(ports.url(of: upstream))
                configuration.connections.tlsByUpstream[upstream.rawValue] = configuration.tls.map(trust)
            }
            configuration.files?.contentSecurityPolicy.connect(
                to: ports.sources(of: host.isLoopback ? names.names : nil))
            return try GatewayServer.run(configuration, of: "sluice", note: ports.note) { gateway in
                AppEndpoints.declare(on: gateway, hasVisitors: true)
                DemoEndpoints.declare(
                    on: gateway, faults: samples.faults, calls: samples.calls, ports: ports)
            }
        } catch let error as UsageError {
            throw error
        } catch {
            Announcement.complain("\(error)")
            return 1
        }
    }

    /// Returns how the gateway calls upstreams that have its own certificates. They are in the same process,
    /// so it trusts the one that it has made, and files without verifying them.
    private static func trust(_ server: TLSServerConfiguration) -> TLSConfiguration {
        var client = TLSConfiguration()
        guard let certificate = server.certificates.first?.certificateChain, certificate.path == nil else {
            client.verification = .insecureNone
            return client
        }
        client.trust = .authorities(certificate)
        client.serverName = "localhost"
        return client
    }

    /// Starts a server for each upstream, at the ports after the gateway's. One that cannot have its port
    /// gets any free one. They speak TLS if the gateway does: a page over https may call nothing else.
    private static func start(
        _ samples: SampleAPIs, beside gateway: GatewayServerConfiguration, _ names: HostNames
    ) throws -> [GatewayServer] {
        var configuration = GatewayServerConfiguration()
        samples.configure(&configuration)
        configuration.host = gateway.host
        configuration.tls = gateway.tls
        // The page has no certificate to show to them.
        configuration.tls?.clients = nil
        configuration.hosts = names
        configuration.accessLog = false
        configuration.logLevel = .error
        return try SamplePorts.wanted(after: gateway.port).map { port in
            configuration.port = port
            do {
                return try GatewayServer.start(configuration) { samples.declare(on: $0) }
            } catch is GatewayStartError where port > 0 {
                configuration.port = 0
                return try GatewayServer.start(configuration) { samples.declare(on: $0) }
            }
        }
    }

    /// Runs the sample upstreams alone, until SIGTERM or SIGINT.
    static func upstream(_ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        Signals.prepare()
        var configuration = GatewayServerConfiguration()
        configuration.drainDelay = .zero
        configuration.hosts = .any
        try configuration.apply(arguments)
        do {
            let samples = try SampleAPIs(database: try database(arguments))
            samples.configure(&configuration)
            return try GatewayServer.run(configuration, of: "sluice") { samples.declare(on: $0) }
        } catch let error as UsageError {
            throw error
        } catch {
            Announcement.complain("\(error)")
            return 1
        }
    }

    private static func database(_ arguments: ProgramArguments) throws -> String {
        if let path = arguments.string("data") { return path }
        return try SampleAPIs.defaultDatabasePath(environment: ProcessInfo.processInfo.environment)
    }
}
