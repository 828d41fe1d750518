import GatewayCore
@_spi(Lines) import JSONBytes
@_spi(Records) import Networking

/// Writes the times of a request's calls as `meta.timeline` has them, with the kinds of parts and the
/// addresses of attempts, which clients do not learn. Times are milliseconds from the request's head.
struct TimelineText {
    /// Attempts of a request that are listed. Others are counted.
    static let mostAttempts = 64

    /// Nanoseconds from the request's head to the start of its endpoint.
    private let delay: Int64
    private var left = Self.mostAttempts

    /// Writes `,"timeline":[...]`.
    ///
    /// - Parameter calls: those outside of parts, which come first.
    static func write(
        _ parts: [PartSummary], _ calls: [UpstreamCallSummary], after delay: Int64, to line: inout JSONLine
    ) {
        guard !parts.isEmpty || !calls.isEmpty else { return }
        var text = TimelineText(delay: delay)
        line.constant(#","timeline":["#)
        if let first = calls.map(\.startNanoseconds).min(), let last = calls.map(\.endNanoseconds).max() {
            text.write(nil, nil, first, last, calls, to: &line)
        }
        for (index, part) in parts.enumerated() {
            if index > 0 || !calls.isEmpty { line.constant(",") }
            text.write(
                part.name, part.kind.partName, part.startNanoseconds,
                part.startNanoseconds.map { $0 &+ part.elapsedNanoseconds }, part.calls, to: &line)
        }
        line.constant("]")
    }

    private mutating func write(
        _ name: String?, _ kind: String?, _ began: Int64?, _ end: Int64?,
        _ calls: [UpstreamCallSummary], to line: inout JSONLine
    ) {
        line.constant(#"{"part":"#)
        Self.write(name, to: &line)
        if let kind {
            line.constant(#","kind":"#)
            line.string(kind)
        }
        write("beganMs", began, to: &line)
        write("endMs", end, to: &line)
        line.constant(#","calls":["#)
        var omitted = 0
        var isFirst = true
        for call in calls {
            guard left > 0 else {
                omitted += call.attempts
                continue
            }
            if !isFirst { line.constant(",") }
            isFirst = false
            omitted += write(call, to: &line)
        }
        line.constant("]")
        if omitted > 0 {
            line.constant(#","omitted":"#)
            line.integer(omitted)
        }
        line.constant("}")
    }

    /// Returns how many attempts are left out.
    private mutating func write(_ call: UpstreamCallSummary, to line: inout JSONLine) -> Int {
        line.constant(#"{"upstream":"#)
        line.string(call.upstream)
        line.constant(#","method":"#)
        line.string(call.method)
        line.constant(#","attempts":["#)
        var written = 0
        if call.tries.isEmpty {
            // A call that was refused has no attempt, and shows why.
            write(
                call.startNanoseconds, call.endNanoseconds, call.connection?.stages, call.address,
                call.status, call.reason?.token, to: &line)
            written = 1
        }
        for attempt in call.tries.prefix(left) {
            if written > 0 { line.constant(",") }
            write(
                attempt.startNanoseconds, attempt.startNanoseconds &+ attempt.elapsedNanoseconds,
                attempt.connection?.stages, attempt.address, attempt.status, attempt.reason?.token, to: &line)
            written += 1
        }
        line.constant("]}")
        left -= written
        return max(0, call.attempts - written)
    }

    private func write(
        _ start: Int64, _ end: Int64, _ connection: AttemptConnection?, _ address: String?, _ status: Int?,
        _ reason: String?, to line: inout JSONLine
    ) {
        line.constant(#"{"beganMs":"#)
        write(start, to: &line)
        line.constant(#","connection":"#)
        Self.write(
            connection?.sent == nil ? nil : connection?.isReused == true ? "reused" : "new", to: &line)
        write("assignedMs", connection?.assigned.map { start &+ $0 }, to: &line)
        write("sentMs", connection?.sent.map { start &+ $0 }, to: &line)
        write("firstByteMs", connection?.firstByte.map { start &+ $0 }, to: &line)
        write("endMs", end, to: &line)
        line.constant(#","address":"#)
        Self.write(address, to: &line)
        line.constant(#","status":"#)
        if let status { line.integer(status) } else { line.constant("null") }
        line.constant(#","reason":"#)
        Self.write(reason, to: &line)
        line.constant("}")
    }

    private func write(_ name: StaticString, _ time: Int64?, to line: inout JSONLine) {
        line.constant(",\"")
        line.constant(name)
        line.constant("\":")
        write(time, to: &line)
    }

    /// - Parameter time: nanoseconds from the start of the endpoint.
    private func write(_ time: Int64?, to line: inout JSONLine) {
        guard let time else { return line.constant("null") }
        line.thousandths(Int(max(0, time &+ delay) / 1000))
    }

    private static func write(_ text: String?, to line: inout JSONLine) {
        if let text { line.string(text) } else { line.constant("null") }
    }
}

extension UpstreamCallSummary {
    fileprivate var endNanoseconds: Int64 { startNanoseconds &+ elapsedNanoseconds }
}
