extension ObservableConvertibleType {
    /// The values for `for try await`. Subscribes when it is read. Ending the iteration disposes the subscription.
    ///
    /// Values that are not yet taken are kept. A streamed response that is subscribed to at once, with operators in between or
    /// without, is held back from 16 of them on. All others are kept without bound: also a response that an operator (`retry`,
    /// `flatMap`) subscribes to later.
    public var values: AsyncThrowingStream<Element, any Error> {
        let reading = ValuesReading(asObservable())
        return AsyncThrowingStream { try await reading.next() }
    }
}

/// The subscription of a stream whose values a task reads, for as long as it could read them.
final class ValuesReading<Element: Sendable>: Sendable {
    /// Values that wait before a source is held back.
    private static var high: Int { 16 }
    private static var low: Int { 4 }

    private let buffer = ValuesBuffer<Element>(high: high, low: low)
    private let subscription: any Disposable

    init(_ source: Observable<Element>) {
        let buffer = buffer
        subscription = Demand.$current.withValue(buffer.demand) {
            source.subscribe(
                onNext: { buffer.send($0) }, onError: { buffer.end(.failure($0)) },
                onCompleted: { buffer.end(.success(())) },
                // After a terminal event this changes nothing.
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
