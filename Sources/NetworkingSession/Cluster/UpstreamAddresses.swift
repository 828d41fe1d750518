import EventIO
import Locking
import Networking
package import Resilience
import Synchronization

/// Learns how an address of the upstream with a name has changed.
package typealias AddressObserver =
    @Sendable (_ upstream: String, _ address: String, AddressHealth.Change) -> Void

/// The addresses of one upstream, as all loops of a process see them: takes failing ones out of service.
final class UpstreamAddresses: Sendable {
    let upstream: String
    private let ejection: EjectionPolicy?
    let checks: HealthCheckPolicy?
    /// Nanoseconds.
    let slowStart: Int64
    private let addressChanged: AddressObserver
    /// Those that the last loop which learned of a change uses.
    private let current = Lock<[AddressRecord]>([])
    private let checker = Atomic(false)

    init(of upstream: String, _ policy: UpstreamPolicy, _ addressChanged: @escaping AddressObserver) {
        self.upstream = upstream
        ejection = policy.ejection
        checks = policy.health
        slowStart = policy.slowStart?.nanoseconds ?? 0
        self.addressChanged = addressChanged
    }

    func use(_ records: [AddressRecord]) { current.withLock { $0 = records } }

    func attemptFailed(_ record: AddressRecord, at now: MonotonicTime) {
        guard let ejection else { return }
        // Locked as a whole, so that two loops do not eject more than `maxShare`.
        let change = current.withLock { records in
            let out = records.count { $0 !== record && !$0.isInService(at: now) }
            let mayEject = Double(out + 1) <= ejection.maxShare * Double(records.count)
            return record.change { $0.attemptFailed(ejection, mayEject: mayEject, at: now.nanoseconds) }
        }
        report(change, of: record)
    }

    func attemptSucceeded(_ record: AddressRecord, at now: MonotonicTime) {
        report(record.change { $0.attemptSucceeded(at: now.nanoseconds) }, of: record)
    }

    func checkEnded(_ record: AddressRecord, passed: Bool, at now: MonotonicTime) {
        guard let checks else { return }
        report(record.change { $0.checkEnded(passed: passed, checks, at: now.nanoseconds) }, of: record)
    }

    /// Whether the caller is the one that checks the addresses from now on.
    func becomeChecker() -> Bool { !checker.exchange(true, ordering: .relaxed) }

    func endChecks() { checker.store(false, ordering: .relaxed) }

    /// The state of each address.
    func states(at now: MonotonicTime) -> [String: AddressState] {
        let records = current.withLock { $0 }
        return Dictionary(records.map { ($0.text, $0.state(at: now)) }) { first, _ in first }
    }

    private func report(_ change: AddressHealth.Change?, of record: AddressRecord) {
        if let change { addressChanged(upstream, record.text, change) }
    }
}
