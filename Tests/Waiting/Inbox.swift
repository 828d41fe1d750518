import Locking

/// Events from other threads that one test takes in order.
package final class Inbox<Event: Sendable>: Sendable {
    private struct State {
        var untaken: [Event] = []
        var waiting: DeadlineContinuation<Event>?
        var count = 0
        /// The last ten events, for messages.
        var recent: [Event] = []
    }

    private let state = Lock(State())

    package init() {}

    package func put(_ event: Event) {
        let waiting: DeadlineContinuation<Event>? = state.withLock { state in
            state.count += 1
            state.recent = state.recent.suffix(9) + [event]
            defer { state.waiting = nil }
            if state.waiting == nil { state.untaken.append(event) }
            return state.waiting
        }
        waiting?.resume(returning: event)
    }

    /// Returns the next event.
    ///
    /// - Throws: `WaitedTooLong`.
    package func next(
        within limit: Duration = Patience.limit, file: String = #fileID, line: Int = #line
    ) async throws -> Event {
        do {
            return try await withDeadline(
                "no further event after \(self.recent)", within: limit, file: file, line: line
            ) { continuation in
                let event: Event? = state.withLock { state in
                    precondition(state.waiting == nil, "one task takes the events")
                    if !state.untaken.isEmpty { return state.untaken.removeFirst() }
                    state.waiting = continuation
                    return nil
                }
                if let event { continuation.resume(returning: event) }
            }
        } catch {
            state.withLock { $0.waiting = nil }
            throw error
        }
    }

    /// Returns the next `count` events.
    ///
    /// - Throws: `WaitedTooLong`.
    package func next(
        _ count: Int, within limit: Duration = Patience.limit, file: String = #fileID, line: Int = #line
    ) async throws -> [Event] {
        var events: [Event] = []
        while events.count < count {
            events.append(try await next(within: limit, file: file, line: line))
        }
        return events
    }

    private var recent: String {
        let (events, count) = state.withLock { ($0.recent, $0.count) }
        return recentEvents(events, of: count)
    }
}
