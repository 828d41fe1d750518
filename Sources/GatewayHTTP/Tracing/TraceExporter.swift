import Dispatch
import EventIO
import FoundationEssentials
import GatewayConfig
import HTTPModel
import HTTPOutbound
import Metrics
import Networking
import OTLP
import Rx

/// Sends spans to a collector, by OTLP over HTTP (binary Protocol Buffers). Has a thread of its own, so that
/// neither requests nor operators wait for the collector.
final class TraceExporter: Sendable {
    /// What became of spans: the label in `sluice_spans_total`.
    enum Outcome: String, CaseIterable {
        case exported
        /// Too many spans of the loop wait already.
        case queueFull = "queue_full"
        /// The loop exports as many traces a second as it may. Of each further trace only the request's span
        /// counts, because the others are never made.
        case rateLimited = "rate_limited"
        /// The collector could not be reached, or answered with an error.
        case failed
        /// The collector took the others of the same request.
        case rejected
    }

    /// A request that fails is sent so many times again.
    static let mostRetries = 5

    private static let longestWait = Duration.seconds(30)

    /// Returns the time to the next retry: what the collector asked for, or a share of 1, 2, 4 ... seconds,
    /// at most 30 s.
    static func wait(after retries: Int, asked: Duration?, share: Double) -> Duration {
        min(asked ?? .seconds(1 << retries) * share, longestWait)
    }

    /// Spans of one loop.
    struct Batch: Sendable {
        let bytes: [UInt8]
        let count: Int
        let from: WaitingSpans
    }

    private let group: EventLoopGroup
    private let worker: LoopBound<Worker>
    private let counters: [Outcome: SharedCounter]

    /// - Parameters:
    ///   - collector: where spans go.
    ///   - resource: describes the process.
    ///   - version: the program's.
    /// - Throws: the thread cannot be made, or TLS cannot be set up.
    init(
        _ settings: TraceSettings, to collector: HTTPURL, resource: [(name: String, value: String)],
        version: String, _ metrics: MetricTable, _ log: Log
    ) throws {
        let tls = try collector.scheme == .https ? TLSContext.shared() : nil
        guard let port = UInt16(exactly: collector.port),
            let origin = Origin(
                scheme: tls == nil ? .http : .https, host: collector.host, port: port, tls: tls)
        else { throw GatewayStartError("traces.url takes \(TraceSettings.rule)") }
        group = try EventLoopGroup(count: 1, name: "sluice-traces")
        let counters = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map {
                ($0, metrics.name().shared(.spans, [$0.rawValue]))
            })
        self.counters = counters
        worker = LoopBound(on: group.loops[0]) { [loop = group.loops[0]] in
            Worker(
                loop, origin, collector, settings, resource: resource, version: version, log
            ) { counters[$0]?.add($1) }
        }
    }

    /// Makes the series of all outcomes, at 0.
    static func begin(_ metrics: MetricTable) {
        for outcome in Outcome.allCases { _ = metrics.name().shared(.spans, [outcome.rawValue]) }
    }

    /// Whether a request to the collector has failed and waits to be sent again. Blocks; for tests.
    var awaitsRetry: Bool { worker.loop.runBlocking { [worker] in worker.value.awaitsRetry } }

    func count(_ outcome: Outcome, _ spans: Int) { counters[outcome]?.add(spans) }

    /// Sends spans, later ones after earlier ones. From any thread.
    func export(_ batch: Batch) {
        if !worker.loop.execute({ [worker] in worker.value.add(batch) }) {
            batch.from.release(batch.count)
            count(.failed, batch.count)
        }
    }

    /// Ends once all spans are sent, or after a time. What is left has failed. Blocks.
    func finish(within patience: Duration) {
        let ended = DispatchSemaphore(value: 0)
        let isAccepted = worker.loop.execute { [worker] in worker.value.finish { ended.signal() } }
        if isAccepted { _ = ended.wait(timeout: .now() + patience / .seconds(1)) }
        let isClosed = DispatchSemaphore(value: 0)
        if worker.loop.execute({ [worker] in
            worker.value.close()
            isClosed.signal()
        }) {
            isClosed.wait()
        }
        group.shutdown()
    }
}

extension TraceExporter {
    /// Sends one request at a time. Confined to its loop.
    fileprivate final class Worker {
        /// A failure is logged at most once in this time.
        private static let quiet = Duration.seconds(60)

        private let loop: EventLoop
        private let client: HTTPClient
        private let origin: Origin
        private let collector: HTTPURL
        private let settings: TraceSettings
        private let resource: [(name: String, value: String)]
        private let version: String
        private let log: Log
        private let count: (Outcome, Int) -> Void

        private var queue: [Batch] = []
        private var sending: Sending?
        private var retry: TimerToken?
        private var onEmpty: (() -> Void)?
        private var isClosed = false
        private var lastWarning: MonotonicTime?
        private var hasFailed = false

        private struct Sending {
            let batches: [Batch]
            let body: [UInt8]
            var retries = 0

            var count: Int { batches.reduce(0) { $0 + $1.count } }
        }

        init(
            _ loop: EventLoop, _ origin: Origin, _ collector: HTTPURL, _ settings: TraceSettings,
            resource: [(name: String, value: String)], version: String, _ log: Log,
            count: @escaping (Outcome, Int) -> Void
        ) {
            self.loop = loop
            self.origin = origin
            self.collector = collector
            self.settings = settings
            self.resource = resource
            self.version = version
            self.log = log
            self.count = count
            var limits = OutboundLimits()
            limits.responseBody = 64 << 10
            limits.connectionsPerUpstream = 1
            client = HTTPClient(loop: loop, limits: limits)
        }

        var awaitsRetry: Bool { retry != nil }

        func add(_ batch: Batch) {
            guard !isClosed else { return end([batch], .failed, batch.count) }
            queue.append(batch)
            send()
        }

        func finish(_ ended: @escaping () -> Void) {
            guard sending != nil || !queue.isEmpty else { return ended() }
            onEmpty = ended
        }

        func close() {
            isClosed = true
            if let retry = retry.take() { loop.cancelTimer(retry) }
            if let sending = sending.take() { end(sending.batches, .failed, sending.count) }
            for batch in queue { end([batch], .failed, batch.count) }
            queue = []
            client.close()
        }

        // MARK: Sending

        private func send() {
            guard sending == nil else { return }
            var batches: [Batch] = []
            var count = 0
            while let next = queue.first, count == 0 || count + next.count <= Tracer.batchSpans {
                batches.append(next)
                count += next.count
                queue.removeFirst()
            }
            guard !batches.isEmpty else {
                onEmpty.take()?()
                return
            }
            let body = ExportRequest.bytes(
                of: batches.map(\.bytes), resource: resource, scope: ("sluice", version))
            sending = Sending(batches: batches, body: body)
            attempt()
        }

        private func attempt() {
            guard let sending else { return }
            var fields: HTTPFields = [.contentType: "application/x-protobuf"]
            fields.append(contentsOf: settings.fields)
            let target = collector.path + (collector.query.map { "?\($0)" } ?? "")
            let request = OutboundRequest(
                method: .post, target: Array(target.utf8)[...], fields: fields,
                body: .bytes(sending.body[...]))
            let worker = LoopBound(self, loop: loop)
            _ = client.origin(origin).send(request, within: TimeAmount(settings.timeout)) { result in
                worker.value.answered(result)
            }
        }

        private func answered(_ result: Result<OutboundResponse, OutboundError>) {
            guard !isClosed, let sending else { return }
            switch result {
            case .success(let response) where response.head.status.code / 100 == 2:
                // A collector may answer with nothing.
                let rejected = ExportRequest.rejected(in: response.body) ?? (count: 0, message: "")
                let lost = min(rejected.count, sending.count)
                succeeded(rejected: lost, rejected.message)
            case .success(let response):
                let status = response.head.status.code
                let isTransient = [429, 502, 503, 504].contains(status)
                failed(
                    "the collector answered \(status)", isTransient: isTransient,
                    after: RetryAfter.delay(in: response.head.fields, now: Date.now.timeIntervalSince1970))
            case .failure(let error):
                failed("\(error.reason): \(error.detail)", isTransient: true, after: nil)
            }
        }

        private func succeeded(rejected: Int, _ message: String) {
            guard let sending = sending.take() else { return }
            end(sending.batches, .exported, sending.count - rejected)
            if rejected > 0 {
                count(.rejected, rejected)
                warn("the collector rejected \(rejected) spans: \(message)")
            } else if hasFailed {
                hasFailed = false
                log.write(.info, "exporting spans works again", ["collector": name])
            }
            send()
        }

        private func failed(_ what: String, isTransient: Bool, after: Duration?) {
            guard let current = sending else { return }
            guard isTransient, current.retries < TraceExporter.mostRetries else {
                sending = nil
                end(current.batches, .failed, current.count)
                warn(what)
                return send()
            }
            sending?.retries += 1
            let wait = TraceExporter.wait(after: current.retries, asked: after, share: .random(in: 0.5...1))
            retry = loop.setTimer(after: wait, target: self)
        }

        private func end(_ batches: [Batch], _ outcome: Outcome, _ spans: Int) {
            if spans > 0 { count(outcome, spans) }
            for batch in batches { batch.from.release(batch.count) }
        }

        /// Without the query, which may contain a key.
        private var name: String { "\(collector.scheme.rawValue)://\(origin.authority)\(collector.path)" }

        private func warn(_ what: String) {
            hasFailed = true
            let now = loop.wakeTime
            if let lastWarning, now - lastWarning < TimeAmount(Self.quiet) { return }
            lastWarning = now
            log.write(.warning, "exporting spans failed", ["collector": name, "what": what])
        }
    }
}

extension TraceExporter.Worker: TimerTarget {
    func timerFired(_ token: TimerToken) {
        retry = nil
        attempt()
    }
}
