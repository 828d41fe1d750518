import Networking

extension Gateway {
    /// Adds a hook that runs once, after the port is bound and before the first request is served: the
    /// gateway is neither ready nor announced before the hook has ended. Hooks run one after another, in the
    /// order of their declarations, and may call upstreams.
    ///
    ///     let database = Database()
    ///     gateway.onStart { try await database.open() }
    ///     gateway.onStop { await database.close() }
    ///
    /// A hook that throws or exceeds its limit ends the start with its error; the hooks of `onStop` run then,
    /// too. A SIGTERM cancels the hook's task, and the gateway ends without having served.
    ///
    /// Hooks and jobs run on threads of their own, so they may block. They belong to no request: their calls
    /// carry nothing of one. Declare them next to the endpoints: in a handler they do nothing, and are an
    /// incident. A reload of a file keeps the hooks of the start, and ignores the hooks that `declare` adds
    /// then.
    ///
    /// Meanwhile the admin listener answers: `/health/live` with 200, `/health/ready` with 503.
    ///
    /// - Parameters:
    ///   - limit: the time that the hook may take. Default 30 s.
    ///   - file: for messages.
    ///   - line: for messages.
    ///   - work: the hook.
    public func onStart(
        within limit: Duration? = nil, file: String = #fileID, line: Int = #line,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        add(.start, limit ?? GatewayLifecycle.startLimit, "\(file):\(line)", work)
    }

    /// Adds a hook that runs once, as the gateway begins to drain, while the last requests are served. Jobs
    /// have been cancelled then. It does not run if the gateway was never ready, or stops without a drain.
    ///
    /// An error is logged. After the limit the hook's task is cancelled, and the gateway goes on.
    ///
    /// - Parameters:
    ///   - limit: the time that the hook may take. Default 10 s.
    ///   - file: for messages.
    ///   - line: for messages.
    ///   - work: the hook.
    public func onDrain(
        within limit: Duration? = nil, file: String = #fileID, line: Int = #line,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        add(.drain, limit ?? GatewayLifecycle.endLimit, "\(file):\(line)", work)
    }

    /// Adds a hook that runs once, after the last request, the hooks of `onDrain`, the last run of each job
    /// and the loads of shared values have ended. Runs and loads are cancelled, and the hook waits for them
    /// for 10 s at most. Hooks run one after another, in the reverse order of their declarations. They can
    /// still call upstreams. With `GatewayServer.start`, they run in `waitUntilStopped()`.
    ///
    /// An error is logged. After the limit the hook's task is cancelled, and the gateway goes on.
    ///
    /// - Parameters:
    ///   - limit: the time that the hook may take. Default 10 s.
    ///   - file: for messages.
    ///   - line: for messages.
    ///   - work: the hook.
    public func onStop(
        within limit: Duration? = nil, file: String = #fileID, line: Int = #line,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        add(.stop, limit ?? GatewayLifecycle.endLimit, "\(file):\(line)", work)
    }

    /// Adds a job that runs again and again while the gateway serves, from the moment when it is ready to the
    /// beginning of the drain, which cancels it.
    ///
    ///     gateway.every(.seconds(60)) { try await rates.refresh() }
    ///
    /// A run begins an interval after the last one began, or up to 10 % earlier, at random, so that gateways
    /// that were started together do not run it together. Runs never overlap: a run that takes longer than
    /// the interval skips the times that it misses, and the next run comes at the first time that is left. A
    /// run that throws is logged, and the next one comes as usual. In virtual time intervals are exact.
    ///
    /// A reload of a file replaces a job by the job of the same name, which keeps the time of its next run.
    ///
    /// - Parameters:
    ///   - interval: the time from one run to the next, and to the first run; at least a millisecond.
    ///   - name: the job's name in messages. Default: its place, such as `Shop/Program.swift:12`. Two jobs
    ///     cannot have the same name.
    ///   - limit: the time after which a run is cancelled. Default 60 s.
    ///   - file: for messages.
    ///   - line: for messages.
    ///   - work: the job.
    public func every(
        _ interval: Duration, named name: String? = nil, within limit: Duration? = nil,
        file: String = #fileID, line: Int = #line, _ work: @escaping @Sendable () async throws -> Void
    ) {
        let name = name ?? "\(file):\(line)"
        guard isInTime("the job \(name)") else { return }
        if interval < .milliseconds(1) {
            declarations.add(fault: "the job \(name) needs an interval of a millisecond or more")
        }
        let limit = limit ?? GatewayLifecycle.jobLimit
        check(limit, of: "the job \(name)")
        let job = PeriodicJob.Declaration(name: name, interval: interval, limit: limit, work: work)
        if !declarations.add(job) {
            declarations.add(fault: "the job \(name) is declared twice: give each one a name of its own")
        }
    }

    private func add(
        _ moment: LifecycleHook.Moment, _ limit: Duration, _ place: String,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        let hook = LifecycleHook(moment: moment, place: place, limit: limit, work: work)
        guard isInTime(hook.name) else { return }
        check(limit, of: hook.name)
        declarations.add(hook)
    }

    /// Reports what is declared too late: it would never run.
    private func isInTime(_ name: String) -> Bool {
        guard declarations.areClosed else { return true }
        let fault = EndpointFault.late(name)
        if let context = CallContext.current {
            context.reportFault(fault)
        } else {
            environment.reportBackground(BackgroundFault(fault))
        }
        return false
    }

    private func check(_ limit: Duration, of name: String) {
        if limit <= .zero { declarations.add(fault: "\(name) needs a limit above zero") }
    }

    /// The hooks and jobs declared so far, also by groups.
    package var lifecycle: GatewayLifecycle { declarations.lifecycle }
}
