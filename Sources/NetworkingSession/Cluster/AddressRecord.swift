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
    private let isOnTrialNow = Atomic(false)
    private let isFailingNow = Atomic(false)
    private let lastFailure = Atomic(Int64.min)

    /// - Parameter addedAt: nil for an address that its upstream has from the beginning.
    init(_ text: String, addedAt: MonotonicTime?) {
        self.text = text
        let health = AddressHealth(addedAt: addedAt?.nanoseconds)
        outUntil = Atomic(health.outUntil)
        start = Atomic(health.serviceStart)
        self.health = Lock(health)
    }

    func isInService(at now: MonotonicTime) -> Bool { outUntil.load(ordering: .relaxed) <= now.nanoseconds }

    /// Whether no attempt has succeeded since its ejection.
    var isOnTrial: Bool { isOnTrialNow.load(ordering: .relaxed) }

    /// Whether it fails, but too many others are out of service.
    var isFailing: Bool { isFailingNow.load(ordering: .relaxed) }

    /// When its last attempt failed, in nanoseconds; `Int64.min` if it succeeded, and `Int64.max` while its
    /// checks fail.
    var failedAt: Int64 {
        outUntil.load(ordering: .relaxed) == .max ? .max : lastFailure.load(ordering: .relaxed)
    }

    func failed(at now: MonotonicTime) { lastFailure.store(now.nanoseconds, ordering: .relaxed) }

    func succeeded() { lastFailure.store(.min, ordering: .relaxed) }

    /// Whether a success is to be reported.
    var awaitsSuccess: Bool { isSuspect.load(ordering: .relaxed) }

    /// The share of its load that the address takes: 1, or less after a return.
    func ramp(at now: MonotonicTime, slowStart: Int64) -> Double {
        AddressHealth.ramp(
            at: now.nanoseconds, since: start.load(ordering: .relaxed), slowStart: slowStart)
    }

    func change(_ step: (inout AddressHealth) -> AddressHealth.Change?) -> AddressHealth.Change? {
        health.withLock { health in
            let change = step(&health)
            outUntil.store(health.outUntil, ordering: .relaxed)
            start.store(health.serviceStart, ordering: .relaxed)
            isSuspect.store(health.awaitsSuccess, ordering: .relaxed)
            isOnTrialNow.store(health.isOnTrial, ordering: .relaxed)
            isFailingNow.store(health.isFailing, ordering: .relaxed)
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
public enum AddressState: Sendable, Hashable {
    case inService
    /// Its attempts failed (`EjectionPolicy`).
    case ejected
    /// Its checks fail (`HealthCheckPolicy`).
    case unhealthy
}
