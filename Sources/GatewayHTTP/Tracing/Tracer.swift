import EventIO
import GatewayConfig
import GatewayCore
import HTTPModel
import OTLP
import Rx
import Synchronization

/// What a request's log line says of its trace.
enum TraceMark: String {
    /// It was sampled at its head.
    case sampled
    /// It was not, and is exported because the request failed or was slow.
    case exported
}

/// Decides which requests of a loop are traced, and keeps their spans until the exporter takes them. Confined
/// to the loop.
final class Tracer {
    /// The most spans of a loop that wait for the collector.
    static let mostSpans = 2048
    /// As many are sent at once.
    static let batchSpans = 512
    /// How long spans wait for others.
    static let interval = Duration.seconds(5)

    private let loop: EventLoop
    private var settings = TraceSettings()
    private var exporter: TraceExporter?
    private var names: [HTTPFieldName] = []
    /// The scheme of a request of which no trusted proxy tells one.
    private var scheme = "http"
    private var batch = SpanBatch()
    /// The spans of this loop that have not been exported.
    private let waiting = WaitingSpans()
    private var timer: TimerToken?
    private var random = UInt64.random(in: 1 ... .max)
    /// A request is sampled if its number is below.
    private var threshold = UInt64.max
    private var budget = TraceBudget()

    init(on loop: EventLoop) { self.loop = loop }

    /// Spans that have not been passed to the exporter.
    var heldSpans: Int { batch.count }

    /// Nil without a collector: then nothing is decided, and nothing recorded.
    var isOn: Bool { exporter != nil }

    /// Goes on with these settings.
    ///
    /// - Parameters:
    ///   - names: the request fields that spans have, as the log.
    ///   - scheme: of a request of which no trusted proxy tells one.
    ///   - exporter: takes the spans; nil without a collector.
    func use(
        _ settings: TraceSettings, _ names: [HTTPFieldName], scheme: String, _ exporter: TraceExporter?
    ) {
        if exporter !== self.exporter { flush() }
        self.settings = settings
        self.names = names
        self.scheme = scheme
        self.exporter = exporter
        threshold = settings.ratio >= 1 ? .max : UInt64(settings.ratio * 0x1p64)
        budget.rate = settings.rate
    }

    /// Decides about a request at its head. Nil without traces.
    ///
    /// - Parameter isTrusted: whether a trusted proxy sent it, whose decision counts.
    @inline(__always)
    func samples(_ fields: borrowing HTTPFields, isTrusted: Bool) -> Bool? {
        exporter == nil ? nil : decide(copy fields, isTrusted)
    }

    @inline(never)
    private func decide(_ fields: HTTPFields, _ isTrusted: Bool) -> Bool {
        // Not by the trace id, which strangers choose.
        let parent = isTrusted ? TraceContext.parent(in: fields) : nil
        guard parent?.isSampled ?? draws() else { return false }
        guard budget.take(at: loop.wakeTime) else {
            // Its other spans are never made.
            exporter?.count(.rateLimited, 1)
            return false
        }
        return true
    }

    private func draws() -> Bool {
        guard threshold != .max else { return true }
        // Xorshift: nobody outside learns the numbers.
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return random < threshold
    }

    /// Returns how the trace of a request that is over is exported; nil if it is not.
    ///
    /// - Parameter isUnusual: whether the request failed or was slow.
    func mark(_ summary: borrowing RequestSummary, isUnusual: Bool) -> TraceMark? {
        guard let exporter else { return nil }
        if summary.isSampled { return .sampled }
        guard isUnusual, settings.failures, summary.trace != nil else { return nil }
        guard budget.take(at: loop.wakeTime) else {
            exporter.count(.rateLimited, 1)
            return nil
        }
        return .exported
    }

    /// Adds the spans of a request.
    func add(
        _ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary, _ calls: RecordedCalls,
        _ mark: TraceMark
    ) {
        guard let exporter, let spans = RequestSpans(facts, summary, calls, mark, at: loop.wakeTime) else {
            return
        }
        guard waiting.reserve(spans.count) else { return exporter.count(.queueFull, spans.count) }
        spans.write(to: &batch, facts, summary, calls, names, scheme: scheme)
        if batch.count >= Self.batchSpans {
            flush()
        } else if timer == nil {
            timer = loop.setTimer(after: Self.interval, target: self)
        }
    }

    /// Passes the spans to the exporter.
    func flush() {
        if let timer = timer.take() { loop.cancelTimer(timer) }
        guard batch.count > 0 else { return }
        let (bytes, count) = batch.take()
        guard let exporter else { return waiting.release(count) }
        exporter.export(TraceExporter.Batch(bytes: bytes, count: count, from: waiting))
    }
}

extension Tracer: TimerTarget {
    func timerFired(_ token: TimerToken) {
        timer = nil
        flush()
    }
}

/// How many spans of a loop wait for the collector. Reserved on the loop, released on the exporter's thread.
final class WaitingSpans: Sendable {
    private let count = Atomic(0)

    /// Returns false without room.
    func reserve(_ spans: Int) -> Bool {
        guard count.load(ordering: .relaxed) + spans <= Tracer.mostSpans else { return false }
        count.wrappingAdd(spans, ordering: .relaxed)
        return true
    }

    func release(_ spans: Int) { count.wrappingSubtract(spans, ordering: .relaxed) }
}

/// The most traces of a second.
struct TraceBudget {
    /// 0 for no limit.
    var rate = 0
    private var second = Int64.min
    private var taken = 0

    /// Returns false if the second has had as many as it may.
    mutating func take(at now: MonotonicTime) -> Bool {
        guard rate > 0 else { return true }
        let current = now.nanoseconds / 1_000_000_000
        if current != second { (second, taken) = (current, 0) }
        guard taken < rate else { return false }
        taken += 1
        return true
    }
}
