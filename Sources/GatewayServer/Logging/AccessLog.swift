import EventIO
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
        var response: HTTPResponse?
        var remoteAddress: SocketAddress?
        var receivedAt: MonotonicTime
        var bytesReceived: Int
        var bytesSent: Int
    }

    /// nginx's status for a client that closed the connection before its answer.
    static let clientClosedRequest = 499

    private let channel: LogChannel
    private let loop: EventLoop
    private var timestamp = Timestamp()

    init(channel: LogChannel, loop: EventLoop) {
        self.channel = channel
        self.loop = loop
    }

    /// - Parameter outcome: adds what the gateway knows of the request: its route and parts.
    func write(_ entry: Entry, outcome: (inout JSONComposer) -> Void = { _ in }) {
        var line = JSONComposer(reservingCapacity: 512)
        line.beginObject()
        line.key("time")
        timestamp.write(to: &line)
        if let id = entry.response?.fields.firstValueBytes(.xRequestID) {
            line.key("requestId")
            line.string(utf8: id)
        }
        if let method = entry.method {
            line.key("method")
            line.string(method.rawValue)
        }
        if let path = entry.path {
            line.key("path")
            line.string(utf8: path)
        }
        line.key("status")
        line.int(entry.status)
        line.key("elapsedMs")
        line.fixed(Int((loop.now - entry.receivedAt).nanoseconds / 1000), places: 3)
        line.key("bytesIn")
        line.int(entry.bytesReceived)
        line.key("bytesOut")
        line.int(entry.bytesSent)
        if let address = entry.remoteAddress {
            line.key("remote")
            line.string(address.description)
        }
        outcome(&line)
        line.endObject()
        channel.append(line)
    }
}
