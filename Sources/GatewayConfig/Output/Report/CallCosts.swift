import EndpointPlans
import HTTPModel
import Networking

/// What single calls of a configuration cost at worst.
struct CallCosts {
    private let document: ConfigDocument
    private let upstreams: [String: ConfigUpstream]

    init(_ document: ConfigDocument) {
        self.document = document
        upstreams = Dictionary(document.upstreams.map { ($0.name.value, $0) }) { first, _ in first }
    }

    /// Returns a number of the file, its default, or an unknown one if a variable sets it.
    func number(_ number: Located<Int>?, default fallback: Int) -> ReportNumber {
        guard let number else { return ReportNumber(fallback) }
        return document.isSubstituted(number.place) ? .unknown : ReportNumber(number.value)
    }

    func target(of call: PlannedCall) -> ReportTarget {
        ReportTarget(
            method: call.method, upstream: document.written(call.upstream),
            path: document.written(call.path))
    }

    /// Returns the time of a call with all its attempts, in nanoseconds.
    func time(of call: PlannedCall) -> ReportNumber {
        if let timeout = call.$timeout { return number(timeout, default: 0) }
        // The times of an upstream would tell which one a variable names.
        guard !document.isSubstituted(call.upstream.place) else { return .unknown }
        return number(
            upstreams[call.upstream.value]?.time("timeouts.total", \.calls.totalTimeout),
            default: CallPolicy().totalTimeout.inNanoseconds)
    }

    /// Returns the upstream calls of one call.
    ///
    /// - Parameter isCertain: whether the call is made in each request.
    func calls(of call: PlannedCall, isCertain: Bool) -> CallRange {
        CallRange(least: isCertain ? 1 : 0, most: attempts(of: call))
    }

    private func attempts(of call: PlannedCall) -> ReportNumber {
        guard call.method.isIdempotent else { return ReportNumber(1) }
        if let attempts = call.$attempts { return number(attempts, default: 0) }
        return attempts(of: call.upstream)
    }

    /// Returns the attempts of an upstream's idempotent calls.
    private func attempts(of upstream: Located<String>) -> ReportNumber {
        guard !document.isSubstituted(upstream.place) else { return .unknown }
        let own = upstreams[upstream.value]?.attempts
        return number(own, default: CallCount.defaultAttempts)
    }

    // MARK: Requests that pass through

    /// Returns the upstream calls of a request with one of a proxy's methods; without one, a variable names
    /// it.
    func calls(of proxy: PlannedProxy, _ method: HTTPMethod?) -> CallRange {
        guard let method else { return CallRange(least: 1, most: .unknown) }
        return CallRange(
            least: 1, most: method.isIdempotent ? attempts(of: proxy.upstream) : ReportNumber(1))
    }

    /// Returns the nanoseconds that an attempt waits for the first byte of a response.
    func firstByte(of proxy: PlannedProxy) -> ReportNumber {
        guard !document.isSubstituted(proxy.upstream.place) else { return .unknown }
        let upstream = upstreams[proxy.upstream.value]
        let standard = ReportNumber(AttemptLimits().firstByte.inNanoseconds)
        if let own = upstream?.time("timeouts.firstByte", \.calls.attemptLimits.firstByte) {
            return number(own, default: 0)
        }
        guard let total = upstream?.time("timeouts.total", \.calls.totalTimeout) else { return standard }
        // A longer total raises the limits of attempts that the file does not set.
        return ReportNumber.combine(number(total, default: 0), standard, max)
    }
}
