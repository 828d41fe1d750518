import Locking

/// Passes elements from any thread to one task.
final class Mailbox<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var elements: [Element] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    func put(_ element: Element) {
        let waiter = state.withLock { state in
            state.elements.append(element)
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Removes the first element, once there is one. Only one task may take at a time.
    func take() async -> Element {
        while true {
            if let element = state.withLock({ $0.elements.isEmpty ? nil : $0.elements.removeFirst() }) {
                return element
            }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.elements.isEmpty { state.waiter = continuation }
                    return !state.elements.isEmpty
                }
                if isReady { continuation.resume() }
            }
        }
    }
}
