import Sluice
import Synchronization

/// Counts the requests of all loops.
final class Metrics: Sendable {
    private let requests = Atomic(0)
    private let partial = Atomic(0)
    private let failures = Atomic(0)

    func add(_ request: FinishedRequest) {
        requests.add(1, ordering: .relaxed)
        if request.summary?.code == "PARTIAL" { partial.add(1, ordering: .relaxed) }
        if request.status >= 500 { failures.add(1, ordering: .relaxed) }
    }

    /// In the text format of Prometheus.
    var text: String {
        """
        requests_total \(requests.load(ordering: .relaxed))
        partial_answers_total \(partial.load(ordering: .relaxed))
        failures_total \(failures.load(ordering: .relaxed))

        """
    }
}
