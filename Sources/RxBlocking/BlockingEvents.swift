import Locking
import Rx

/// Collects the values and the end of a stream.
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

    /// A stream that has not ended counts as timed out.
    var result: MaterializedSequenceResult<Element> {
        let state = state.withLock { $0 }
        if let error = state.error { return .failed(elements: state.elements, error: error) }
        guard state.hasEnded else { return .failed(elements: state.elements, error: RxError.timeout) }
        return .completed(elements: state.elements)
    }
}
