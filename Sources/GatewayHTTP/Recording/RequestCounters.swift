import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel
import Metrics
import Networking

/// Counts the requests of a loop by route, outcome and part. Confined to the loop.
final class RequestCounters {
    private let metrics: MetricTable
    private let page: CounterPage
    private var routes: [String: RouteCounters] = [:]
    private var countsParts = true
    /// The route of the last request, which many requests in a row may have.
    private var last: RouteCounters
    private let unfinished: [InboundOutcome: Counter]
    private let refused: [Refusal: Counter]
    let compression: CompressionCounts
    let access: AccessCounters

    /// Parts of a route that are told apart: a handler in Swift may name any number of them.
    static let mostParts = 32

    init(on loop: EventLoop) {
        compression = CompressionCounts(on: loop)
        access = AccessCounters(loop.metrics, loop.page)
        metrics = loop.metrics
        page = loop.page
        last = RouteCounters(RouteLabel.none, metrics, page)
        let process = metrics.name()
        let page = page
        func counters<Key: Hashable>(
            _ keys: [Key], _ family: MetricFamily, _ label: (Key) -> String
        ) -> [Key: Counter] {
            Dictionary(
                uniqueKeysWithValues: keys.map { ($0, process.counter(family, [label($0)], on: page)) })
        }
        unfinished = counters(
            [.clientGone, .stalled, .aborted, .drain], .httpUnfinishedResponses, \.rawValue)
        refused = counters(Refusal.allCases, .httpRefused, \.rawValue)
    }

    /// Prepares the routes of a generation, whose counters start at 0, and drops those that are gone.
    ///
    /// - Parameter countsParts: whether the parts of answers are counted.
    func use(_ endpoints: [(method: HTTPMethod, route: String)], countsParts: Bool) {
        self.countsParts = countsParts
        // Made again, because bounds of histograms may have changed. Series that have not go on.
        var current: [String: RouteCounters] = [:]
        for (method, route) in endpoints {
            let counters = current[route] ?? RouteCounters(route, metrics, page)
            if countsParts, let known = routes[route] { counters.keepParts(of: known) }
            counters.prepare(method)
            current[route] = counters
        }
        routes = current
        last = RouteCounters(RouteLabel.none, metrics, page)
    }

    /// Counts a request that an endpoint took.
    func count(_ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary, at now: MonotonicTime) {
        let counters = counters(of: summary.route ?? RouteLabel.none)
        counters.count(facts, code: summary.code, at: now)
        if countsParts { counters.countParts(of: summary) }
        countEnd(facts.end)
    }

    /// Counts a request that no endpoint answered.
    ///
    /// - Parameter code: the envelope's; nil if the status says all.
    func count(_ facts: borrowing RequestFacts, of route: String, code: String?, at now: MonotonicTime) {
        let code =
            facts.undeliveredCode ?? code
            ?? (facts.status < 400 ? "OK" : ErrorCode(status: facts.status).name)
        counters(of: route).count(facts, code: code, at: now)
        countEnd(facts.end)
    }

    /// Counts a request that was slow.
    func countSlow(_ phase: SlowPhase.Phase, of route: String) { counters(of: route).countSlow(phase) }

    func count(_ refusal: Refusal) { refused[refusal]?.add() }

    /// Counts a request that the server refused.
    func count(_ error: InboundError) {
        if let refusal = Refusal(error.reason) { count(refusal) }
    }

    private func countEnd(_ end: InboundOutcome) {
        if end != .completed { unfinished[end]?.add() }
    }

    private func counters(of route: String) -> RouteCounters {
        if last.route == route { return last }
        if let known = routes[route] {
            last = known
            return known
        }
        last = RouteCounters(route, metrics, page)
        routes[route] = last
        return last
    }
}

/// Why the server or a limit refused a request.
enum Refusal: String, CaseIterable {
    case endpointShare = "endpoint_share"
    case endpointLimit = "endpoint_limit"
    case connections
    /// No memory for another request body.
    case bodies
    /// No descriptor, thread or turn for another static file.
    case files
    case host
    case loop
    case malformed
    case timeout
    case tooLarge = "too_large"
    /// A connection of a trusted proxy without the header of the PROXY protocol.
    case proxyHeader = "proxy_header"

    /// Nil for a fault of the gateway.
    init?(_ reason: InboundError.Reason) {
        switch reason {
        case .malformed: self = .malformed
        case .timeout: self = .timeout
        case .bodyTooLarge: self = .tooLarge
        case .overloaded: self = .loop
        case .bodyMemory: self = .bodies
        case .connectionLimit: self = .connections
        default: return nil
        }
    }
}

/// The labels of requests that no endpoint takes.
enum RouteLabel {
    static let none = "_none"
    static let files = "_files"
    static let health = "_health"
    /// What the port answers that redirects plain HTTP to https.
    static let redirect = "_redirect"
}

/// Counts the requests of one route.
private final class RouteCounters {
    private struct Outcome: Equatable {
        let status: Int
        let code: String
        let method: HTTPMethod?
    }

    let route: String
    private let name: MetricName
    private let metrics: MetricTable
    private let page: CounterPage
    private let outcomes: OutcomeCounters<Outcome>
    private let duration: DurationHistogram
    private let slow: OutcomeCounters<SlowPhase.Phase>
    private let bytesReceived: Counter
    private let bytesSent: Counter
    private var parts: [PartCounters] = []

    init(_ route: String, _ metrics: MetricTable, _ page: CounterPage) {
        self.route = route
        self.metrics = metrics
        self.page = page
        name = metrics.name(.route, route)
        outcomes = OutcomeCounters(.httpRequests, of: name, on: page) {
            [$0.method.map(\.label) ?? "_OTHER", "\($0.status)", $0.code]
        }
        duration = name.histogram(.httpRequestDuration, on: page)
        slow = OutcomeCounters(.httpSlowRequests, of: name, on: page) { [$0.rawValue] }
        bytesReceived = name.counter(.httpRequestBytes, on: page)
        bytesSent = name.counter(.httpResponseBytes, on: page)
    }

    /// Goes on with the parts that another one has counted.
    func keepParts(of other: RouteCounters) { parts = other.parts }

    /// Makes the series of a success, so that it begins at 0.
    func prepare(_ method: HTTPMethod) {
        outcomes.add(Outcome(status: 200, code: "OK", method: method), 0)
    }

    func count(_ facts: borrowing RequestFacts, code: String, at now: MonotonicTime) {
        outcomes.add(Outcome(status: facts.status, code: code, method: facts.method))
        duration.observe(nanoseconds: (now - facts.receivedAt).nanoseconds)
        bytesReceived.add(facts.bytesReceived)
        bytesSent.add(facts.bytesSent)
    }

    func countSlow(_ phase: SlowPhase.Phase) { slow.add(phase) }

    func countParts(of summary: borrowing RequestSummary) {
        var index = 0
        summary.forEachOutcome { name, kind, reason, nanoseconds in
            counters(of: name, near: index).count(kind, reason, nanoseconds)
            index += 1
        }
    }

    /// - Parameter index: where the counters of the part probably are.
    private func counters(of part: String, near index: Int) -> PartCounters {
        if index < parts.count, parts[index].part == part { return parts[index] }
        // An element of a list, such as `tags[3]`, counts for the list.
        let part = part.utf8.last == UInt8(ascii: "]") ? String(part.prefix { $0 != "[" }) : part
        if let known = parts.first(where: { $0.part == part }) { return known }
        guard parts.count < RequestCounters.mostParts || part == MetricName.other else {
            return counters(of: MetricName.other, near: parts.count - 1)
        }
        let made = PartCounters(part, metrics.name(.part, route, part), page)
        parts.append(made)
        return made
    }
}

/// Counts the outcomes of one part.
private final class PartCounters {
    private struct Outcome: Equatable {
        let kind: OutcomeKind?
        let reason: FailureReason?
    }

    let part: String
    private let outcomes: OutcomeCounters<Outcome>
    private let duration: DurationHistogram

    init(_ part: String, _ name: MetricName, _ page: CounterPage) {
        self.part = part
        outcomes = OutcomeCounters(.parts, of: name, on: page) {
            [$0.kind.partName, $0.reason?.token ?? ""]
        }
        duration = name.histogram(.partDuration, on: page)
    }

    func count(_ kind: OutcomeKind?, _ reason: FailureReason?, _ nanoseconds: Int64) {
        outcomes.add(Outcome(kind: kind, reason: reason))
        duration.observe(nanoseconds: nanoseconds)
    }
}

extension HTTPMethod {
    /// The method as a label. Clients may send any method.
    fileprivate var label: String {
        switch self {
        case .get, .head, .post, .put, .delete, .patch, .options, .trace, .connect: rawValue
        default: "_OTHER"
        }
    }
}
