import Synchronization

/// The phase of a gateway's life, readable from any thread.
final class Phase: Sendable {
    enum Value: UInt8 {
        /// Bound, but not serving yet.
        case starting
        case ready
        /// Still serving, but not ready.
        case draining
        case stopped
    }

    private let value = Atomic<UInt8>(Value.starting.rawValue)

    /// For people.
    var name: String {
        switch Value(rawValue: value.load(ordering: .relaxed)) {
        case .starting: "starting"
        case .ready: "ready"
        case .draining: "draining"
        case .stopped, nil: "stopped"
        }
    }

    var isReady: Bool { value.load(ordering: .relaxed) == Value.ready.rawValue }

    var isStarting: Bool { value.load(ordering: .relaxed) == Value.starting.rawValue }

    /// Whether it is neither draining nor stopped.
    var isServing: Bool { value.load(ordering: .relaxed) < Value.draining.rawValue }

    var isStopped: Bool { value.load(ordering: .relaxed) == Value.stopped.rawValue }

    /// Returns the phase before; nil if the gateway has already reached that phase.
    func advance(to next: Value) -> Value? {
        var old = value.load(ordering: .relaxed)
        while old < next.rawValue {
            let (exchanged, original) = value.compareExchange(
                expected: old, desired: next.rawValue, ordering: .relaxed)
            if exchanged { return Value(rawValue: old) }
            old = original
        }
        return nil
    }
}
