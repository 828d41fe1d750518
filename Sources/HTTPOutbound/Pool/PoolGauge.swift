internal import Synchronization

/// The numbers of one pool. Its loop writes them. Any thread reads one after another, so they may not match.
final class PoolGauge: Sendable {
    private let idle = Atomic(0)
    private let leased = Atomic(0)
    private let relays = Atomic(0)
    private let waiting = Atomic(0)
    private let opened = Atomic(0)
    private let reused = Atomic(0)

    /// Plain stores suffice, as only the loop writes.
    func publish(_ report: PoolReport) {
        idle.store(report.idle, ordering: .relaxed)
        leased.store(report.leased, ordering: .relaxed)
        relays.store(report.relays, ordering: .relaxed)
        waiting.store(report.waiting, ordering: .relaxed)
        opened.store(report.opened, ordering: .relaxed)
        reused.store(report.reused, ordering: .relaxed)
    }

    var report: PoolReport {
        PoolReport(
            idle: idle.load(ordering: .relaxed), leased: leased.load(ordering: .relaxed),
            relays: relays.load(ordering: .relaxed), waiting: waiting.load(ordering: .relaxed),
            opened: opened.load(ordering: .relaxed), reused: reused.load(ordering: .relaxed))
    }
}
