internal import EventIO
public import Metrics
internal import Synchronization

/// The numbers of all pools of one client. Its loop writes them. Any thread reads one after another, so they
/// may not match.
final class ClientCounts: Sendable {
    private let idle = Atomic(0)
    private let leased = Atomic(0)
    private let relays = Atomic(0)
    private let waiting = Atomic(0)
    private let opened = Atomic(0)
    private let reused = Atomic(0)

    /// Follows a pool. Called on the loop.
    @inline(__always)
    func change(from old: PoolReport, to new: PoolReport) {
        add(new.idle - old.idle, to: idle)
        add(new.leased - old.leased, to: leased)
        add(new.relays - old.relays, to: relays)
        add(new.waiting - old.waiting, to: waiting)
        add(new.opened - old.opened, to: opened)
        add(new.reused - old.reused, to: reused)
    }

    /// A load and a store suffice, as only the loop writes.
    @inline(__always)
    private func add(_ change: Int, to number: borrowing Atomic<Int>) {
        guard change != 0 else { return }
        number.store(number.load(ordering: .relaxed) + change, ordering: .relaxed)
    }

    var report: PoolReport {
        PoolReport(
            idle: idle.load(ordering: .relaxed), leased: leased.load(ordering: .relaxed),
            relays: relays.load(ordering: .relaxed), waiting: waiting.load(ordering: .relaxed),
            opened: opened.load(ordering: .relaxed), reused: reused.load(ordering: .relaxed))
    }
}

/// What the pools of one upstream count on their loop's page.
public final class PoolCounts {
    private let idle: Gauge
    private let leased: Gauge
    private let relays: Gauge
    private let waiting: Gauge
    private let inFlight: Gauge
    private let opened: Counter
    private let closed: OutcomeCounters<DiscardReason>

    /// Creates the counters of an upstream on the page of a loop.
    public init(_ upstream: MetricName, on page: CounterPage) {
        idle = upstream.gauge(.upstreamConnections, ["idle"], on: page)
        leased = upstream.gauge(.upstreamConnections, ["leased"], on: page)
        relays = upstream.gauge(.upstreamConnections, ["relay"], on: page)
        waiting = upstream.gauge(.upstreamWaitingCalls, on: page)
        inFlight = upstream.gauge(.upstreamCallsInFlight, on: page)
        opened = upstream.counter(.upstreamConnectionsOpened, on: page)
        closed = OutcomeCounters(.upstreamConnectionsClosed, of: upstream, on: page) { [$0.token] }
    }

    /// Makes the series of an upstream's pools, at 0.
    public static func begin(_ upstream: MetricName) {
        for state in ["idle", "leased", "relay"] { _ = upstream.shared(.upstreamConnections, [state]) }
        _ = upstream.shared(.upstreamWaitingCalls)
        _ = upstream.shared(.upstreamCallsInFlight)
        _ = upstream.shared(.upstreamConnectionsOpened)
    }

    /// A connection was closed, or could not be opened.
    func connectionClosed(_ reason: DiscardReason) { closed.add(reason) }

    /// Valid as long as this is kept.
    var cells: Cells {
        Cells(
            idle: idle.unowned, leased: leased.unowned, relays: relays.unowned, waiting: waiting.unowned,
            inFlight: inFlight.unowned, opened: opened.unowned)
    }

    /// Counts without references, because each call changes them four times.
    struct Cells {
        fileprivate let idle: UnownedCell
        fileprivate let leased: UnownedCell
        fileprivate let relays: UnownedCell
        fileprivate let waiting: UnownedCell
        fileprivate let inFlight: UnownedCell
        fileprivate let opened: UnownedCell

        @inline(__always)
        func change(from old: PoolReport, to new: PoolReport) {
            if new.idle != old.idle { idle.add(new.idle - old.idle) }
            if new.leased != old.leased { leased.add(new.leased - old.leased) }
            if new.relays != old.relays { relays.add(new.relays - old.relays) }
            if new.waiting != old.waiting { waiting.add(new.waiting - old.waiting) }
            let calls = new.leased + new.waiting - old.leased - old.waiting
            if calls != 0 { inFlight.add(calls) }
            if new.opened != old.opened { opened.add(new.opened - old.opened) }
        }
    }
}
