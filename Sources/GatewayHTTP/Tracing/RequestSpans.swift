import EventIO
import GatewayCore
import Glibc
import HTTPModel
@_spi(Records) import Networking
import OTLP

/// The spans of one request: one of the server, one for each part, and one for each attempt of a call. Names
/// and attributes are OpenTelemetry's stable ones for HTTP, and `sluice.`.
struct RequestSpans {
    private let trace: TraceID
    /// The request's own span.
    private let root: UInt64
    /// The client's; 0 without one.
    private let parent: UInt64
    /// When the request's head had arrived, in nanoseconds since 1970.
    private let received: UInt64
    private let elapsed: Int64
    private let flags: UInt32
    let count: Int

    /// Numbers of spans that no attempt has.
    private enum Number {
        static let parts: UInt64 = 1 << 16
        static let attempts: UInt64 = 1 << 32
    }

    /// Returns nil if no endpoint took the request.
    init?(
        _ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary, _ calls: RecordedCalls,
        _ mark: TraceMark, at now: MonotonicTime
    ) {
        guard let trace = summary.trace else { return nil }
        self.trace = TraceID(high: trace.high, low: trace.low)
        root = trace.span
        parent = TraceContext.parent(in: facts.fields)?.span ?? 0
        elapsed = (now - facts.receivedAt).nanoseconds
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        received = UInt64(max(0, Int64(clock.tv_sec) * 1_000_000_000 + Int64(clock.tv_nsec) - elapsed))
        flags = mark == .sampled ? 1 : 0
        var count = 1
        for part in calls.parts {
            if Self.isShown(part) { count += 1 }
            for call in part.calls { count += Self.attempts(of: call) }
        }
        for call in calls.others { count += Self.attempts(of: call) }
        self.count = count
    }

    /// A call that a handler made itself has no name, and a part that never began no times.
    private static func isShown(_ part: PartSummary) -> Bool {
        part.name != nil && part.startNanoseconds != nil
    }

    /// A call whose time was over before it began has none.
    private static func attempts(of call: UpstreamCallSummary) -> Int {
        guard call.tries.isEmpty else { return call.tries.count }
        return call.attempts > 0 || call.reason?.isRefusal == true ? 1 : 0
    }

    /// - Parameters:
    ///   - names: the fields of requests that the span of the server has.
    ///   - scheme: the URL's if no trusted proxy tells one.
    func write(
        to batch: inout SpanBatch, _ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary,
        _ calls: RecordedCalls, _ names: [HTTPFieldName], scheme: String
    ) {
        writeServer(to: &batch, facts, summary, calls.slow, names, scheme)
        var unnumbered = Number.attempts
        for (index, part) in calls.parts.enumerated() {
            var above = root
            if Self.isShown(part) {
                above = SpanNumber.id(Number.parts + UInt64(index), of: root)
                write(part, above, after: facts.startDelay, to: &batch)
            }
            for call in part.calls { write(call, below: above, facts.startDelay, &unnumbered, to: &batch) }
        }
        for call in calls.others { write(call, below: root, facts.startDelay, &unnumbered, to: &batch) }
    }

    private func span(
        _ id: UInt64, below parent: UInt64, _ kind: Span.Kind, _ start: Int64, _ elapsed: Int64, failed: Bool
    ) -> Span {
        // The clock of calls is less precise than the request's.
        let begin = min(max(0, start), self.elapsed)
        let end = min(begin &+ max(0, elapsed), self.elapsed)
        return Span(
            trace: trace, id: id, parent: parent, kind: kind, start: received &+ UInt64(begin),
            end: received &+ UInt64(end), hasFailed: failed, flags: flags)
    }

    // MARK: The server

    private func writeServer(
        to batch: inout SpanBatch, _ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary,
        _ slow: SlowPhase?, _ names: [HTTPFieldName], _ scheme: String
    ) {
        let hasFailed = facts.isFailure
        let method = facts.method?.rawValue ?? "_OTHER"
        let server = span(root, below: parent, .server, 0, elapsed, failed: hasFailed)
        let (status, client, remote) = (facts.status, facts.client, facts.remote)
        let (path, host) = (facts.path, facts.host)
        let scheme = facts.scheme ?? scheme
        let fields = facts.fields
        let (route, code, requestID) = (summary.route, summary.code, summary.requestID)
        let isPartial = summary.isPartial
        batch.add(server, method, route ?? "") { span in
            span.attribute("http.request.method", method)
            if let route { span.attribute("http.route", route) }
            span.attribute("http.response.status_code", status)
            span.attribute("url.scheme", scheme)
            // Percent-encoded, so ASCII.
            if let path { span.attribute("url.path", utf8: path) }
            if let host { Self.write(host, to: &span) }
            span.attribute("client.address", client)
            span.attribute("network.peer.address", of: remote, Self.address(in:))
            span.attribute("sluice.request_id", requestID)
            if status >= 400 || isPartial || hasFailed { span.attribute("sluice.code", code) }
            if hasFailed { span.attribute("error.type", code) }
            if let slow { span.attribute("sluice.phase", slow.phase.rawValue) }
            for name in names {
                let values = fields.valueBytes(of: name)
                guard !values.isEmpty else { continue }
                let value = Array(values.joined(separator: ", ".utf8).prefix(RecordLines.longestValue + 1))
                span.attribute(
                    "http.request.header.\(name.description.lowercased())", list: RecordLines.shown(value))
            }
        }
    }

    // MARK: Parts and attempts

    private func write(_ part: PartSummary, _ id: UInt64, after delay: Int64, to batch: inout SpanBatch) {
        let reason = part.failure?.reason.token ?? (part.kind == nil ? "cancelled" : nil)
        let span = span(
            id, below: root, .internal, delay &+ (part.startNanoseconds ?? 0), part.elapsedNanoseconds,
            failed: reason != nil)
        batch.add(span, "part", part.name ?? "") { span in
            guard let reason else { return }
            span.attribute("sluice.reason", reason)
            span.attribute("error.type", reason)
        }
    }

    private func write(
        _ call: UpstreamCallSummary, below parent: UInt64, _ delay: Int64, _ unnumbered: inout UInt64,
        to batch: inout SpanBatch
    ) {
        guard Self.attempts(of: call) > 0 else { return }
        if call.tries.isEmpty {
            write(
                Attempt(
                    start: call.startNanoseconds, elapsed: call.elapsedNanoseconds, address: call.address,
                    status: call.status, reason: call.reason, span: call.connection?.stages.span ?? 0),
                0, of: call, below: parent, delay, &unnumbered, to: &batch)
        }
        for (index, attempt) in call.tries.enumerated() {
            write(
                Attempt(
                    start: attempt.startNanoseconds, elapsed: attempt.elapsedNanoseconds,
                    address: attempt.address, status: attempt.status, reason: attempt.reason,
                    span: attempt.connection?.stages.span ?? 0),
                index, of: call, below: parent, delay, &unnumbered, to: &batch)
        }
    }

    private struct Attempt {
        let start: Int64
        let elapsed: Int64
        let address: String?
        let status: Int?
        let reason: FailureReason?
        /// 0 if it has no number.
        let span: UInt16
    }

    private func write(
        _ attempt: Attempt, _ index: Int, of call: UpstreamCallSummary, below parent: UInt64, _ delay: Int64,
        _ unnumbered: inout UInt64, to batch: inout SpanBatch
    ) {
        unnumbered += 1
        let number = attempt.span > 0 ? UInt64(attempt.span) : unnumbered
        let hasFailed = attempt.status.map { $0 >= 400 } ?? true
        let span = span(
            SpanNumber.id(number, of: root), below: parent, .client, delay &+ attempt.start, attempt.elapsed,
            failed: hasFailed)
        batch.add(span, nil, call.method) { span in
            span.attribute("http.request.method", call.method)
            let (server, target) = (call.server, call.target)
            let path = target[..<(target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
            let isV6 = server.host.utf8.contains(UInt8(ascii: ":"))
            span.attribute(
                "url.full",
                pieces: { url in
                    url.append(server.scheme == .https ? "https://" : "http://")
                    if isV6 { url.append("[") }
                    url.append(server.host)
                    if isV6 { url.append("]") }
                    if server.port != server.scheme.defaultPort {
                        url.append(":")
                        url.append("\(server.port)")
                    }
                    url.append(path)
                })
            span.attribute("server.address", server.host)
            span.attribute("server.port", server.port)
            if let address = attempt.address {
                span.attribute("network.peer.address", of: address, Self.address(in:))
            }
            if index > 0 { span.attribute("http.request.resend_count", index) }
            span.attribute("sluice.upstream", call.upstream)
            if let status = attempt.status {
                span.attribute("http.response.status_code", status)
                if status >= 400 { span.attribute("error.type", "\(status)") }
            } else {
                let reason = attempt.reason?.token ?? "cancelled"
                span.attribute("sluice.reason", reason)
                span.attribute("error.type", reason)
            }
        }
    }

    // MARK: Addresses

    /// Returns where an address is without its port: `2001:db8::1` in `[2001:db8::1]:443`.
    static func address(in text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let colon = text.lastIndex(of: UInt8(ascii: ":"))
        guard let colon, text.first != UInt8(ascii: "u") else { return 0..<text.count }
        return text.first == UInt8(ascii: "[") && colon > 1 ? 1..<colon - 1 : 0..<colon
    }

    /// Writes `server.address` and `server.port` of a valid `Host` field, which is ASCII.
    private static func write(_ host: ArraySlice<UInt8>, to span: inout SpanBatch) {
        let isV6 = host.first == UInt8(ascii: "[")
        let end = isV6 ? host.firstIndex(of: UInt8(ascii: "]")) : host.firstIndex(of: UInt8(ascii: ":"))
        let name = host[(host.startIndex + (isV6 ? 1 : 0))..<(end ?? host.endIndex)]
        span.attribute("server.address", utf8: name, min(name.count, RecordLines.longestValue))
        guard let colon = host.lastIndex(of: UInt8(ascii: ":")), colon >= end ?? host.endIndex,
            let port = Int(String(decoding: host[(colon + 1)...], as: UTF8.self))
        else { return }
        span.attribute("server.port", port)
    }
}
