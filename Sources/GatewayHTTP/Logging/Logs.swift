import Glibc

/// The two streams of lines that a gateway writes: requests on standard output, all else on standard error.
final class Logs: Sendable {
    let diagnostics: Log
    private let output: LogWriter?
    private let errors: LogWriter

    /// - Parameters:
    ///   - output: where requests are told.
    ///   - errors: where all else is.
    init(
        _ configuration: GatewayServerConfiguration, output: Int32 = STDOUT_FILENO,
        errors descriptor: Int32 = STDERR_FILENO
    ) {
        errors = LogWriter(descriptor: descriptor)
        diagnostics = Log(level: configuration.logLevel, writer: errors)
        self.output = configuration.accessLog ? LogWriter(descriptor: output) : nil
    }

    /// A channel for one loop's requests; nil where they are not told.
    func makeAccessChannel() -> LogChannel? {
        output?.makeChannel()
    }

    /// Writes what waits. Lines that come later are lost.
    func close() {
        if let dropped = output?.droppedLines, dropped > 0 {
            diagnostics.write(.warning, "access log lines dropped", ["count": "\(dropped)"])
        }
        output?.close()
        errors.close()
    }
}
