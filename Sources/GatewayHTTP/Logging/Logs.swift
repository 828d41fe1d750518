import GatewayConfig
import Glibc
import Locking
import Metrics

/// A gateway's two logs: requests on standard output, everything else on standard error. Level and format may
/// change while it runs.
final class Logs: Sendable {
    let diagnostics: Log
    let output: LogWriter
    private let errors: LogWriter
    private let state: Lock<LogState>

    /// Requests go to `output`, everything else to `descriptor`.
    init(
        _ configuration: GatewayServerConfiguration, output: Int32 = STDOUT_FILENO,
        errors descriptor: Int32 = STDERR_FILENO
    ) {
        errors = LogWriter(descriptor: descriptor)
        diagnostics = Log(level: configuration.logLevel, writer: errors)
        self.output = LogWriter(descriptor: output)
        state = Lock(LogState(LogSettings(configuration)))
    }

    /// What applies now. Each loop logs the requests that it selects.
    var settings: LogSettings { state.withLock { $0.current } }

    /// Writes as this configuration says from now on, except for what an override replaces.
    func use(_ configuration: GatewayServerConfiguration) {
        _ = change { $0.configure(LogSettings(configuration)) }
        output.use(configuration.logFormat)
        errors.use(configuration.logFormat)
    }

    /// What the metrics say of the logs.
    var readings: [MetricReading] {
        diagnostics.counts.readings + [
            MetricReading(.logLinesDropped, Double(output.droppedLines), ["access"]),
            MetricReading(.logLinesDropped, Double(errors.droppedLines), ["diagnostic"]),
        ]
    }

    /// Returns the number with which `end` ends the override.
    func replace(by override: LogOverride) -> Int {
        change(for: override.seconds) { $0.replace(by: override) }
    }

    func end(_ number: Int) { _ = change { $0.end(number) } }

    /// Returns the number of the latest override.
    ///
    /// - Parameter seconds: how long the change lasts; nil if it stays.
    private func change(for seconds: Int? = nil, _ change: (inout LogState) -> Void) -> Int {
        state.withLock { state in
            let old = state.current
            change(&state)
            let new = state.current
            guard old.level != new.level || old.access != new.access else { return state.overrides }
            // The less severe of both levels decides whether the change is logged.
            if new.level < old.level { diagnostics.use(new.level) }
            diagnostics.write(
                .info, "log level changed",
                [
                    "logLevel": new.level.rawValue, "access": new.access.description, "seconds": seconds,
                ])
            diagnostics.use(new.level)
            return state.overrides
        }
    }

    /// Writes the waiting lines. Later lines are lost.
    func close() {
        if output.droppedLines > 0 {
            diagnostics.write(.warning, "access log lines dropped", ["count": output.droppedLines])
        }
        output.close()
        errors.close()
    }
}
