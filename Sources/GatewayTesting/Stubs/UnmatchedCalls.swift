import Locking

/// The calls of a test that matched no stub. `withGateway` throws it at the end of the test.
///
///     GET /weights/2026-11-20?half=pm of upstream "diary" matched no stub; declared:
///       GET /weights/{date} with query half=am: the query has half=pm
public struct UnmatchedCalls: Error, CustomStringConvertible {
    /// One description for each call, the first 20.
    public let calls: [String]
    /// How many calls matched no stub.
    public let count: Int
    /// The error that the test itself threw, if any.
    public let testError: (any Error)?

    /// What is wrong, in words.
    public var description: String {
        var lines = calls
        if count > calls.count { lines.append("and \(count - calls.count) more calls") }
        if let testError { lines.append("Then the test threw: \(testError)") }
        return lines.joined(separator: "\n")
    }

    /// One call and what each stub of its upstream missed, nearest stub first.
    struct Call: CustomStringConvertible {
        let description: String

        init(_ request: StubUpstream.Request, stubs: [(StubPattern, StubPattern.Match)]) {
            let call = "\(request) of upstream \"\(request.upstream)\" matched no stub; declared:"
            guard !stubs.isEmpty else {
                description = "\(call) none"
                return
            }
            var misses: [(distance: Int, line: String)] = []
            for case (let pattern, .missed(let reasons)) in stubs {
                misses.append((reasons.distance, "  \(pattern): \(reasons.texts.joined(separator: ", "))"))
            }
            var lines = misses.sorted { $0.distance < $1.distance }.prefix(Self.most).map(\.line)
            if misses.count > Self.most { lines.append("  and \(misses.count - Self.most) more") }
            description = ([call] + lines).joined(separator: "\n")
        }

        private static let most = 10
    }

    /// Collects the calls of one test.
    final class Log: Sendable {
        private let state = Lock((calls: [String](), count: 0))

        func add(_ call: Call) {
            state.withLock { state in
                state.count += 1
                if state.calls.count < 20 { state.calls.append(call.description) }
            }
        }

        /// Returns the error for the test; nil if every call matched a stub.
        func error(after testError: (any Error)? = nil) -> UnmatchedCalls? {
            let (calls, count) = state.withLock { ($0.calls, $0.count) }
            return count == 0 ? nil : UnmatchedCalls(calls: calls, count: count, testError: testError)
        }
    }
}
