import EventIO
import GatewayConfig
import Locking
package import Metrics
import NetworkingSession

extension GatewayServer {
    /// Returns the gateway's metrics as text. It is made at most once a second, so any number of scrapers
    /// costs no more than one. From any thread.
    package func metricsText(_ format: MetricsFormat) -> [UInt8] {
        metricsCache.text(format) { metrics.text(format, readings) }
    }

    /// What nothing counts and is read now.
    private var readings: [MetricReading] {
        loopReadings + limitReadings + reloads.readings + Self.processReadings + [
            MetricReading(.draining, phase.isServing ? 0 : 1),
            MetricReading(.buildInfo, 1, [version ?? ""]),
        ] + logs.readings + upstreamReadings
    }

    private var loopReadings: [MetricReading] {
        workers.compactMap { worker in
            worker.loop.processorTime.map {
                MetricReading(.loopProcessorTime, Double($0.nanoseconds) / 1e9, [worker.loop.name])
            }
        }
    }

    /// How much of its limits the process uses, and the fullest loop of its own.
    private var limitReadings: [MetricReading] {
        let inbound = current.withLock { $0.configuration.inbound }
        let used: [(limit: String, used: Int, of: Int)] = [
            ("connections", metrics.value(.connections, []) ?? 0, connectionTotal.limit),
            ("upstream_bodies", bodyMemory.inUse, bodyMemory.capacity),
            ("upstream_connections", upstreamConnections.inUse, upstreamConnections.capacity),
            ("requests_in_flight", metrics.largest(.httpRequestsInFlight, []), inbound.requestsInFlight),
            ("answers", metrics.largest(.answerBytesWaiting, ["memory"]), inbound.waitingAnswers),
            ("spool", metrics.largest(.answerBytesWaiting, ["file"]), inbound.spooledAnswers),
        ]
        return used.map { MetricReading(.limitUsed, Double($0.used) / Double(max(1, $0.of)), [$0.limit]) }
    }

    private var upstreamReadings: [MetricReading] {
        protections.report.flatMap { upstream, report in
            var readings: [MetricReading] = []
            if let circuit = report.circuit {
                let state: Double =
                    switch circuit {
                    case .closed: 0
                    case .halfOpen: 1
                    case .open: 2
                    }
                readings += [
                    MetricReading(.upstreamCircuitState, state, [upstream]),
                    MetricReading(.upstreamCircuitOpenings, Double(report.openings), [upstream]),
                ]
            }
            if !report.addresses.isEmpty {
                for state in [AddressState.inService, .ejected, .unhealthy] {
                    let count = report.addresses.values.count { $0 == state }
                    readings.append(
                        MetricReading(.upstreamAddresses, Double(count), [upstream, state.label]))
                }
            }
            return readings
        }
    }
}

extension AddressState {
    fileprivate var label: String {
        switch self {
        case .inService: "in_service"
        case .ejected: "ejected"
        case .unhealthy: "unhealthy"
        }
    }
}

/// The last texts of metrics. Who asks while one is made waits for it.
final class MetricsCache: Sendable {
    private struct Text: Sendable {
        let bytes: [UInt8]
        let madeAt: MonotonicTime
    }

    static let age = TimeAmount.seconds(1)

    private let texts = Lock<[MetricsFormat: Text]>([:])

    func text(_ format: MetricsFormat, make: () -> [UInt8]) -> [UInt8] {
        texts.withLock { texts in
            let now = MonotonicTime.clock()
            if let last = texts[format], now - last.madeAt < Self.age { return last.bytes }
            let bytes = make()
            texts[format] = Text(bytes: bytes, madeAt: now)
            return bytes
        }
    }
}

extension Reloads {
    /// Empty without a file.
    var readings: [MetricReading] {
        guard let report else { return [] }
        return [
            MetricReading(.configReloads, Double(report.reloads), ["success"]),
            MetricReading(.configReloads, Double(report.failedReloads), ["failure"]),
            MetricReading(.configGeneration, Double(report.reloads + 1)),
            MetricReading(.configLastReloadSuccessful, report.isLastSuccessful ? 1 : 0),
            MetricReading(.configLastReloadSuccess, Double(report.lastSuccess)),
        ]
    }
}

extension GatewayServer {
    private static var processReadings: [MetricReading] {
        let usage = ProcessUsage.now
        return [
            usage.processorSeconds.map { MetricReading(.processProcessorTime, $0) },
            MetricReading(.processResidentMemory, Double(usage.residentMemory)),
            usage.openDescriptors.map { MetricReading(.processOpenDescriptors, Double($0)) },
            usage.mostDescriptors.map { MetricReading(.processMostDescriptors, Double($0)) },
            ProcessUsage.startTime.map { MetricReading(.processStart, $0) },
        ].compactMap { $0 }
    }
}
