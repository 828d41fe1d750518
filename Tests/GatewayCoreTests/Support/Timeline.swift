import Dispatch
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import Testing

extension Reply {
    /// `meta.timeline` in short form: a line for each part and, below it, one for each call with its
    /// attempts.
    ///
    ///     weights 0-12
    ///       diary GET: 0 new 0 - 1 - connection_terminated | 6 new 6 12 12 200 -
    ///
    /// Each attempt shows beganMs, connection, sentMs, firstByteMs, endMs, status and reason; `-` is null.
    var timeline: [String]? {
        let json = try? json()
        return (json?[member: "meta"]?[member: "timeline"] ?? json?[member: "timeline"]).map(Self.lines)
    }

    private static func lines(_ timeline: JSONFragment) -> [String] {
        timeline.elements.flatMap { part in
            var line = "\(text(part, "part")) \(text(part, "beganMs"))-\(text(part, "endMs"))"
            if let omitted = part[member: "omitted"]?.description { line += " +\(omitted)" }
            return [line] + (part[member: "calls"]?.elements ?? []).map(call)
        }
    }

    private static func call(_ call: JSONFragment) -> String {
        let names = ["beganMs", "connection", "sentMs", "firstByteMs", "endMs", "status", "reason"]
        let attempts = (call[member: "attempts"]?.elements ?? []).map { attempt in
            names.map { text(attempt, $0) }.joined(separator: " ")
        }
        return "  \(text(call, "upstream")) \(text(call, "method")): \(attempts.joined(separator: " | "))"
    }

    /// The text of a member, without trailing zeros of numbers.
    private static func text(_ object: JSONFragment, _ name: String) -> String {
        guard let value = object[member: name] else { return "missing" }
        if value.isNull { return "-" }
        if let text = value.stringValue { return text }
        let text = value.description
        guard text.contains(".") else { return text }
        let cut = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(cut.reversed())
    }
}

extension Bench {
    /// Returns a gateway that allows timelines and retries a failed attempt twice, 5 ms apart.
    static func timed(limits: GatewayLimits = GatewayLimits(), cors: CORSPolicy? = nil) -> Bench {
        var limits = limits
        limits.allowsTimeline = true
        var retry = CallRetryPolicy()
        retry.backoff = .constant(.milliseconds(5))
        return Bench(limits: limits, cors: cors, retry: retry)
    }

    /// Sends a request that prefers a timeline, advances the clock and returns the answer.
    func timed(
        _ target: String, by method: HTTPMethod = .get, fields: HTTPFields = [:],
        after duration: Duration = .zero
    ) throws -> Reply {
        var fields = fields
        fields.append(.prefer, "timeline")
        let pending = try ask(method, target, fields: fields)
        if duration > .zero { time.advance(by: duration) }
        return try pending.reply()
    }
}
