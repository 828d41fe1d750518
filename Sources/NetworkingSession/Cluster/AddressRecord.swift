import EventIO
import Locking
import Resilience
import Synchronization

/// One address of an upstream, as all loops of a process see it.
final class AddressRecord: Sendable {
    /// `host:port`, for logs and reports.
    let text: String
    private let health: Lock<AddressHealth>
    // Copies of `health`, so that attempts take no lock.
    private let outUntil: Atomic<Int64>
    private let start: Atomic<Int64>
    private let isSuspect = Atomic(false)
    private let isFailing = Atomic(false)

    /// - Parameter addedAt: nil for an address that its upstream has from the beginning.
    init(_ text: String, addedAt: MonotonicTime?) {
        self.text = text
        let health = AddressHealth(addedAt: addedAt?.nanoseconds)
        outUntil = Atomic(health.outUntil)
        start = Atomic(health.serviceStart)
        self.health = Lock(health)
    }

    func isInService(at now: MonotonicTime) -> Bool { outUntil.load(ordering: .relaxed) <= now.nanoseconds }

    /// Whether a success is to be reported.
    var awaitsSuccess: Bool { isSuspect.load(ordering: .relaxed) }

    /// The share of its load that the address takes: 1, or less after a return and while it fails.
    func ramp(at now: MonotonicTime, slowStart: Int64) -> Double {
        AddressHealth.ramp(
            at: now.nanoseconds, since: start.load(ordering: .relaxed),
            isFailing: isFailing.load(ordering: .relaxed), slowStart: slowStart)
    }

    func change(_ step: (inout AddressHealth) -> AddressHealth.Change?) -> AddressHealth.Change? {
        health.withLock { health in
            let change = step(&health)
            outUntil.store(health.outUntil, ordering: .relaxed)
            start.store(health.serviceStart, ordering: .relaxed)
            isSuspect.store(health.awaitsSuccess, ordering: .relaxed)
            isFailing.store(health.isFailing, ordering: .relaxed)
            return change
        }
    }

    func state(at now: MonotonicTime) -> AddressState {
        switch outUntil.load(ordering: .relaxed) {
        case .max: .unhealthy
        case let end where end > now.nanoseconds: .ejected
        default: .inService
        }
    }
}

/// Whether an address of an upstream gets calls.
package enum AddressState: Sendable, Hashable {
    case inService
    /// Its attempts failed (`EjectionPolicy`).
    case ejected
    /// Its checks fail (`HealthCheckPolicy`).
    case unhealthy
}
