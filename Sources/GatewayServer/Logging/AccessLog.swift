import EventIO
import Gateway
import HTTPInbound
import HTTPModel
import JSONBytes

/// Tells each answered request as one JSON line. One a loop.
///
/// The path is told without its query, which may hold keys; no field of the request and no body is.
final class AccessLog {
    /// What is known of a request once its answer is over.
    struct Entry {
        var method: HTTPMethod?
        var path: ArraySlice<UInt8>?
        /// The status that the client saw; 499 where it left before.
        var status: Int
        var remoteAddress: SocketAddress
        var receivedAt: MonotonicTime
        var bytesReceived: Int
        var bytesSent: Int
    }

    /// nginx's status for a client that closed the connection before its answer.
    static let clientClosedRequest = 499

    private let channel: LogChannel
    private let loop: EventLoop
    // The loop guards both, and nothing is called out to while a line is written.
    @exclusivity(unchecked) private var timestamp = Timestamp()
    /// Used again for each line.
    @exclusivity(unchecked) private var line = JSONWriter(capacity: 1024)

    init(channel: LogChannel, loop: EventLoop) {
        self.channel = channel
        self.loop = loop
    }

    /// A request that the gateway answered, or that ended at its endpoint.
    ///
    /// - Parameter summary: what the gateway knows of it.
    func write(_ entry: Entry, _ summary: RequestSummary) {
        begin()
        line.constant(#","requestId":"#)
        line.string(summary.requestID)
        write(entry)
        line.constant(#","code":"#)
        line.string(summary.code)
        if let route = summary.route {
            line.constant(#","route":"#)
            line.string(route)
        }
        write(parts: summary)
        end()
    }

    /// An answer that no endpoint gave.
    func write(_ entry: Entry, requestID: ArraySlice<UInt8>?) {
        begin()
        if let requestID {
            line.constant(#","requestId":"#)
            line.string(utf8: requestID)
        }
        write(entry)
        end()
    }

    private func begin() {
        line.constant(#"{"time":"#)
        timestamp.write(to: &line)
    }

    private func write(_ entry: Entry) {
        if let method = entry.method {
            line.constant(#","method":"#)
            line.string(method.rawValue)
        }
        if let path = entry.path {
            line.constant(#","path":"#)
            line.string(utf8: path)
        }
        line.constant(#","status":"#)
        line.integer(entry.status)
        line.constant(#","elapsedMs":"#)
        line.fixed(Int((loop.now - entry.receivedAt).nanoseconds / 1000), places: 3)
        line.constant(#","bytesIn":"#)
        line.integer(entry.bytesReceived)
        line.constant(#","bytesOut":"#)
        line.integer(entry.bytesSent)
        line.constant(#","remote":"#)
        write(entry.remoteAddress)
    }

    private func end() {
        line.constant("}\n")
        channel.append(line)
        line.removeAll()
    }

    private func write(parts summary: RequestSummary) {
        var isFirst = true
        summary.forEachPart { part in
            line.constant(isFirst ? #","parts":{"# : ",")
            isFirst = false
            line.string(part.name ?? "call")
            line.constant(#":{"kind":"#)
            line.string(part.kind)
            if let reason = part.reason {
                line.constant(#","reason":"#)
                line.string(reason)
            }
            if let attempts = part.attempts {
                line.constant(#","attempts":"#)
                line.integer(attempts)
            }
            line.constant(#","elapsedMs":"#)
            line.fixed(Int(part.nanoseconds / 1000), places: 3)
            line.constant("}")
        }
        if !isFirst { line.constant("}") }
    }

    /// `"127.0.0.1:43210"`: the common case without a `String`.
    private func write(_ address: SocketAddress) {
        guard let (octets, port) = address.ipv4 else { return line.string(address.description) }
        line.constant("\"")
        for shift in stride(from: 24 as UInt32, through: 0, by: -8) {
            line.integer(Int(octets >> shift & 0xff))
            line.constant(shift == 0 ? ":" : ".")
        }
        line.integer(Int(port))
        line.constant("\"")
    }
}
