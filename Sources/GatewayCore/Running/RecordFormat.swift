import Networking

/// How the records of a streamed answer are written.
package enum RecordFormat: Sendable {
    /// Server-sent events (WHATWG HTML 9.2).
    case events
    /// A JSON value on each line (NDJSON).
    case lines

    /// A record that readers skip.
    package var heartbeat: ArraySlice<UInt8> {
        switch self {
        case .events: EventWriter.comment
        case .lines: Self.emptyLine
        }
    }

    /// Whether the stream ends when its server stops accepting connections. The client of events connects
    /// again. A client of lines would take a part for the whole.
    package var endsAtDrain: Bool {
        switch self {
        case .events: true
        case .lines: false
        }
    }

    /// What is sent before the end at a drain: a time to wait before the next connection, at random, because
    /// other clients are told the same.
    package var farewell: ArraySlice<UInt8> {
        switch self {
        case .events: EventWriter.retry(milliseconds: .random(in: 1_000...5_000))
        case .lines: []
        }
    }

    var contentType: String {
        switch self {
        case .events: "text/event-stream"
        case .lines: "application/x-ndjson"
        }
    }

    private static let emptyLine: ArraySlice<UInt8> = [UInt8(ascii: "\n")]
}

/// A streamed answer of records.
struct RecordStream: Sendable {
    /// How long the head may wait for the first record.
    static let headWait = Duration.seconds(1)
    /// The silence after which a heartbeat is sent, unless the answer has its own.
    static let standardHeartbeat = Duration.seconds(15)
    /// The least time between heartbeats.
    static let shortestHeartbeat = Duration.milliseconds(100)

    let format: RecordFormat
    /// The silence after which a heartbeat is sent.
    let heartbeat: Duration

    init(_ format: RecordFormat, _ heartbeat: Duration?) {
        self.format = format
        self.heartbeat = heartbeat ?? Self.standardHeartbeat
    }

    /// Why it cannot be sent; nil if it can.
    var fault: EndpointFault? {
        heartbeat < Self.shortestHeartbeat
            ? EndpointFault("heartbeats need \(Self.shortestHeartbeat) between them, not \(heartbeat)") : nil
    }
}
