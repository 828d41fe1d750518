import EventIO
import GatewayCore
import Metrics

/// The names of a generation's entries, limits and stores.
typealias AccessNames = (entries: [String], limits: [String], stores: [String])

/// Counts on one loop who was let in, who was not, and what rate limits said. Confined to the loop.
final class AccessCounters {
    /// What a rate limit said of a request that it counted.
    enum LimitResult: String, CaseIterable {
        case allowed
        case limited
    }

    /// The entry of requests without a credential.
    static let noEntry = "_none"

    private final class Outcomes<Result: Equatable> {
        let name: String
        private let counters: OutcomeCounters<Result>

        init(
            _ name: String, _ family: MetricFamily, of label: MetricName, on page: CounterPage,
            _ results: [Result], _ word: @escaping (Result) -> String
        ) {
            self.name = name
            counters = OutcomeCounters(family, of: label, on: page) { [word($0)] }
            // So that the series begin at 0.
            for result in results { counters.add(result, 0) }
        }

        func count(_ result: Result) { counters.add(result) }
    }

    private let metrics: MetricTable
    private let page: CounterPage
    private var entries: [Outcomes<AccessNote.Result>] = []
    private var limits: [Outcomes<LimitResult>] = []

    init(_ metrics: MetricTable, _ page: CounterPage) {
        self.metrics = metrics
        self.page = page
    }

    /// Prepares the entries and limits of a generation, and drops those that are gone.
    func use(_ names: AccessNames) {
        let entries = names.entries.isEmpty ? [] : names.entries + [Self.noEntry]
        self.entries = entries.map { name in
            self.entries.first { $0.name == name }
                ?? Outcomes(
                    name, .auth, of: metrics.name(.entry, name), on: page,
                    name == Self.noEntry ? [.none] : [.ok, .invalid], \.rawValue)
        }
        limits = names.limits.map { name in
            limits.first { $0.name == name }
                ?? Outcomes(
                    name, .rateLimit, of: metrics.name(.limit, name), on: page, LimitResult.allCases,
                    \.rawValue)
        }
    }

    /// Counts how the check of a request's caller ended.
    func count(_ note: borrowing AccessNote) {
        // A limit may refuse a request before anything is known of its caller.
        if let result = note.result, note.entry != nil || result != .limited {
            let entry = note.entry ?? Self.noEntry
            entries.first { $0.name == entry }?.count(result)
        }
        note.forEachLimit { name, isAllowed in count(isAllowed ? .allowed : .limited, of: name) }
    }

    private func count(_ result: LimitResult, of limit: String) {
        limits.first { $0.name == limit }?.count(result)
    }
}
