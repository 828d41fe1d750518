public import Foundation
public import Rx

extension ObservableConvertibleType {
    /// The stream for a caller that waits for it, at most `timeout` seconds each time; `nil` is for ever.
    ///
    /// For tests and tools: each operation subscribes and keeps its thread. The main thread serves the main run loop and the main
    /// queue meanwhile, so that what is observed on `MainScheduler` comes; another thread sleeps. Work of the main queue that
    /// waits itself keeps that queue from going on, as it runs one thing at a time.
    public consuming func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
        BlockingObservable(source: asObservable(), timeout: timeout)
    }
}

/// What a stream sent, and how it ended.
@frozen
public enum MaterializedSequenceResult<Element: Sendable>: Sendable {
    case completed(elements: [Element])
    case failed(elements: [Element], error: any Error)
}

/// A stream that is waited for. Each operation subscribes anew and disposes that subscription before it returns; each fails
/// with `RxError.timeout` when the time is over.
public struct BlockingObservable<Element: Sendable>: Sendable {
    let source: Observable<Element>
    let timeout: TimeInterval?

    /// All values.
    ///
    /// - Throws: the stream's error, `RxError.timeout`.
    @available(*, noasync, message: "blocks the thread: iterate over values")
    public func toArray() throws -> [Element] {
        try elements(of: source)
    }

    /// The first value, without waiting for another; `nil` when there is none.
    ///
    /// - Throws: the stream's error, `RxError.timeout`.
    @available(*, noasync, message: "blocks the thread: iterate over values")
    public func first() throws -> Element? {
        try elements(of: source.take(1)).first
    }

    /// The last value; `nil` when there is none.
    ///
    /// - Throws: the stream's error, `RxError.timeout`.
    @available(*, noasync, message: "blocks the thread: iterate over values")
    public func last() throws -> Element? {
        try elements(of: source.takeLast(1)).last
    }

    /// The one value.
    ///
    /// - Throws: `RxError.noElements` without one, `RxError.moreThanOneElement` at the second, the stream's error,
    ///   `RxError.timeout`.
    @available(*, noasync, message: "blocks the thread: iterate over values")
    public func single() throws -> Element {
        try one(of: source)
    }

    /// The one value that `predicate` is true of.
    ///
    /// - Throws: `RxError.noElements` without one, `RxError.moreThanOneElement` at the second, what `predicate` throws, the
    ///   stream's error, `RxError.timeout`.
    @available(*, noasync, message: "blocks the thread: iterate over values")
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
        try one(of: source.filter(predicate))
    }

    /// All values, and the completion or the error, `RxError.timeout` too.
    @available(*, noasync, message: "blocks the thread: iterate over values")
    public func materialize() -> MaterializedSequenceResult<Element> {
        result(of: source)
    }

    private func one(of source: Observable<Element>) throws -> Element {
        let elements = try elements(of: source.take(2))
        guard elements.count < 2 else { throw RxError.moreThanOneElement }
        guard let element = elements.first else { throw RxError.noElements }
        return element
    }

    private func elements(of source: Observable<Element>) throws -> [Element] {
        switch result(of: source) {
        case .completed(let elements): return elements
        case .failed(_, let error): throw error
        }
    }

    private func result(of source: Observable<Element>) -> MaterializedSequenceResult<Element> {
        let wait = BlockingWait(timeout: timeout)
        let events = BlockingEvents<Element>()
        wait.run {
            source.subscribe(
                onNext: { events.add($0) },
                onError: { error in
                    events.end(error)
                    wait.end()
                },
                onCompleted: {
                    events.end(nil)
                    wait.end()
                })
        }
        return events.result
    }
}
