import Dispatch
import HTTPModel
import Locking
import Rx

/// What a subscription to events keeps between its connections.
final class EventConnections: PieceParser {
    /// The server has ended a connection.
    private struct Ended: Error {}

    private struct State: Sendable {
        var parser = EventParser(limit: StreamLimits.record)
        /// The head of the connection in progress.
        var head: TransportResponse?
        /// Connections in succession that brought no event.
        var failures = 0
    }

    /// Milliseconds before the next connection, unless the server asks for another time.
    private static let firstWait = 1_000
    /// Milliseconds up to which the wait doubles.
    private static let longestWait = 30_000

    /// Whether the call may be repeated without an effect.
    private let mayReconnect: Bool
    private let state = Lock(State())

    init(mayReconnect: Bool) { self.mayReconnect = mayReconnect }

    /// The fields of the next connection, unless the target sets them.
    var fields: HTTPFields {
        var fields: HTTPFields = [.accept: "text/event-stream", .cacheControl: "no-store"]
        if let id = state.withLock({ $0.parser.lastEventID }) { fields["Last-Event-ID"] = id }
        return fields
    }

    func began(_ head: TransportResponse) {
        state.withLock { state in
            state.head = head
            state.parser = EventParser(
                limit: StreamLimits.record, lastEventID: state.parser.lastEventID, retry: state.parser.retry)
        }
    }

    func values(in piece: ArraySlice<UInt8>, of call: TransportCall) throws -> [ServerSentEvent] {
        try state.withLock { (state) throws -> [ServerSentEvent] in
            try Self.check(state.head, of: call)
            do {
                let events = try state.parser.events(in: piece)
                if !events.isEmpty { state.failures = 0 }
                return events
            } catch let error as LineSplitter.TooLong {
                throw NetworkError(error, of: call, "an event")
            }
        }
    }

    func finish(_ call: TransportCall) throws -> [ServerSentEvent] {
        let head = state.withLock { $0.head }
        guard head?.status != .noContent else { return [] }
        try Self.check(head, of: call)
        if mayReconnect { throw Ended() }
        return []
    }

    /// Returns the time before the next connection; nil if the error ends the events.
    func wait(after error: any Error) -> RxTimeInterval? {
        let least: Duration
        switch error {
        case is Ended: least = .zero
        case let error as NetworkError where mayReconnect && error.mayPassForEvents:
            least = error.retryAfter ?? .zero
        default: return nil
        }
        let wait = state.withLock { state in
            let first = state.parser.retry ?? Self.firstWait
            // At most an hour times 64.
            let doubled = min(first << min(state.failures, 6), Self.longestWait)
            state.failures += 1
            return max(first, doubled)
        }
        return .milliseconds(max(wait, Int(clamping: min(least.nanoseconds / 1_000_000, 3_600_000))))
    }

    private static func check(_ head: TransportResponse?, of call: TransportCall) throws(NetworkError) {
        guard let head else { return }
        let type = MediaType(head.fields[.contentType] ?? "")
        guard type?.type == "text", type?.subtype == "event-stream" else {
            throw NetworkError(
                kind: .pathErr, reason: .decodeError, message: "the response is not an event stream",
                upstream: call.upstream.name, call: call, statusCode: head.status.code, attempts: 1,
                elapsed: .zero, isRetryable: false)
        }
    }
}

extension NetworkError {
    /// Whether another connection may succeed.
    fileprivate var mayPassForEvents: Bool {
        if let statusCode { return statusCode >= 500 }
        return kind == .networkFail && isRetryable && reason != .deadlineExceeded
    }
}
