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
        /// Whether that is the head of an event stream.
        var isChecked = false
        /// Connections in succession that brought no event.
        var failures = 0
    }

    /// Milliseconds before the next connection, unless the server asks for another time.
    private static let firstWait = 1_000
    /// Fewest milliseconds, whatever the server asks for.
    private static let leastWait = 100
    /// Fewest milliseconds from which the wait doubles.
    private static let leastDoubled = 500
    /// Milliseconds up to which the wait doubles.
    private static let longestWait = 30_000
    /// Maximum number of bytes of an id that is sent back.
    private static let longestID = 1_024

    /// Whether the call may be repeated without an effect.
    private let mayReconnect: Bool
    /// The request that the connections are made for; nil outside a request.
    private let context: CallContext?
    private let jitter: Jitter
    private let state = Lock(State())

    /// - Parameter jitter: chooses what is added to a doubled wait, so that not all clients of a server that
    ///   was gone come back at once.
    init(mayReconnect: Bool, for context: CallContext?, jitter: @escaping Jitter) {
        self.mayReconnect = mayReconnect
        self.context = context
        self.jitter = jitter
    }

    /// The fields of the next connection, unless the target sets them.
    var fields: HTTPFields {
        var fields: HTTPFields = [.accept: "text/event-stream", .cacheControl: "no-store"]
        if let id = state.withLock({ $0.parser.lastEventID }), Self.isSendable(id) {
            fields["Last-Event-ID"] = id
        }
        return fields
    }

    /// A longer id, or one with control characters, could not be sent at all.
    private static func isSendable(_ id: String) -> Bool {
        id.utf8.count <= longestID && id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    func began(_ head: TransportResponse) {
        state.withLock { state in
            state.head = head
            state.isChecked = false
            state.parser = EventParser(
                limit: StreamLimits.record, lastEventID: state.parser.lastEventID, retry: state.parser.retry)
        }
    }

    func next(in piece: inout ArraySlice<UInt8>, of call: TransportCall) throws -> ServerSentEvent? {
        try state.withLock { (state) throws -> ServerSentEvent? in
            if !state.isChecked {
                try Self.check(state.head, of: call)
                state.isChecked = true
            }
            do throws(LineSplitter.TooLong) {
                let event = try state.parser.nextEvent(in: &piece)
                if event != nil { state.failures = 0 }
                return event
            } catch {
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
        case let error as NetworkError where mayReconnect && mayPass(error):
            least = error.retryAfter ?? .zero
        default: return nil
        }
        let (wait, isDoubled) = state.withLock { state in
            let first = max(state.parser.retry ?? Self.firstWait, Self.leastWait)
            defer { state.failures += 1 }
            guard state.failures > 0 else { return (first, false) }
            // At most an hour times 64.
            let doubled = max(first, Self.leastDoubled) << min(state.failures, 6)
            return (max(first, min(doubled, Self.longestWait)), true)
        }
        let asked = max(wait, Int(clamping: min(least.nanoseconds / 1_000_000, 3_600_000)))
        let added = isDoubled ? jitter(.milliseconds(asked / 4)).nanoseconds / 1_000_000 : 0
        return .milliseconds(asked + Int(clamping: added))
    }

    /// Whether another connection may succeed.
    private func mayPass(_ error: NetworkError) -> Bool {
        if let statusCode = error.statusCode { return statusCode >= 500 }
        // An answer that has begun has no deadline any more.
        if error.reason == .deadlineExceeded { return context?.hasDeadline == false }
        return error.kind == .networkFail && error.isRetryable
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
