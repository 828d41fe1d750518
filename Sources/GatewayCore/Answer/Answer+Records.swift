import HTTPModel
import JSONBytes
import Locking
public import Networking
public import Rx

// Streams of records: server-sent events, and JSON on lines. Values may be `JSONRepresentable`, such as
// fragments, literals and texts, or `Encodable`, such as models.
extension Answer {
    /// An answer that sends server-sent events as the stream emits them (`text/event-stream`, WHATWG HTML
    /// 9.2):
    ///
    ///     gateway.get("/prices/events") { _ in .events(market.rx.events(.prices)) }
    ///
    /// The head is sent with the first event, or after a second (at most half of the time until the
    /// deadline). What fails before is answered like the failure of a handler's call. What fails later resets
    /// the connection, and so does an event that cannot be written; a browser connects again. The end of the
    /// stream ends the answer, and a browser connects again as well, unless it gets a 204 then.
    ///
    /// While nothing comes, a comment is sent after each `heartbeat` instead of an end after
    /// `GatewayLimits.streamGap`. When the server stops accepting connections, the answer ends with a
    /// `retry:` of 1 to 5 seconds. The deadline does not limit calls that the stream makes once its answer
    /// has begun. A stream of an upstream pauses while the client is slow; of any other stream at most 2 MiB
    /// may wait for the client, and beyond, the connection is reset. The stream is disposed when the client
    /// leaves.
    ///
    /// - Parameters:
    ///   - events: the events. An `id` is sent when it changes: an event without one leaves the client's last
    ///     id as it is, and an empty one removes it. An `event` with a line break, or an `id` with a line
    ///     break or a NUL, is an incident.
    ///   - heartbeat: the silence after which a comment is sent, 100 ms or more. Default 15 s.
    public static func events(
        _ events: Observable<ServerSentEvent>, heartbeat: Duration? = nil
    ) -> Answer {
        stream(events, .events, heartbeat) { writeEvents() }
    }

    /// An answer that sends server-sent events as the sequence makes them. The sequence is read no faster
    /// than the client receives, and cancelled when the client leaves. Otherwise like the events of an
    /// `Observable`.
    public static func events<Events: AsyncSequence & Sendable>(
        _ events: Events, heartbeat: Duration? = nil
    ) -> Answer where Events.Element == ServerSentEvent {
        stream(events, .events, heartbeat) { writeEvents() }
    }

    /// An answer that sends each value of the stream as the data of a server-sent event. A value that cannot
    /// be encoded is an incident. Otherwise like events.
    public static func events<Value: JSONRepresentable>(
        _ values: Observable<Value>, heartbeat: Duration? = nil
    ) -> Answer {
        stream(values, .events, heartbeat) { { EventWriter.message(try $0.jsonFragment()) } }
    }

    /// An answer that sends each value of the sequence as the data of a server-sent event. A value that
    /// cannot be encoded is an incident. Otherwise like events.
    public static func events<Values: AsyncSequence & Sendable>(
        _ values: Values, heartbeat: Duration? = nil
    ) -> Answer where Values.Element: JSONRepresentable {
        stream(values, .events, heartbeat) { { EventWriter.message(try $0.jsonFragment()) } }
    }

    /// An answer that sends each value of the stream as the data of a server-sent event, with its members in
    /// the order of the type. A value that cannot be encoded is an incident. Otherwise like events.
    @_disfavoredOverload
    public static func events<Value: Encodable & Sendable>(
        _ values: Observable<Value>, heartbeat: Duration? = nil
    ) -> Answer {
        stream(values, .events, heartbeat) { { EventWriter.message(try JSONFragment(encoding: $0)) } }
    }

    /// An answer that sends each value of the sequence as the data of a server-sent event, with its members
    /// in the order of the type. A value that cannot be encoded is an incident. Otherwise like events.
    @_disfavoredOverload
    public static func events<Values: AsyncSequence & Sendable>(
        _ values: Values, heartbeat: Duration? = nil
    ) -> Answer where Values.Element: Encodable & Sendable {
        stream(values, .events, heartbeat) { { EventWriter.message(try JSONFragment(encoding: $0)) } }
    }

    // MARK: Lines

    /// An answer that sends each value of the stream as a line of JSON (`application/x-ndjson`):
    ///
    ///     gateway.get("/orders.ndjson") { _ in .lines(shop.rx.lines(.orders)) }
    ///
    /// While nothing comes, an empty line is sent after each `heartbeat`. When the server stops accepting
    /// connections, the answer goes on, as long as `drainDeadline` lets it: a client would take a part for
    /// the whole. What fails after the head resets the connection. A value that cannot be encoded is an
    /// incident. Otherwise like events.
    ///
    /// - Parameters:
    ///   - values: the values.
    ///   - heartbeat: the silence after which an empty line is sent, 100 ms or more. Default 15 s.
    public static func lines<Value: JSONRepresentable>(
        _ values: Observable<Value>, heartbeat: Duration? = nil
    ) -> Answer {
        stream(values, .lines, heartbeat) { { line(try $0.jsonFragment()) } }
    }

    /// An answer that sends each value of the sequence as a line of JSON. The sequence is read no faster than
    /// the client receives. Otherwise like the lines of an `Observable`.
    public static func lines<Values: AsyncSequence & Sendable>(
        _ values: Values, heartbeat: Duration? = nil
    ) -> Answer where Values.Element: JSONRepresentable {
        stream(values, .lines, heartbeat) { { line(try $0.jsonFragment()) } }
    }

    /// An answer that sends each value of the stream as a line of JSON, with its members in the order of the
    /// type. Otherwise like the lines of JSON values.
    @_disfavoredOverload
    public static func lines<Value: Encodable & Sendable>(
        _ values: Observable<Value>, heartbeat: Duration? = nil
    ) -> Answer {
        stream(values, .lines, heartbeat) { { line(try JSONFragment(encoding: $0)) } }
    }

    /// An answer that sends each value of the sequence as a line of JSON, with its members in the order of
    /// the type. Otherwise like the lines of JSON values.
    @_disfavoredOverload
    public static func lines<Values: AsyncSequence & Sendable>(
        _ values: Values, heartbeat: Duration? = nil
    ) -> Answer where Values.Element: Encodable & Sendable {
        stream(values, .lines, heartbeat) { { line(try JSONFragment(encoding: $0)) } }
    }

    // MARK: Records

    /// Writes the records of one stream, one after another.
    private typealias RecordWriter<Record> = @Sendable (Record) throws -> ArraySlice<UInt8>

    private static func stream<Record: Sendable>(
        _ records: Observable<Record>, _ format: RecordFormat, _ heartbeat: Duration?,
        by makeWriter: @escaping @Sendable () -> RecordWriter<Record>
    ) -> Answer {
        let written = Observable<ArraySlice<UInt8>>.deferred {
            let write = makeWriter()
            return records.map { try write($0) }
        }
        return stream(
            written, contentType: format.contentType, length: nil,
            as: RecordStream(format, heartbeat)
        ).unbuffered()
    }

    private static func stream<Records: AsyncSequence & Sendable>(
        _ records: Records, _ format: RecordFormat, _ heartbeat: Duration?,
        by makeWriter: @escaping @Sendable () -> RecordWriter<Records.Element>
    ) -> Answer {
        stream(
            WrittenRecords(records: records, makeWriter: makeWriter), contentType: format.contentType,
            length: nil, as: RecordStream(format, heartbeat)
        ).unbuffered()
    }

    private static func writeEvents() -> RecordWriter<ServerSentEvent> {
        let writer = WriterInUse()
        return { try writer.write($0) }
    }

    private static func line(_ value: JSONFragment) -> ArraySlice<UInt8> {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.bytes.count + 1)
        bytes.append(onOneLine: value)
        bytes.append(UInt8(ascii: "\n"))
        return bytes[...]
    }

    /// Asks proxies to pass on each record as it comes, as nginx does.
    private func unbuffered() -> Answer { field("X-Accel-Buffering", "no") }
}

/// The writer of one stream of events.
private final class WriterInUse: Sendable {
    private let writer = Lock(EventWriter())

    func write(_ event: ServerSentEvent) throws(EndpointFault) -> ArraySlice<UInt8> {
        do throws(EventWriter.InvalidField) {
            return try writer.withLock { (writer) throws(EventWriter.InvalidField) in
                try writer.write(event)
            }
        } catch {
            throw EndpointFault(error.description)
        }
    }
}

/// The records of a sequence as bytes.
private struct WrittenRecords<Records: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    typealias Element = ArraySlice<UInt8>

    let records: Records
    let makeWriter: @Sendable () -> (@Sendable (Records.Element) throws -> ArraySlice<UInt8>)

    struct Iterator: AsyncIteratorProtocol {
        var records: Records.AsyncIterator
        let write: @Sendable (Records.Element) throws -> ArraySlice<UInt8>

        mutating func next() async throws -> ArraySlice<UInt8>? {
            guard let record = try await records.next() else { return nil }
            return try write(record)
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(records: records.makeAsyncIterator(), write: makeWriter())
    }
}
