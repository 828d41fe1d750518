import GatewayConfig
import Glibc

/// A gateway's two logs: requests on standard output, everything else on standard error.
final class Logs: Sendable {
    let diagnostics: Log
    private let output: LogWriter?
    private let errors: LogWriter

    /// Requests go to `output`, everything else to `descriptor`.
    init(
        _ configuration: GatewayServerConfiguration, output: Int32 = STDOUT_FILENO,
        errors descriptor: Int32 = STDERR_FILENO
    ) {
        errors = LogWriter(descriptor: descriptor)
        diagnostics = Log(level: configuration.logLevel, writer: errors)
        self.output = configuration.accessLog ? LogWriter(descriptor: output) : nil
    }

    /// Returns a channel for one loop's requests; nil if requests are not logged.
    func makeAccessChannel() -> LogChannel? {
        output?.makeChannel()
    }

    /// Writes the waiting lines. Later lines are lost.
    func close() {
        if let dropped = output?.droppedLines, dropped > 0 {
            diagnostics.write(.warning, "access log lines dropped", ["count": dropped])
        }
        output?.close()
        errors.close()
    }
}
