internal import EventIO
public import JSONBytes
internal import Locking

/// The calls that arrived lately, by the `X-Request-Id` that the gateway sends with each, so that a page can show them as they
/// happen. In memory only.
///
/// Records only IDs that begin with `demo-`, which pages choose for their requests. Keeps the latest 128 of them, with at most
/// 64 calls each. Safe to use from any thread.
public final class RecentCalls: Sendable {
    private struct Call {
        let method: String
        let target: String
        let beganAt: MonotonicTime
        var endedAt: MonotonicTime?
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

    public init() {}

    /// Records the arrival of a call. Returns its number for `ended`; nil if it is not recorded.
    func began(_ requestID: String, _ method: String, _ target: String, at time: MonotonicTime) -> Int? {
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
            state.calls[requestID, default: []].append(
                Call(method: method, target: target, beganAt: time))
            return number
        }
    }

    func ended(_ requestID: String, _ number: Int, status: Int?, at time: MonotonicTime) {
        state.withLock { state in
            // Newer requests may have taken its place.
            guard state.calls[requestID]?.indices.contains(number) == true else { return }
            state.calls[requestID]?[number].endedAt = time
            state.calls[requestID]?[number].status = status
        }
    }

    /// Returns the calls of a request in the order of their arrival, with times in milliseconds since the first arrival. A
    /// call in progress has the end `null`. Without calls, `nowMs` is 0 and the list is empty:
    ///
    ///     {"nowMs":41.2,"calls":[{"method":"GET","target":"/tags","beganMs":0.0,"endMs":40.8,"status":200}]}
    public func list(of requestID: String) -> JSONFragment {
        let calls = state.withLock { $0.calls[requestID] } ?? []
        let start = calls.first?.beganAt ?? MonotonicTime.clock()
        let microseconds = { (time: MonotonicTime) in Int((time - start).nanoseconds / 1_000) }
        var composer = JSONComposer()
        composer.beginObject()
        composer.key("nowMs")
        composer.fixed(calls.isEmpty ? 0 : microseconds(MonotonicTime.clock()), places: 3)
        composer.key("calls")
        composer.beginArray()
        for call in calls {
            composer.beginObject()
            composer.key("method")
            composer.string(call.method)
            composer.key("target")
            composer.string(call.target)
            composer.key("beganMs")
            composer.fixed(microseconds(call.beganAt), places: 3)
            composer.key("endMs")
            if let end = call.endedAt {
                composer.fixed(microseconds(end), places: 3)
            } else {
                composer.null()
            }
            composer.key("status")
            if let status = call.status { composer.int(status) } else { composer.null() }
            composer.endObject()
        }
        composer.endArray()
        composer.endObject()
        return composer.fragment()
    }
}
