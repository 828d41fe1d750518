extension ObservableConvertibleType {
    /// The values for `for try await`. Subscribes when it is read; values that are not yet taken are kept without
    /// bound. Ending the iteration disposes the subscription.
    public var values: AsyncThrowingStream<Element, any Error> {
        let source = asObservable()
        return AsyncThrowingStream { continuation in
            let subscription = source.subscribe(
                onNext: { continuation.yield($0) },
                onError: { continuation.finish(throwing: $0) },
                onCompleted: { continuation.finish() },
                // After a terminal event this changes nothing.
                onDisposed: { continuation.finish(throwing: CancellationError()) })
            continuation.onTermination = { _ in subscription.dispose() }
        }
    }
}
