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

    /// The share of its load that the address takes, from 0.1 to 1.
    func ramp(at now: MonotonicTime, slowStart: Int64) -> Double {
        AddressHealth.ramp(at: now.nanoseconds, since: start.load(ordering: .relaxed), slowStart: slowStart)
    }

    func change(_ step: (inout AddressHealth) -> AddressHealth.Change?) -> AddressHealth.Change? {
        health.withLock { health in
            let change = step(&health)
            outUntil.store(health.outUntil, ordering: .relaxed)
            start.store(health.serviceStart, ordering: .relaxed)
            isSuspect.store(health.awaitsSuccess, ordering: .relaxed)
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

/// The records of all addresses in use, so that all loops and all names of an origin share them.
final class AddressRecords: Sendable {
    private struct Entry: Sendable {
        weak let record: AddressRecord?
    }

    private struct State: Sendable {
        var entries: [String: Entry] = [:]
        /// Number of entries at which unused ones are removed.
        var limit = 64
    }

    private let state = Lock(State())

    /// Returns the record of an address of an origin.
    ///
    /// - Parameters:
    ///   - key: the origin and the address.
    ///   - text: the address for logs.
    ///   - addedAt: when the address was added, if the record is new.
    func record(_ key: String, _ text: String, addedAt: MonotonicTime?) -> AddressRecord {
        state.withLock { state in
            if let known = state.entries[key]?.record { return known }
            if state.entries.count >= state.limit {
                state.entries = state.entries.filter { $0.value.record != nil }
                state.limit = max(64, 2 * state.entries.count)
            }
            let record = AddressRecord(text, addedAt: addedAt)
            state.entries[key] = Entry(record: record)
            return record
        }
    }

    var count: Int { state.withLock { $0.entries.count } }
}
