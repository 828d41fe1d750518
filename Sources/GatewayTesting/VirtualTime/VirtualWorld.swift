import Dispatch
import GatewayCore
import GatewayHTTP
import Glibc
import HTTPInbound
import Networking
import NetworkingTesting

/// A gateway in virtual time, and the thread that runs it and its test.
enum VirtualWorld {
    static func run<Result: Sendable>(
        _ patience: Duration, _ upstreams: StubUpstreams, _ unmatched: UnmatchedCalls.Log,
        _ configuration: GatewayServerConfiguration,
        _ declare: @escaping @Sendable (Gateway) throws -> Void, _ isolation: isolated (any Actor)?,
        _ body: (TestClient) async throws -> Result
    ) async throws -> Result {
        let clock = VirtualClock()
        guard let name = GatewayName(configuration.name) else {
            throw GatewayLeak(description: "the name '\(configuration.name)' is not \(GatewayName.rule)")
        }
        let transport = StubTransport(
            scheduler: clock, fields: CallContext.standardFields,
            fieldsWithoutContext: CallContext.fieldsWithoutContext(name),
            retryBudget: configuration.retryBudget
        ) { call in upstreams.answer(to: call, unmatched) }
        let gateway = Gateway(
            environment(transport, upstreams, configuration, name), limits: configuration.limits,
            cors: configuration.cors)
        try declare(gateway)
        let run = VirtualRun(clock, patience: patience)
        let client = TestClient(
            url: "http://gateway.test", backend: VirtualClient(try gateway.responder(), run))

        async let ended: Void = onThread { run.run() }
        do {
            let result = try await withTaskExecutorPreference(
                VirtualTestExecutor(clock), isolation: isolation
            ) {
                try await body(client)
            }
            run.end()
            try await ended
            if transport.inFlight > 0 {
                throw GatewayLeak(
                    description: "\(transport.inFlight) upstream calls are in flight after the test")
            }
            return result
        } catch {
            run.end()
            try? await ended
            throw error
        }
    }

    private static func environment(
        _ transport: StubTransport, _ upstreams: StubUpstreams,
        _ configuration: GatewayServerConfiguration, _ name: GatewayName
    ) -> GatewayEnvironment {
        // Replaces each target's base URL, including its path, as the socket world does.
        let address: UpstreamURLs = "http://stub.test"
        var environment = GatewayEnvironment(
            transport: transport,
            upstreamOverrides: configuration.upstreams.mapValues { _ in address }
                .merging(upstreams.all.map { ($0.name, address) }) { first, _ in first },
            upstreamPolicy: configuration.upstreamPolicy, name: name,
            report: { incident in
                // On standard error, as a server logs it.
                let line = Array("endpoint failed: \(incident)\n".utf8)
                _ = write(STDERR_FILENO, line, line.count)
            })
        environment.forwardClient = configuration.clients.forward
        environment.scheme = configuration.clients.scheme.rawValue
        environment.otherUpstreams = { _ in address }
        return environment
    }
}
