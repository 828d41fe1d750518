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
        var environment = Self.environment(transport, upstreams, configuration, name)
        environment.rateLimitStores = configuration.stores.mapValues { _ in VirtualStore(clock) }
        let gateway = Gateway(environment, limits: configuration.limits, cors: configuration.cors)
        try declare(gateway)
        let run = VirtualRun(clock, patience: patience)
        let client = TestClient(
            url: "http://gateway.test", backend: VirtualClient(try gateway.responder(), run))
        let life = GatewayLife(
            gateway.lifecycle,
            in: GatewayLife.Surroundings(
                scheduler: clock, executor: clock, loads: environment.sharedLoads, random: { 0 },
                report: environment.reportBackground))
        gateway.releaseDeclarations()

        async let ended: Void = onThread { run.run() }
        let result: Result
        var isReady = false
        do {
            try await start(life, run)
            isReady = true
            result = try await withTaskExecutorPreference(
                VirtualTestExecutor(clock), isolation: isolation
            ) {
                try await body(client)
            }
            try await stop(life, run, wasReady: true)
        } catch {
            try? await stop(life, run, wasReady: isReady)
            environment.access.end()
            run.end()
            try? await ended
            throw error
        }
        environment.access.end()
        run.end()
        try await ended
        if transport.inFlight > 0 {
            throw GatewayLeak(
                description: "\(transport.inFlight) upstream calls are in flight after the test")
        }
        return result
    }

    /// Runs the hooks of the start, and begins the jobs.
    private static func start(_ life: GatewayLife, _ run: VirtualRun) async throws {
        try await perform("a hook of onStart", in: run) { ended in
            life.start { fault in
                if fault == nil { life.beginJobs() }
                ended(fault.map { GatewayStartError($0.description) })
            }
        }
    }

    /// Cancels the jobs, and runs the other hooks. Once stopped, does nothing.
    private static func stop(_ life: GatewayLife, _ run: VirtualRun, wasReady: Bool) async throws {
        try await perform("a hook of onDrain or onStop, or a cancelled job", in: run) { ended in
            life.drain(runsHooks: wasReady)
            life.stop { ended(nil) }
        }
    }

    /// Begins work on the clock's thread, and waits for its end while the clock runs.
    private static func perform(
        _ what: String, in run: VirtualRun,
        _ begin: @escaping @Sendable (_ ended: @escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async throws {
        let mailbox = Mailbox<(any Error)?>()
        let number = run.began(what) { mailbox.put($0) }
        _ = run.clock.schedule {
            begin { error in
                // Before the next turn of the clock, which otherwise moves on.
                run.ended(number)
                mailbox.put(error)
            }
        }
        if let error = await mailbox.take() { throw error }
    }

    /// Writes on standard error, as a server's log does.
    @Sendable private static func complain(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    private static func environment(
        _ transport: StubTransport, _ upstreams: StubUpstreams,
        _ configuration: GatewayServerConfiguration, _ name: GatewayName
    ) -> GatewayEnvironment {
        // Replaces each target's base URL, including its path, as the socket world does.
        // Nobody stands between, so that it may serve signing keys.
        let address: UpstreamURLs = "https://stub.test"
        var environment = GatewayEnvironment(
            transport: transport,
            upstreamOverrides: configuration.upstreams.mapValues { _ in address }
                .merging(upstreams.all.map { ($0.name, address) }) { first, _ in first },
            upstreamPolicy: configuration.upstreamPolicy, name: name,
            report: { complain("endpoint failed: \($0)") })
        environment.reportBackground = { complain("background work failed: \($0)") }
        environment.forwardClient = configuration.clients.forward
        environment.scheme = configuration.clients.scheme.rawValue
        environment.otherUpstreams = { _ in address }
        environment.log = ShownLog(level: configuration.logLevel)
        return environment
    }
}
