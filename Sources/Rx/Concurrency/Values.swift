extension ObservableConvertibleType {
    /// The values as an `AsyncSequence`, for `for try await`. Reading this property subscribes, unless the
    /// task that reads it is cancelled: then the iteration ends at once. Leaving the loop disposes the
    /// subscription, and so does cancelling the task. A task that is cancelled while it waits for a value
    /// gets a `CancellationError`. If it is cancelled while it works on a value, it leaves the loop at the
    /// next value without an error, as with every `AsyncThrowingStream`.
    ///
    /// Unread values are buffered. A streamed response that is subscribed to directly, even through
    /// operators, pauses once 16 values are waiting. Any other source is buffered without limit, including a
    /// response that an operator such as `retry` or `flatMap` subscribes to later. Iterate in one task: a
    /// second one that reads while the first waits fails with ``ConcurrentReadError``.
    public var values: AsyncThrowingStream<Element, any Error> {
        let reading = ValuesReading(asObservable())
        return AsyncThrowingStream { try await reading.next() }
    }

    /// The same with other weights of waiting values at which a source that can pause does so, and resumes.
    ///
    /// - Parameters:
    ///   - highWatermark: the weight that pauses the source.
    ///   - lowWatermark: the weight that resumes it.
    ///   - weigh: returns the weight of a value.
    package func values(
        pausingAt highWatermark: Int, resumingAt lowWatermark: Int,
        weighing weigh: @escaping @Sendable (Element) -> Int
    ) -> AsyncThrowingStream<Element, any Error> {
        let reading = ValuesReading(
            asObservable(), pausingAt: highWatermark, resumingAt: lowWatermark, weighing: weigh)
        return AsyncThrowingStream { try await reading.next() }
    }
}

/// The subscription behind `values`, kept while a task can still read from it.
final class ValuesReading<Element: Sendable>: Sendable {
    private let buffer: ValuesBuffer<Element>
    private let subscription: any Disposable

    /// - Parameters:
    ///   - source: the stream.
    ///   - highWatermark: the weight of buffered values that pauses the source.
    ///   - lowWatermark: the weight of buffered values that resumes the source.
    ///   - weigh: returns the weight of a value. Default 1.
    init(
        _ source: Observable<Element>, pausingAt highWatermark: Int = 16, resumingAt lowWatermark: Int = 4,
        weighing weigh: @escaping @Sendable (Element) -> Int = { _ in 1 }
    ) {
        let buffer = ValuesBuffer<Element>(
            highWatermark: highWatermark, lowWatermark: lowWatermark, weigh: weigh)
        self.buffer = buffer
        guard !Task.isCancelled else {
            buffer.cancel()
            subscription = Disposables.create()
            return
        }
        subscription = Demand.$current.withValue(buffer.demand) {
            source.subscribe(
                onNext: { buffer.send($0) }, onError: { buffer.end(.failure($0)) },
                onCompleted: { buffer.end(.success(())) },
                // No effect after a terminal event.
                onDisposed: { buffer.end(.failure(CancellationError())) })
        }
    }

    deinit { subscription.dispose() }

    func next() async throws -> Element? {
        try await withTaskCancellationHandler {
            try await buffer.next()
        } onCancel: {
            buffer.cancel()
            subscription.dispose()
        }
    }
}
