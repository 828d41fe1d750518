internal import Locking
public import Sluice

/// The calls that arrived lately, by the `X-Request-Id` that the gateway sends with each, so that a page can
/// show them as they happen. In memory only.
///
/// Records only IDs that begin with `demo-`, which pages choose for their requests. Keeps the latest 128 of
/// them, with at most 64 calls each. Safe to use from any thread.
public final class RecentCalls: Sendable {
    /// What a request leaves for its end.
    struct Key: Equatable, Sendable {
        let requestID: String
        let number: Int
    }

    private struct Call {
        let method: String
        let target: String
        let beganAt = ContinuousClock.now
        var endedAt: ContinuousClock.Instant?
        /// Nil until the end, and if no HTTP response was sent.
        var status: Int?
    }

    private struct State {
        var calls: [String: [Call]] = [:]
        /// The keys of `calls`, the oldest first.
        var requests: [String] = []
    }

    static let prefix = "demo-"
    static let requestLimit = 128
    static let callLimit = 64

    private let state = Lock(State())

    /// Creates an empty list.
    public init() {}

    /// Records the arrival of a call. Returns its key for `ended`; nil if it is not recorded.
    func began(_ requestID: String, _ method: String, _ target: String) -> Key? {
        guard requestID.hasPrefix(Self.prefix) else { return nil }
        return state.withLock { state in
            if state.calls[requestID] == nil {
                if state.requests.count == Self.requestLimit {
                    state.calls[state.requests.removeFirst()] = nil
                }
                state.requests.append(requestID)
            }
            let number = state.calls[requestID, default: []].count
            guard number < Self.callLimit else { return nil }
            state.calls[requestID, default: []].append(Call(method: method, target: target))
            return Key(requestID: requestID, number: number)
        }
    }

    /// Records the end of a call.
    func ended(_ request: FinishedRequest) {
        guard let summary = request.summary, let key = summary[Key.self] else { return }
        let isHTTP = request.bytesSent > 0 && summary[Fault.self] != .garbage
        ended(key, status: isHTTP ? request.status : nil)
    }

    func ended(_ key: Key, status: Int?) {
        state.withLock { state in
            // Newer requests may have taken its place.
            guard state.calls[key.requestID]?.indices.contains(key.number) == true else { return }
            state.calls[key.requestID]?[key.number].endedAt = .now
            state.calls[key.requestID]?[key.number].status = status
        }
    }

    /// Returns the calls of a request in the order of their arrival, with times in milliseconds since the
    /// first arrival. A call in progress has the end `null`. Without calls, `nowMs` is 0 and the list is
    /// empty:
    ///
    ///     {"nowMs":41.2,"calls":[{"method":"GET","target":"/tags","beganMs":0.0,"endMs":40.8,"status":200}]}
    public func list(of requestID: String) -> JSONFragment {
        let calls = state.withLock { $0.calls[requestID] } ?? []
        let now = ContinuousClock.now
        let start = calls.first?.beganAt ?? now
        let milliseconds = { (time: ContinuousClock.Instant) in
            JSONLiteral(((time - start) / .microseconds(1)).rounded() / 1000)
        }
        let list: JSONLiteral = [
            "nowMs": milliseconds(now),
            "calls": .init(
                calls.map { call in
                    [
                        "method": .init(call.method), "target": .init(call.target),
                        "beganMs": milliseconds(call.beganAt), "endMs": .init(call.endedAt.map(milliseconds)),
                        "status": .init(call.status.map { .init($0) }),
                    ]
                }),
        ]
        return list.fragment
    }
}
