import Locking

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Waits for the value. Cancelling the task disposes the subscription and throws `CancellationError`. A
    /// task that was cancelled before does not subscribe.
    public var value: Element {
        get async throws {
            guard let value = try await primitiveSequence.source.awaitValue() else {
                throw RxError.noElements
            }
            return value
        }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Waits for the value; nil if the maybe is empty. Cancelling the task disposes and throws
    /// `CancellationError`. A task that was cancelled before does not subscribe.
    public var value: Element? {
        get async throws { try await primitiveSequence.source.awaitValue() }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Waits for the completion. Cancelling the task disposes the subscription and throws
    /// `CancellationError`. A task that was cancelled before does not subscribe.
    public var value: Void {
        get async throws { _ = try await primitiveSequence.source.awaitValue() }
    }
}

extension Observable {
    /// Waits for the first value. Returns nil if the stream completes empty.
    fileprivate func awaitValue() async throws -> Element? {
        // The handler below disposes first in that case, but the source might do its work before it hears of
        // it.
        try Task.checkCancellation()
        let subscription = SingleAssignmentDisposable()
        let happensBefore = HappensBeforeEdge()
        defer { happensBefore.acquire() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let once = Resumption(continuation, happensBefore)
                let subscriber = ClosureSubscriber<Element>(
                    next: { once.resume(.success($0)) },
                    error: { once.resume(.failure($0)) },
                    completed: { once.resume(.success(nil)) },
                    disposed: { once.resume(.failure(CancellationError())) })
                // Before the stream starts, so that a closure of the stream can cancel the task.
                subscription.setDisposable(subscriber)
                _ = Observable.subscribe(self, subscriber)
            }
        } onCancel: {
            subscription.dispose()
        }
    }
}

/// Resumes a continuation exactly once, no matter how many events race for it.
private final class Resumption<Element: Sendable>: Sendable {
    private let continuation: Lock<CheckedContinuation<Element?, any Error>?>

    private let happensBefore: HappensBeforeEdge

    init(_ continuation: CheckedContinuation<Element?, any Error>, _ happensBefore: HappensBeforeEdge) {
        self.continuation = Lock(continuation)
        self.happensBefore = happensBefore
    }

    func resume(_ result: Result<Element?, any Error>) {
        let continuation = self.continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        happensBefore.release()
        continuation?.resume(with: result)
    }
}
