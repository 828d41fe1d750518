public import Foundation
import Locking
public import Rx

extension ObservableConvertibleType {
    /// Returns a blocking view of the stream, for tests and tools.
    ///
    /// The main thread runs its run loop while it waits, so events on `MainScheduler` arrive. Other threads
    /// sleep. A block on the main queue that waits holds up that serial queue.
    ///
    /// - Parameter timeout: The longest wait of each operation, in seconds. Default: no limit.
    public consuming func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
        BlockingObservable(source: asObservable(), timeout: timeout)
    }
}

/// The values of a stream and how it ended.
@frozen
public enum MaterializedSequenceResult<Element: Sendable>: Sendable {
    case completed(elements: [Element])
    case failed(elements: [Element], error: any Error)
}

/// A blocking view of a stream. Each operation subscribes and disposes its subscription before it returns.
///
/// All operations but `materialize` throw the stream's error, or `RxError.timeout` when the timeout passes.
/// On the thread of an event loop, as in a callback of a call, they throw `BlockedLoopError` and do not
/// subscribe.
public struct BlockingObservable<Element: Sendable>: Sendable {
    let source: Observable<Element>
    let timeout: TimeInterval?

    /// Waits for the end and returns all values.
    @available(*, noasync, message: "Blocks the thread. Iterate over `values` instead.")
    public func toArray() throws -> [Element] {
        try elements(of: source)
    }

    /// Waits for the first value; `nil` if the stream is empty.
    @available(*, noasync, message: "Blocks the thread. Iterate over `values` instead.")
    public func first() throws -> Element? {
        try elements(of: source.take(1)).first
    }

    /// Waits for the end and returns the last value; `nil` if the stream is empty.
    @available(*, noasync, message: "Blocks the thread. Iterate over `values` instead.")
    public func last() throws -> Element? {
        try elements(of: source.takeLast(1)).last
    }

    /// Waits for the only value.
    ///
    /// - Throws: `RxError.noElements` without an element, `RxError.moreThanOneElement` at the second.
    @available(*, noasync, message: "Blocks the thread. Iterate over `values` instead.")
    public func single() throws -> Element {
        try one(of: source)
    }

    /// Waits for the only value that satisfies `predicate`. Throws like `single()`, or the error of
    /// `predicate`.
    @available(*, noasync, message: "Blocks the thread. Iterate over `values` instead.")
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
        try one(of: source.filter(predicate))
    }

    /// Waits for the end and returns all values with the completion or the error, which may be
    /// `RxError.timeout`.
    @available(*, noasync, message: "Blocks the thread. Iterate over `values` instead.")
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
        if NonblockingThread.isCurrent { return .failed(elements: [], error: BlockedLoopError()) }
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
