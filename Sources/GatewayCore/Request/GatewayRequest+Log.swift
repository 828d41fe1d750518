package import JSONBytes
import Networking

/// Writes the lines of endpoints to the gateway's log.
package protocol RequestLog: Sendable {
    /// Whether lines of this level are written.
    func writes(_ level: LogLevel) -> Bool

    /// Writes a line. It may be called on any thread, and must not block.
    func write(_ line: RequestLogLine)
}

/// A line that the code of an endpoint writes to the log.
package struct RequestLogLine: Sendable {
    package let level: LogLevel
    package let message: String
    package let requestID: String
    /// 32 hexadecimal digits; nil if the code runs outside the request's own tasks and the client sent none.
    package let traceID: String?
    /// The endpoint's path template; nil if no endpoint takes the request.
    package let route: String?
    package let facts: [(name: String, value: JSONFragment)]
}

extension GatewayRequest {
    /// Writes a line to the gateway's log on standard error, with the id of the request and of its trace.
    ///
    ///     request.log(.info, "order placed", ["order": order.id, "euros": order.euros])
    ///
    /// Neither blocks nor throws, and may be called on any thread. A line below the log's level costs
    /// nothing: its message and values are not computed. A text of more than 4096 bytes is cut. Never log
    /// secrets.
    ///
    /// - Parameters:
    ///   - level: `--log-level` and `PUT /log-level` decide which levels are written. Default `info` and up.
    ///   - message: what happened. A constant text can be searched for and counted.
    ///   - facts: the line's own members. One with the name of the gateway's (`time`, `level`, `message`,
    ///     `requestId`, `traceId`, `route`) gets an underscore: `time_`.
    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> String,
        _ facts: @autoclosure () -> KeyValuePairs<String, any JSONRepresentable> = [:]
    ) {
        guard let log = endpoint.services.log, log.writes(level) else { return }
        log.write(
            RequestLogLine(
                level: level, message: message(), requestID: requestID, traceID: traceID, route: route,
                facts: facts().map { name, value in
                    (name: name, value: (try? value.jsonFragment()) ?? JSONFragment(string: "\(value)"))
                }))
    }

    /// The id of the request's trace, which its upstreams get; outside the request's tasks the client's.
    private var traceID: String? {
        var digits: String?
        if let context = CallContext.current, context.requestID == requestID {
            context.withTraceID { digits = String(decoding: $0, as: UTF8.self) }
        }
        return digits
            ?? TraceContext.received(in: fields).map {
                String(decoding: $0.dropFirst(3).prefix(32), as: UTF8.self)
            }
    }
}
