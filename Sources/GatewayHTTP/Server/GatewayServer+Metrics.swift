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
    var readings: [MetricReading] {
        let usage = ProcessUsage.now
        return loopReadings + limitReadings(usage) + reloads.readings + usage.readings + [
            MetricReading(.draining, phase.isServing ? 0 : 1),
            MetricReading(.buildInfo, 1, [version ?? ""]),
        ] + logs.readings + upstreamReadings + bodyReadings + storeReadings
            + CertificateReport(current.withLock { $0 }).readings
    }

    private var loopReadings: [MetricReading] {
        workers.compactMap { worker in
            worker.loop.processorTime.map {
                MetricReading(.loopProcessorTime, Double($0.nanoseconds) / 1e9, [worker.loop.name])
            }
        }
    }

    private func limitReadings(_ usage: ProcessUsage) -> [MetricReading] {
        limitsInUse(usage).map {
            MetricReading(.limitUsed, Double($0.used) / Double(max(1, $0.limit)), [$0.name])
        }
    }

    /// How much of its limits the process uses, and the fullest loop of its own.
    func limitsInUse(_ usage: ProcessUsage) -> [(name: String, used: Int, limit: Int)] {
        let configuration = current.withLock { $0.configuration }
        let inbound = configuration.inbound
        let bodies = requestBodies.max { $0.inUse < $1.inUse }
        let waiting = connectionClients.map(\.report.waiting).max() ?? 0
        let streams = metrics.largest(.compressionStreams, [])
        return [
            ("connections", metrics.value(.connections, []) ?? 0, connectionTotal.limit),
            ("upstream_bodies", bodyMemory.inUse, bodyMemory.capacity),
            ("upstream_connections", upstreamConnections.inUse, upstreamConnections.capacity),
            ("requests_in_flight", metrics.largest(.httpRequestsInFlight, []), inbound.requestsInFlight),
            ("answers", metrics.largest(.answerBytesWaiting, ["memory"]), inbound.waitingAnswers),
            ("spool", metrics.largest(.answerBytesWaiting, ["file"]), inbound.spooledAnswers),
            ("request_bodies", bodies?.inUse ?? 0, bodies?.limitInUse ?? 0),
            ("waiting_calls", waiting, configuration.outbound.waitingCalls),
            ("descriptors", usage.openDescriptors ?? 0, usage.mostDescriptors ?? 0),
            ("streams", streams, configuration.compression?.streams ?? 0),
        ]
    }

    private var bodyReadings: [MetricReading] {
        protections.bodyBytes.map { MetricReading(.upstreamBodyBytes, Double($0.value), [$0.key]) }
    }

    private var storeReadings: [MetricReading] {
        site.stores.failures.map {
            MetricReading(.storeErrors, Double($0.count), [$0.store, $0.reason])
        }
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

extension MetricTable {
    /// Gives histograms the bounds that the settings have.
    func use(_ settings: MetricsSettings) {
        use(
            Buckets(nanoseconds: settings.buckets.map { Int64($0 / .nanoseconds(1)) }),
            for: .httpRequestDuration)
    }

    func forgetParts() {
        forget(.parts)
        forget(.partDuration)
    }
}

/// The last texts of metrics. Callers that ask while one is made wait for it.
final class MetricsCache: Sendable {
    private struct Text: Sendable {
        let bytes: [UInt8]
        let madeAt: MonotonicTime
    }

    static let age = TimeAmount.seconds(1)

    private let texts = Lock<[MetricsFormat: Text]>([:])
    private let clock: @Sendable () -> MonotonicTime

    init(clock: @escaping @Sendable () -> MonotonicTime = { MonotonicTime.clock() }) { self.clock = clock }

    func text(_ format: MetricsFormat, make: () -> [UInt8]) -> [UInt8] {
        texts.withLock { texts in
            let now = clock()
            if let last = texts[format], now - last.madeAt < Self.age { return last.bytes }
            let bytes = make()
            texts[format] = Text(bytes: bytes, madeAt: now)
            return bytes
        }
    }
}

extension Reloads {
    /// Without a file they count reloads of the certificates.
    var readings: [MetricReading] {
        let counted = counted
        let outcomes = [
            MetricReading(.configReloads, Double(counted.reloads), ["success"]),
            MetricReading(.configReloads, Double(counted.failedReloads), ["failure"]),
            MetricReading(.configLastReloadSuccessful, counted.isLastSuccessful ? 1 : 0),
            MetricReading(.configLastReloadSuccess, Double(counted.lastSuccess)),
        ]
        guard let report else { return outcomes }
        return outcomes + [
            MetricReading(.configGeneration, Double(report.reloads + 1)),
            MetricReading(.configInfo, 1, [report.hash]),
        ] + (lastLook.map { [MetricReading(.configLastLook, Double($0))] } ?? [])
    }
}

extension ProcessUsage {
    fileprivate var readings: [MetricReading] {
        [
            processorSeconds.map { MetricReading(.processProcessorTime, $0) },
            MetricReading(.processResidentMemory, Double(residentMemory)),
            openDescriptors.map { MetricReading(.processOpenDescriptors, Double($0)) },
            mostDescriptors.map { MetricReading(.processMostDescriptors, Double($0)) },
            Self.startTime.map { MetricReading(.processStart, $0) },
        ].compactMap { $0 }
    }
}
