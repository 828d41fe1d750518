import Locking

/// A log of events. Tests can wait for an event from any thread.
package final class EventLog: Sendable {
    private struct State {
        var events: [String] = []
        var waiting: [(wanted: String, continuation: DeadlineContinuation<Void>)] = []
    }

    private let state = Lock(State())

    package init() {}

    package var events: [String] { state.withLock { $0.events } }

    package func add(_ event: String) {
        let ready = state.withLock { state in
            state.events.append(event)
            let ready = state.waiting.filter { $0.wanted == event }.map(\.continuation)
            state.waiting.removeAll { $0.wanted == event }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }

    /// Returns once the event has happened.
    ///
    /// - Throws: `WaitedTooLong`.
    package func wait(
        for event: String, within limit: Duration = Patience.limit, file: String = #fileID, line: Int = #line
    ) async throws {
        try await withDeadline(
            "no \"\(event)\" after \(self.recent)", within: limit, file: file, line: line
        ) { continuation in
            let happened = state.withLock { state in
                if state.events.contains(event) { return true }
                state.waiting.append((event, continuation))
                return false
            }
            if happened { continuation.resume() }
        }
    }

    package func count(_ event: String) -> Int { events.count { $0 == event } }

    /// The last ten events, for messages.
    package var recent: String { recentEvents(events.suffix(10), of: events.count) }
}

/// Describes the last events of a log: `... "a", "b"`.
func recentEvents(_ events: some Collection<some Any>, of count: Int) -> String {
    guard !events.isEmpty else { return "no event" }
    let texts = events.map { event in
        let text = event is String ? "\"\(event)\"" : "\(event)"
        return text.count > 200 ? text.prefix(200) + "..." : text
    }
    return (count > texts.count ? "... " : "") + texts.joined(separator: ", ")
}
