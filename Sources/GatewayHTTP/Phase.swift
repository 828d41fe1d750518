import Synchronization

/// Where a gateway is in its life, for every loop to see.
final class Phase: Sendable {
    enum Value: UInt8 {
        /// Bound, not serving yet.
        case starting
        case ready
        /// Told to leave: serves on, but says that it is not ready.
        case draining
        case stopped
    }

    private let value = Atomic<UInt8>(Value.starting.rawValue)

    var current: Value { Value(rawValue: value.load(ordering: .relaxed)) ?? .stopped }

    var isReady: Bool { current == .ready }

    /// False when the gateway is in that phase, or past it, already.
    func advance(to next: Value) -> Bool {
        var old = value.load(ordering: .relaxed)
        while old < next.rawValue {
            let (exchanged, original) = value.compareExchange(
                expected: old, desired: next.rawValue, ordering: .relaxed)
            if exchanged { return true }
            old = original
        }
        return false
    }
}
