import GatewayConfig
import Glibc
import Metrics

/// A gateway's two logs: requests on standard output, everything else on standard error. Level and format may
/// change while it runs.
final class Logs: Sendable {
    let diagnostics: Log
    let output: LogWriter
    private let errors: LogWriter

    /// Requests go to `output`, everything else to `descriptor`.
    init(
        _ configuration: GatewayServerConfiguration, output: Int32 = STDOUT_FILENO,
        errors descriptor: Int32 = STDERR_FILENO
    ) {
        errors = LogWriter(descriptor: descriptor)
        diagnostics = Log(level: configuration.logLevel, writer: errors)
        self.output = LogWriter(descriptor: output)
    }

    /// Writes as this configuration says from now on. Which requests are logged is up to the loops.
    func use(_ configuration: GatewayServerConfiguration) {
        diagnostics.use(configuration.logLevel)
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

    /// Writes the waiting lines. Later lines are lost.
    func close() {
        if output.droppedLines > 0 {
            diagnostics.write(.warning, "access log lines dropped", ["count": output.droppedLines])
        }
        output.close()
        errors.close()
    }
}
