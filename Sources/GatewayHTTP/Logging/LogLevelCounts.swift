import GatewayConfig
import Metrics
import Synchronization

/// Counts the messages of a log, on any thread.
final class LogLevelCounts: Sendable {
    private let errors = Atomic(0)
    private let warnings = Atomic(0)
    private let infos = Atomic(0)
    private let debugs = Atomic(0)

    func add(_ level: LogLevel) {
        switch level {
        case .error: errors.add(1, ordering: .relaxed)
        case .warning: warnings.add(1, ordering: .relaxed)
        case .info: infos.add(1, ordering: .relaxed)
        case .debug: debugs.add(1, ordering: .relaxed)
        }
    }

    var readings: [MetricReading] {
        [
            reading(.error, errors.load(ordering: .relaxed)),
            reading(.warning, warnings.load(ordering: .relaxed)),
            reading(.info, infos.load(ordering: .relaxed)),
            reading(.debug, debugs.load(ordering: .relaxed)),
        ]
    }

    private func reading(_ level: LogLevel, _ count: Int) -> MetricReading {
        MetricReading(.logMessages, Double(count), [level.rawValue])
    }
}
