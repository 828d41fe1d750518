import HTTPModel
@_spi(Reading) public import JSONBytes
import Locking
@_spi(Demand) public import Rx

/// Limits of streams that are read record by record.
enum StreamLimits {
    /// Maximum number of bytes of a line or an event.
    static let record = 1 << 20
    /// Longest silence, unless the target or the policy sets one.
    static let silence = Duration.seconds(60)
}

extension Reactive {
    /// Emits each line of a 2xx response as JSON as it arrives (NDJSON, JSON Lines). Blank lines are skipped.
    ///
    /// A line that is not JSON ends the stream with `decode_error`, and a line of more than 1 MiB with
    /// `http_response_body_size`. The upstream may be silent for 60 s, unless the target or the policy sets
    /// `AttemptLimits.between`. Otherwise like `stream(_:)`.
    public func lines<Target: TargetType>(_ target: Target) -> Observable<JSONFragment>
    where Base == Provider<Target> {
        let fields: HTTPFields = [.accept: "application/x-ndjson, application/json;q=0.9, */*;q=0.5"]
        let call: TransportCall
        do {
            call = try base.prepareRecords(of: target, adding: fields)
        } catch {
            return .error(NetworkError(unbuilt: error, upstream: base.settings.name))
        }
        return .deferred { [base] in base.records(of: call, to: target, by: LineParser()) }
    }

    /// Emits the events of a `text/event-stream` as they arrive, and connects again when the stream ends or
    /// fails (WHATWG HTML 9.2).
    ///
    /// The next connection has the id of the last event as `Last-Event-ID`; the target's own field of that
    /// name is for the connections before. It follows after the time that the server has sent as `retry`, or
    /// after a second, at least after 100 ms. The wait doubles up to 30 s while no event comes, and up to a
    /// quarter is added to it at random. A 204 completes the stream. A 4xx, another status below 500, another
    /// media type, and the deadline of the request that the call is made for end it with their errors; a
    /// streamed answer that has begun has no deadline. A call whose method is not safe connects once. An
    /// event of more than 1 MiB ends the stream with `http_response_body_size`. An id of more than 1 KiB, or
    /// with control characters, is not sent back. The upstream may be silent for 60 s, unless the target or
    /// the policy sets `AttemptLimits.between`.
    public func events<Target: TargetType>(_ target: Target) -> Observable<ServerSentEvent>
    where Base == Provider<Target> {
        let assembled = CallContext.current
        return .deferred { [base] in
            // A stream that was made outside of a request belongs to the one that subscribes to it.
            let context = CallContext.current ?? assembled
            let connections = EventConnections(
                mayReconnect: target.method.isSafe, for: context, jitter: base.settings.jitter)
            // Later connections are made when nobody subscribes.
            let demand = Demand.current
            let connection = Observable<ServerSentEvent>.deferred {
                let call: TransportCall
                do {
                    call = try CallContext.$current.withValue(context) {
                        try base.prepareRecords(of: target, adding: connections.fields)
                    }
                } catch let fault as RequestFault {
                    return .error(NetworkError(unbuilt: fault, upstream: base.settings.name))
                }
                let records = base.records(of: call, to: target, by: connections, demand: demand)
                // The timer of a later connection runs in no context.
                return .create { observer in
                    CallContext.$current.withValue(context) { records.subscribe(observer) }
                }
            }
            return connection.retry(when: { (errors: Observable<any Error>) -> Observable<Int> in
                errors.flatMap { error -> Observable<Int> in
                    guard let wait = connections.wait(after: error) else { return .error(error) }
                    return .timer(wait, scheduler: base.settings.transport.scheduler)
                }
            })
        }
    }
}

/// Makes values of a body that arrives in pieces. Used by one connection at a time.
protocol PieceParser: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// The response has begun. Called again if the call is repeated before the first piece.
    func began(_ head: TransportResponse)
    /// Removes the next value that ends in the piece, and returns it. Returns nil, and keeps the rest of the
    /// piece, if no value ends there.
    func next(in piece: inout ArraySlice<UInt8>, of call: TransportCall) throws -> Value?
    /// Returns the values after the last piece, or throws what ends the values instead.
    func finish(_ call: TransportCall) throws -> [Value]
}

extension Provider {
    /// Returns what the parser makes of the call's response.
    fileprivate func records<Parser: PieceParser>(
        of call: TransportCall, to target: Target, by parser: Parser, demand: Demand? = nil
    ) -> Observable<Parser.Value> {
        let pieces = pieces(of: call, to: target, demand: demand) { parser.began($0) }
        return .create { observer in
            pieces.subscribe(
                onNext: { piece in
                    var rest = piece
                    do {
                        // One by one, so that the values before a fault are delivered.
                        while !observer.isStopped, let value = try parser.next(in: &rest, of: call) {
                            observer.onNext(value)
                        }
                    } catch {
                        observer.onError(error)
                    }
                }, onError: { observer.onError($0) },
                onCompleted: {
                    do {
                        for value in try parser.finish(call) { observer.onNext(value) }
                        observer.onCompleted()
                    } catch {
                        observer.onError(error)
                    }
                })
        }
    }
}

/// Reads NDJSON.
private final class LineParser: PieceParser {
    private let splitter = Lock(LineSplitter(.lineFeed, limit: StreamLimits.record))

    func began(_ head: TransportResponse) {}

    func next(in piece: inout ArraySlice<UInt8>, of call: TransportCall) throws -> JSONFragment? {
        while let line = try nextLine(in: &piece, of: call) {
            if let value = try fragment(line, call) { return value }
        }
        return nil
    }

    private func nextLine(
        in piece: inout ArraySlice<UInt8>, of call: TransportCall
    ) throws -> ArraySlice<UInt8>? {
        do throws(LineSplitter.TooLong) {
            return try splitter.withLock { (splitter) throws(LineSplitter.TooLong) in
                try splitter.nextLine(in: &piece)
            }
        } catch {
            throw NetworkError(error, of: call, "a line")
        }
    }

    func finish(_ call: TransportCall) throws -> [JSONFragment] {
        let rest = splitter.withLock { $0.takeRest() }
        return try fragment(rest, call).map { [$0] } ?? []
    }

    private func fragment(_ line: ArraySlice<UInt8>, _ call: TransportCall) throws -> JSONFragment? {
        guard line.contains(where: { !" \t\r".utf8.contains($0) }) else { return nil }
        do {
            return try JSONScanner.validate(line, limits: call.settings.policy.json)
        } catch {
            throw NetworkError(
                kind: .pathErr, reason: .decodeError, message: "a line of the response is not JSON",
                upstream: call.upstream.name, call: call, underlying: error, attempts: 1, elapsed: .zero,
                isRetryable: false)
        }
    }
}

extension NetworkError {
    /// Creates the error of a record that is too long.
    init(_ error: LineSplitter.TooLong, of call: TransportCall, _ record: String) {
        self.init(
            kind: .pathErr, reason: .responseBodySize,
            message: "\(record) of the response has more than \(error.limit) bytes",
            upstream: call.upstream.name, call: call, attempts: 1, elapsed: .zero, isRetryable: false)
    }
}
