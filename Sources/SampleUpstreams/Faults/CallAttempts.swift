internal import Locking

/// Counts the attempts of calls by the request that they belong to, for the fault that fails the first ones.
///
/// Keeps the latest 1024 calls. Safe to use from any thread.
final class CallAttempts: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        /// The keys of `counts`, the oldest first.
        var calls: [String] = []
    }

    static let limit = 1024

    private let state = Lock(State())

    /// Counts an attempt and returns its number; 1 for a request without ID, whose attempts cannot be told
    /// apart.
    func next(_ requestID: String?, _ method: String, _ target: String) -> Int {
        guard let requestID, !requestID.isEmpty else { return 1 }
        let call = "\(requestID) \(method) \(target)"
        return state.withLock { state in
            if state.counts[call] == nil {
                if state.calls.count == Self.limit { state.counts[state.calls.removeFirst()] = nil }
                state.calls.append(call)
            }
            state.counts[call, default: 0] += 1
            return state.counts[call, default: 1]
        }
    }
}
