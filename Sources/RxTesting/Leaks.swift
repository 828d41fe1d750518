public import Dispatch
import Locking
import Rx
public import Testing

/// A trait that fails a test if it leaves observables, subscriptions, disposables or other Rx objects alive.
///
///     @Suite(.noLeaks) struct SearchTests { ... }
///     @Test(.noLeaks) func aSearchIsAbandoned() { ... }
///
/// Counts only objects that the test's task creates (`Resources.Ledger`), and gives other threads time to
/// free them. Rx counts objects only in debug builds and with `TRACE_RESOURCES`; in other builds the trait
/// records a warning.
public struct NoLeaks: SuiteTrait, TestTrait, TestScoping {
    private let limit: DispatchTimeInterval

    /// - Parameter limit: How long other threads may hold the test's objects after it returns.
    public init(within limit: DispatchTimeInterval = .seconds(10)) {
        self.limit = limit
    }

    /// Whether the trait also applies to the suites and tests inside.
    public var isRecursive: Bool { true }

    /// Runs a test, and records an issue if objects of the library are left.
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
    /// Fails the test if it leaks Rx objects; see ``NoLeaks``.
    public static var noLeaks: NoLeaks { NoLeaks() }
}

/// Runs `body` and records an issue if Rx objects that it created outlive it.
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
            "leaks are not checked: Rx counts its objects only in debug builds and with TRACE_RESOURCES",
            severity: .warning, sourceLocation: sourceLocation)
        return
    }
    let alive = ledger.alive
    guard alive > 0 else { return }
    Issue.record(
        "\(alive) \(alive == 1 ? "object of Rx that was" : "objects of Rx that were") created here \(alive == 1 ? "is" : "are") still alive",
        sourceLocation: sourceLocation)
}

extension Resources.Ledger {
    fileprivate func waitUntilEmpty(atMost limit: DispatchTimeInterval) async {
        guard alive > 0 else { return }
        await withCheckedContinuation { continuation in
            // The first of the two callbacks resumes.
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
