public import Dispatch
import Locking
import Rx
public import Testing

/// What a test leaves behind is a leak: observables, running steps, subscriptions and disposables that it made and that are
/// alive after it has ended.
///
///     @Suite(.noLeaks) struct SearchTests { ... }
///     @Test(.noLeaks) func aSearchIsAbandoned() { ... }
///
/// What other threads still hold when the test returns has some time to be freed. Counts what the test's task makes
/// (`Resources.Ledger`), in builds in which Rx counts: debug builds, and with `TRACE_RESOURCES`. In others it warns.
public struct NoLeaks: SuiteTrait, TestTrait, TestScoping {
    private let limit: DispatchTimeInterval

    /// - Parameter limit: how long other threads may hold what the test made after it has returned. A test that leaves nothing
    ///   behind does not wait.
    public init(within limit: DispatchTimeInterval = .seconds(10)) {
        self.limit = limit
    }

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let ledger = Resources.Ledger()
        try await Resources.$ledger.withValue(ledger) { try await function() }
        await ledger.waitUntilEmpty(atMost: limit)
        report(ledger, sourceLocation: test.sourceLocation)
    }
}

extension Trait where Self == NoLeaks {
    /// What the test leaves behind is a leak; see ``NoLeaks``.
    public static var noLeaks: NoLeaks { NoLeaks() }
}

/// Runs `body`, and records an issue of the test when objects of Rx that it made are alive afterwards.
public func expectNoLeaks<Result>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) rethrows -> Result {
    let ledger = Resources.Ledger()
    defer { report(ledger, sourceLocation: sourceLocation) }
    return try Resources.$ledger.withValue(ledger, operation: body)
}

private func report(_ ledger: Resources.Ledger, sourceLocation: SourceLocation) {
    guard Resources.areCounted else {
        Issue.record(
            "leaks are not looked for: Rx counts only in debug builds and with TRACE_RESOURCES",
            severity: .warning, sourceLocation: sourceLocation)
        return
    }
    let alive = ledger.alive
    guard alive > 0 else { return }
    Issue.record(
        "\(alive) \(alive == 1 ? "object" : "objects") of Rx made here \(alive == 1 ? "is" : "are") still alive",
        sourceLocation: sourceLocation)
}

extension Resources.Ledger {
    fileprivate func waitUntilEmpty(atMost limit: DispatchTimeInterval) async {
        guard alive > 0 else { return }
        await withCheckedContinuation { continuation in
            // Whichever is first resumes.
            let waiting = Lock<CheckedContinuation<Void, Never>?>(continuation)
            let end: @Sendable () -> Void = {
                waiting.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }?.resume()
            }
            whenEmpty(end)
            DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: end)
        }
    }
}
