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
    /// What this object was made by.
    let policy: UpstreamPolicy
    private let addressChanged: AddressObserver
    private struct Groups: Sendable {
        var members: [AddressRecord] = []
        var spares: [AddressRecord] = []
        /// Whether the upstream still has these policies.
        var hasChecks: Bool
        var hasEjection: Bool

        /// Whether enough addresses stay in service without this one.
        func mayEject(_ record: AddressRecord, _ maxShare: Double, at now: MonotonicTime) -> Bool {
            if spares.contains(where: { $0 === record || $0.isInService(at: now) }) { return true }
            guard members.count > 1 else { return false }
            let out = members.count { $0 !== record && !$0.isInService(at: now) }
            return out == 0 || Double(out + 1) <= maxShare * Double(members.count)
        }
    }

    /// The addresses, as a loop has reported them last.
    private let groups: Lock<Groups>
    private let checker = Atomic(false)

    init(of upstream: String, _ policy: UpstreamPolicy, _ addressChanged: @escaping AddressObserver) {
        self.upstream = upstream
        self.policy = policy
        ejection = policy.ejection
        checks = policy.health
        slowStart = policy.slowStart?.nanoseconds ?? 0
        self.addressChanged = addressChanged
        groups = Lock(Groups(hasChecks: policy.health != nil, hasEjection: policy.ejection != nil))
    }

    /// Another object has the addresses from now on, by another policy. Attempts and checks under way change
    /// nothing that this policy would not.
    func end(by policy: UpstreamPolicy, at now: MonotonicTime) {
        let records = groups.withLock { groups in
            groups.hasChecks = policy.health != nil
            groups.hasEjection = policy.ejection != nil
            return groups.members + groups.spares
        }
        for record in records { follow(policy, record, at: now) }
    }

    /// Takes over an address, which an earlier policy may have put out of service.
    func adopt(_ record: AddressRecord, at now: MonotonicTime) { follow(policy, record, at: now) }

    private func follow(_ policy: UpstreamPolicy, _ record: AddressRecord, at now: MonotonicTime) {
        let change = record.change {
            $0.follow(
                hasChecks: policy.health != nil, hasEjection: policy.ejection != nil, at: now.nanoseconds)
        }
        report(change, of: record)
    }

    /// - Parameters:
    ///   - members: those that share the calls.
    ///   - spares: those that are used while no member is in service.
    ///   - isFinal: whether the loop knows already which are which.
    func use(_ members: [AddressRecord], spares: [AddressRecord], isFinal: Bool) {
        groups.withLock { groups in
            guard isFinal || groups.members.isEmpty else { return }
            groups.members = members
            groups.spares = spares
        }
    }

    func attemptFailed(_ record: AddressRecord, at now: MonotonicTime) {
        record.failed(at: now)
        guard let ejection else { return }
        // Locked as a whole, so that two loops do not eject more than `maxShare`.
        let change = groups.withLock { groups -> AddressHealth.Change? in
            guard groups.hasEjection else { return nil }
            let mayEject = groups.mayEject(record, ejection.maxShare, at: now)
            return record.change { $0.attemptFailed(ejection, mayEject: mayEject, at: now.nanoseconds) }
        }
        report(change, of: record)
    }

    func attemptSucceeded(_ record: AddressRecord, isProbe: Bool, at now: MonotonicTime) {
        record.succeeded()
        report(record.change { $0.attemptSucceeded(isProbe: isProbe, at: now.nanoseconds) }, of: record)
    }

    /// Whether there is an address in use whose last attempt has not failed.
    func isAnyWorking(at now: MonotonicTime) -> Bool {
        groups.withLock { groups in
            let inService = groups.members.filter { $0.isInService(at: now) }
            return (inService.isEmpty ? groups.spares : inService).contains {
                $0.isInService(at: now) && !$0.isFailing && $0.failedAt == .min
            }
        }
    }

    /// Whether there is an address that has not failed since `time`, in nanoseconds.
    func isAnySound(since time: Int64) -> Bool {
        groups.withLock { groups in (groups.members + groups.spares).contains { $0.failedAt < time } }
    }

    func checkEnded(_ record: AddressRecord, passed: Bool, at now: MonotonicTime) {
        guard let checks else { return }
        let change = groups.withLock { groups in
            groups.hasChecks
                ? record.change { $0.checkEnded(passed: passed, checks, at: now.nanoseconds) } : nil
        }
        report(change, of: record)
    }

    /// Whether the caller is the one that checks the addresses from now on.
    func becomeChecker() -> Bool { !checker.exchange(true, ordering: .relaxed) }

    func endChecks() { checker.store(false, ordering: .relaxed) }

    /// The state of each address.
    func states(at now: MonotonicTime) -> [String: AddressState] {
        let records = groups.withLock { $0.members + $0.spares }
        return Dictionary(records.map { ($0.text, $0.state(at: now)) }) { first, _ in first }
    }

    private func report(_ change: AddressHealth.Change?, of record: AddressRecord) {
        if let change { addressChanged(upstream, record.text, change) }
    }
}
