import Dispatch
import EventIO
import GatewayConfig
import GatewayCore
import Locking
import NetworkingSession

extension GatewayServer {
    /// Reloads the certificates, keys and authorities: the gateway's own, and those for upstreams and stores.
    /// New connections use the current contents of the files, and open ones go on. Connections of clients
    /// whose certificates an authority has issued that is gone end within a minute. Blocks while it reads the
    /// files. From any thread.
    ///
    /// - Throws: `GatewayStartError` if a file cannot be read or used. Nothing changes then.
    public func reloadCertificates() throws {
        var isSuccess = false
        defer { reloads.certificatesEnded(isSuccess: isSuccess) }
        try readCertificates()
        isSuccess = true
    }

    private func readCertificates() throws {
        let configuration = current.withLock { $0.configuration }
        let tls = try ServerTLS(configuration.tls, of: configuration)
        let routes = try UpstreamRoutes.checked(configuration.connections)
        let stores = try site.stores.readCertificates()
        routes.count(in: metrics)
        let generation = current.withLock { current in
            current.routes = routes
            current.tls = tls
            return current
        }
        for client in clients { client.loop.execute { client.value.use(routes) } }
        if let tls {
            for worker in workers {
                worker.loop.execute {
                    worker.value.use(tls)
                    worker.value.redirect(by: generation)
                }
            }
            logs.diagnostics.report(tls)
        }
        for (store, tls) in stores { store.use(tls) }
    }

    /// Reads the gateway's file again with all that it names, and routes the next requests by it. Requests in
    /// flight end by the earlier contents. Upstreams with the same name, URLs, TLS and proxy keep their
    /// connections, circuits and counts. For a gateway without a file, the same as `reloadCertificates()`.
    /// Blocks while it reads; not to be called in a handler.
    ///
    /// - Throws: `GatewayReloadError` if the file cannot be used. Nothing changes then.
    public func reload() throws {
        try tellingOfReload {
            guard let file else { return try reloadCertificates() }
            _ = try reloads.queue.sync { try reload(file) }
        }
    }

    /// Handles SIGHUP: reloads on a helper thread, since reading files blocks. Writes one line to the log for
    /// each signal.
    @Sendable func hangUp() {
        guard file == nil || phase.isServing else {
            return logs.diagnostics.write(.info, "SIGHUP: no reload, because the gateway is draining")
        }
        guard reloads.begin() else {
            return logs.diagnostics.write(
                .info,
                file == nil
                    ? "SIGHUP: a reload of certificates is already waiting"
                    : "SIGHUP: a reload is already waiting")
        }
        reloadOnQueue {
            if let file = $0.file {
                $0.reload(file, because: "SIGHUP")
            } else {
                $0.reloadCertificatesOnSignal()
            }
        }
    }

    /// The reload waits already (`Reloads.begin`).
    private func reloadOnQueue(_ reload: @escaping @Sendable (GatewayServer) -> Void) {
        reloads.pending.enter()
        reloads.queue.async { [self] in
            reloads.started()
            tellingOfReload { reload(self) }
            reloads.pending.leave()
        }
    }

    /// Tells the service manager that a reload begins, and how it went.
    private func tellingOfReload(_ reload: () throws -> Void) rethrows {
        if phase.isReady { serviceManager.withLock { $0 }?.reloading() }
        defer { tellReady() }
        try reload()
    }

    private func reloadCertificatesOnSignal() {
        do {
            try reloadCertificates()
            logs.diagnostics.write(.info, "SIGHUP: certificates reloaded")
        } catch {
            logs.diagnostics.write(
                .error, "SIGHUP: certificates not reloaded, the old ones stay in use", ["what": "\(error)"])
        }
    }

    /// Reloads the file, or the certificates without one, on a helper thread. From any thread.
    ///
    /// - Parameters:
    ///   - trigger: what asked for it, for the log.
    ///   - ended: gets the warnings, or what is wrong, on the helper thread.
    /// - Returns: false if a reload waits already. Then `ended` is not called.
    func reload(
        because trigger: String,
        _ ended: @escaping @Sendable (Result<[ConfigProblem], GatewayReloadError>) -> Void
    ) -> Bool {
        guard reloads.begin() else { return false }
        reloadOnQueue { ended($0.reloadNow(because: trigger)) }
        return true
    }

    private func reloadNow(because trigger: String) -> Result<[ConfigProblem], GatewayReloadError> {
        if let file { return reload(file, because: trigger) }
        do {
            try reloadCertificates()
            logs.diagnostics.write(.info, "certificates reloaded", ["trigger": trigger])
            return .success([])
        } catch {
            logs.diagnostics.write(
                .error, "certificates not reloaded, the old ones stay in use",
                ["trigger": trigger, "what": "\(error)"])
            return .failure(GatewayReloadError(error))
        }
    }

    // MARK: Certificates

    /// Warns of certificates that have expired or will soon: now, and each day.
    func reportCertificates() {
        guard let tls = current.withLock({ $0.tls }) else { return }
        logs.diagnostics.report(tls)
        reportExpiryLater()
    }

    private func reportExpiryLater() {
        // On the wall clock, which a machine that sleeps does not stop.
        let next = DispatchWallTime.now() + .seconds(Int(CertificateReport.interval / .seconds(1)))
        reloads.queue.asyncAfter(wallDeadline: next) { [weak self] in
            guard let self, !phase.isStopped else { return }
            if let tls = current.withLock({ $0.tls }) { logs.diagnostics.reportExpiry(of: tls) }
            reportExpiryLater()
        }
    }

    // MARK: The file

    /// Looks each second whether a file that the configuration depends on has changed, and reloads once it
    /// stays the same.
    func watchFile(every interval: Duration = Reloads.watchInterval) {
        guard let file else { return }
        reloads.watch(every: interval) { [weak self] in
            guard let self, phase.isServing, reloads.findsChange() else { return }
            tellingOfReload { reload(file, because: "watch") }
        }
    }

    /// Reloads and logs how that went. Returns the warnings. On the queue of reloads.
    @discardableResult
    private func reload(
        _ file: ServedFile, because trigger: String
    ) -> Result<[ConfigProblem], GatewayReloadError> {
        do throws(GatewayReloadError) {
            let warnings = try reload(file)
            for warning in warnings {
                logs.diagnostics.write(.warning, "configuration problem", ["what": "\(warning)"])
            }
            let report = reloads.report
            logs.diagnostics.write(
                .info, "configuration reloaded",
                [
                    "trigger": trigger, "file": file.path, "generation": report?.generation,
                    "hash": report?.hash,
                ])
            return .success(warnings)
        } catch {
            for (index, problem) in error.problems.prefix(GatewayReloadError.mostLines).enumerated() {
                let level = error.warnings.contains(index) ? LogLevel.warning : .error
                logs.diagnostics.write(level, "configuration problem", ["what": problem])
            }
            logs.diagnostics.write(
                .error, "configuration not reloaded, the old one stays in use",
                ["trigger": trigger, "file": file.path, "problems": error.problems.count])
            return .failure(error)
        }
    }

    /// Returns the warnings. On the queue of reloads.
    private func reload(_ file: ServedFile) throws(GatewayReloadError) -> [ConfigProblem] {
        do {
            return try ThreadMemory.value(by: "contents") { [self] in try readAndUse(file, $0) }
        } catch let error as GatewayReloadError {
            throw error
        } catch {
            throw GatewayReloadError(problems: ["\(error)"])
        }
    }

    private func readAndUse(
        _ file: ServedFile, _ memory: ThreadMemory
    ) throws(GatewayReloadError) -> [ConfigProblem] {
        // First, so that it ends once the values of the file are freed.
        PromptMemoryReturn.begin()
        defer { PromptMemoryReturn.end() }
        do {
            guard phase.isServing else { throw GatewayReloadError(problems: ["the gateway is draining"]) }
            let reading = file.read()
            reloads.stamps = reading.stamps
            let (contents, configuration) = try reading.result.get()
            let restarts = ServedFile.restarts(
                from: current.withLock { $0.configuration }, to: configuration, contents.document)
            guard restarts.isEmpty else { throw GatewayFileError(problems: restarts) }
            let next = try generation(file, contents, configuration, memory)
            next.routes.prepare(next.upstreams)
            use(next)
            reloads.ended(hash: contents.document.hash)
            return contents.warnings
        } catch {
            reloads.ended(hash: nil)
            throw GatewayReloadError(error)
        }
    }

    private func generation(
        _ file: ServedFile, _ contents: GatewayFile, _ configuration: GatewayServerConfiguration,
        _ memory: ThreadMemory
    ) throws -> Generation {
        do {
            let material = try Generation.Material(configuration)
            return try Generation(configuration, material, at: site, isFirst: false, memory: memory) {
                try file.declare(contents, $0)
            }
        } catch {
            throw contents.redacted(error)
        }
    }

    /// Routes the next requests on each loop by this generation. Returns once the loops do, or after a second
    /// if one is busy.
    private func use(_ generation: Generation) {
        protections.use(generation.policies, of: generation.upstreamNames)
        // Before any request is routed by it, so that none is checked by what has changed.
        generation.responder.useAccess()
        let earlier = current.withLock { current in
            defer { current = generation }
            return current
        }
        upstreamLog.replace(earlier.upstreams, by: generation.upstreams)
        logs.use(generation.configuration)
        do {
            try tracing.use(generation.configuration)
        } catch {
            logs.diagnostics.write(.error, "exporting spans failed", ["what": "\(error)"])
        }
        // Before the loops ask for their histograms.
        metrics.use(generation.configuration.metrics)
        let used = DispatchGroup()
        for worker in workers {
            used.enter()
            let isAccepted = worker.loop.execute {
                worker.value.use(generation)
                used.leave()
            }
            if !isAccepted { used.leave() }
        }
        _ = used.wait(timeout: .now() + Reloads.patience)
        life.use(generation.lifecycle)
        if let tls = generation.tls { logs.diagnostics.report(tls) }
        // Once no loop counts parts any more.
        if !generation.configuration.metrics.parts { metrics.forgetParts() }
    }
}

/// Why a gateway could not reload its file.
public struct GatewayReloadError: Error, Sendable, CustomStringConvertible {
    /// One line for each, with its place in the file if it has one:
    /// `sluice.yaml:12:7: error: 5 needs a unit: 5s`.
    public let problems: [String]

    /// The indices of the problems that alone would not have kept the gateway from using the file.
    let warnings: Set<Int>

    /// The problems, one a line.
    public var description: String { problems.joined(separator: "\n") }

    /// The problems that are logged, in the order of the files.
    static let mostLines = 100

    init(problems: [String]) {
        self.problems = problems
        warnings = []
    }

    init(_ error: any Error) {
        warnings =
            switch error {
            case let error as GatewayReloadError: error.warnings
            case let error as GatewayFileError:
                Set(error.problems.indices.filter { error.problems[$0].severity == .warning })
            default: []
            }
        problems =
            switch error {
            case let error as GatewayReloadError: error.problems
            case let error as GatewayFileError: error.problems.map(\.description)
            case let error as GatewayDeclarationError: error.faults
            case let error as UsageError: [error.message]
            default: ["\(error)"]
            }
    }
}
