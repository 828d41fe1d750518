import Dispatch
import GatewayConfig
import Glibc
import HTTPModel
import Locking
import Metrics

/// The exporter of a gateway, which a reload may replace.
final class Tracing: Sendable {
    private struct State {
        var settings = TraceSettings()
        var exporter: TraceExporter?
    }

    /// How long a drain waits for the collector.
    static let patience = Duration.seconds(2)

    private let state = Lock(State())
    private let metrics: MetricTable
    private let log: Log
    private let version: String
    private let instance: String

    init(_ metrics: MetricTable, _ log: Log, version: String?) {
        self.metrics = metrics
        self.log = log
        self.version = version ?? "unknown"
        instance = (0..<4).map { _ in
            let bits = String(UInt32.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 8 - bits.count) + bits
        }.joined()
        TraceExporter.begin(metrics)
    }

    var exporter: TraceExporter? { state.withLock { $0.exporter } }

    /// Exports as these settings say. An exporter whose collector goes on is kept.
    func use(_ configuration: GatewayServerConfiguration) throws {
        let settings = configuration.traces
        let known = state.withLock { $0 }
        var same = known.settings
        (same.ratio, same.rate, same.failures) = (settings.ratio, settings.rate, settings.failures)
        guard settings != same || known.exporter == nil else {
            return state.withLock { $0.settings = settings }
        }
        let exporter = try settings.collector.map {
            try TraceExporter(
                settings, to: $0, resource: resource(settings, configuration.name), version: version, metrics,
                log)
        }
        state.withLock { $0 = State(settings: settings, exporter: exporter) }
        // The loops let go of it soon, and pass it their last spans before.
        if let old = known.exporter {
            DispatchQueue.global().asyncAfter(deadline: .now() + 2) {
                old.finish(within: Self.patience)
            }
        }
    }

    private func resource(_ settings: TraceSettings, _ name: String) -> [(name: String, value: String)] {
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count - 1)
        let hostName = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        var resource = [
            "service.name": name, "service.version": version, "service.instance.id": instance,
            "host.name": hostName,
        ]
        resource.merge(settings.resource) { $1 }
        return resource.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Sends what waits, for at most `patience`. Blocks.
    func finish() {
        let exporter = state.withLock { state in
            defer { state.exporter = nil }
            return state.exporter
        }
        exporter?.finish(within: Self.patience)
    }
}
