import Locking
import Rx

/// What a stream sent so far, and its end.
final class BlockingEvents<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var hasEnded = false
        var error: (any Error)?
    }

    private let state = Lock(State())

    func add(_ element: Element) {
        state.withLock { $0.elements.append(element) }
    }

    func end(_ error: (any Error)?) {
        state.withLock { state in
            state.hasEnded = true
            state.error = error
        }
    }

    /// What it came to: without an end, to a timeout.
    var result: MaterializedSequenceResult<Element> {
        let state = state.withLock { $0 }
        if let error = state.error { return .failed(elements: state.elements, error: error) }
        guard state.hasEnded else { return .failed(elements: state.elements, error: RxError.timeout) }
        return .completed(elements: state.elements)
    }
}
