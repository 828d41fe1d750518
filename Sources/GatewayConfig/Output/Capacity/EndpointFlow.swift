import EndpointPlans
import GatewayCore
import Networking

/// The calls that one request of an endpoint makes, and when, if each upstream takes its usual time.
struct EndpointFlow: Sendable {
    struct Call: Sendable {
        /// Nil if a variable names it.
        let upstream: String?
        /// One, or the concurrency of a `forEach`: the elements are known only with the values.
        let count: Int
        /// Nanoseconds from the request to the call.
        let start: Nanoseconds
        /// Nanoseconds after which the call fails if its upstream is silent.
        let patience: Nanoseconds
        /// The upstreams whose responses it waits for.
        let after: Set<String>
        /// Whether the response passes through to the client.
        let isRelay: Bool
    }

    private(set) var calls: [Call] = []
    /// Nanoseconds until the answer.
    private(set) var latency: Nanoseconds = 0

    init(_ item: ConfigDocument.Item, _ times: FlowTimes) {
        switch item {
        case .endpoint(let endpoint): add(endpoint, times)
        case .proxy(let proxy):
            let upstream = times.upstream(proxy.upstream)
            let (start, before) = addAuthorizer(of: proxy.settings, times)
            calls.append(
                Call(
                    upstream: upstream, count: 1, start: start, patience: times.firstByte(of: upstream),
                    after: before, isRelay: true))
            latency = start + times.latency(of: upstream)
        }
    }

    private mutating func add(_ endpoint: PlannedEndpoint, _ times: FlowTimes) {
        let deadline = times.deadline(of: endpoint)
        var (start, before) = addAuthorizer(of: endpoint.settings, times)
        for step in endpoint.first {
            var end = start
            let calls = step.calls
            for call in calls { end = max(end, add(call, at: start, after: before, deadline, times)) }
            before.formUnion(calls.compactMap { times.upstream($0.upstream) })
            start = end
        }
        addParts(PlanGraph(endpoint.parts.list), at: start, after: before, deadline, times)
        latency = min(latency, deadline)
    }

    /// Adds the call that decides who calls, and returns when its response has come, and its upstream.
    private mutating func addAuthorizer(
        of settings: PlannedSettings, _ times: FlowTimes
    ) -> (start: Nanoseconds, before: Set<String>) {
        guard let (name, patience) = times.authorizer(of: settings) else { return (0, []) }
        let upstream = times.upstream(name)
        calls.append(
            Call(upstream: upstream, count: 1, start: 0, patience: patience, after: [], isRelay: false))
        return (times.latency(of: upstream), upstream.map { [$0] } ?? [])
    }

    /// Visits each part after those that it waits for. Not recursive: a chain of parts may be long.
    private mutating func addParts(
        _ graph: PlanGraph, at start: Nanoseconds, after before: Set<String>, _ deadline: Nanoseconds,
        _ times: FlowTimes
    ) {
        latency = start
        let prerequisites = graph.nodes.indices.map(graph.prerequisites(of:))
        var waiting = prerequisites.map(\.count)
        var readers = [[Int]](repeating: [], count: graph.nodes.count)
        for (index, targets) in prerequisites.enumerated() {
            for target in targets { readers[target].append(index) }
        }
        var ends = [Nanoseconds](repeating: start, count: graph.nodes.count)
        var upstreams = [Set<String>](repeating: before, count: graph.nodes.count)
        var ready = graph.nodes.indices.filter { waiting[$0] == 0 }
        while let index = ready.popLast() {
            for other in prerequisites[index] {
                ends[index] = max(ends[index], ends[other])
                upstreams[index].formUnion(upstreams[other])
            }
            if case .call(let call) = graph.nodes[index].part.content {
                ends[index] = add(call, at: ends[index], after: upstreams[index], deadline, times)
                if let upstream = times.upstream(call.upstream) { upstreams[index].insert(upstream) }
            }
            latency = max(latency, ends[index])
            for reader in readers[index] {
                waiting[reader] -= 1
                if waiting[reader] == 0 { ready.append(reader) }
            }
        }
    }

    /// Adds a call, and returns when its response has come.
    private mutating func add(
        _ call: PlannedCall, at start: Nanoseconds, after: Set<String>, _ deadline: Nanoseconds,
        _ times: FlowTimes
    ) -> Nanoseconds {
        let upstream = times.upstream(call.upstream)
        let patience = min(times.patience(of: call, upstream), max(0, deadline - start))
        calls.append(
            Call(
                upstream: upstream, count: times.concurrency(of: call), start: start, patience: patience,
                after: after, isRelay: false))
        return start + times.latency(of: upstream)
    }
}

/// The times of a file that the flow of requests depends on. A time or number that a variable sets counts as
/// its default.
struct FlowTimes {
    private let document: ConfigDocument
    private let latencies: [String: Nanoseconds]
    private let settings: [String: UpstreamSettings]

    init(_ document: ConfigDocument, _ latencies: [String: Nanoseconds]) {
        self.document = document
        self.latencies = latencies
        settings = Dictionary(document.upstreams.map { ($0.name.value, $0.knownSettings) }) { first, _ in
            first
        }
    }

    /// Returns the name of an upstream; nil if a variable has it.
    func upstream(_ name: Located<String>) -> String? {
        document.isSubstituted(name.place) ? nil : name.value
    }

    func latency(of upstream: String?) -> Nanoseconds {
        upstream.flatMap { latencies[$0] } ?? CapacityLoad.assumedLatency
    }

    func firstByte(of upstream: String?) -> Nanoseconds {
        (upstream.flatMap { settings[$0] } ?? UpstreamSettings()).calls.attemptLimits.firstByte.inNanoseconds
    }

    /// Returns the time after which a call to a silent upstream fails.
    func patience(of call: PlannedCall, _ upstream: String?) -> Nanoseconds {
        // A time-out of the call raises the limits of its attempts.
        if let timeout = known(call.$timeout) { return timeout }
        let own = upstream.flatMap { settings[$0] } ?? UpstreamSettings()
        return min(own.calls.totalTimeout.inNanoseconds, firstByte(of: upstream))
    }

    func deadline(of endpoint: PlannedEndpoint) -> Nanoseconds {
        known(endpoint.settings.$deadline ?? document.deadline) ?? GatewayLimits().deadline.inNanoseconds
    }

    /// Returns the service that may decide who calls, and its time in nanoseconds: the first one in the file.
    func authorizer(of settings: PlannedSettings) -> (upstream: Located<String>, patience: Nanoseconds)? {
        let names = settings.requirement?.entries.map(\.value) ?? []
        for entry in document.auth where names.contains(entry.name.value) {
            guard case .authorize(let authorizer) = entry.method else { continue }
            let timeout = Located(authorizer.timeout.inNanoseconds, at: entry.place(of: "authorize.timeout"))
            return (
                Located(authorizer.upstream, at: entry.place(of: "authorize.upstream")),
                known(timeout) ?? AuthorizerSettings().timeout.inNanoseconds
            )
        }
        return nil
    }

    /// Returns the calls that are made at once.
    func concurrency(of call: PlannedCall) -> Int {
        guard let items = call.items else { return 1 }
        return min(
            known(items.$limit) ?? PlannedItems.standardLimit,
            known(items.$concurrency) ?? PlannedItems.standardConcurrency)
    }

    private func known(_ number: Located<Int>?) -> Int? {
        number.flatMap { document.isSubstituted($0.place) ? nil : $0.value }
    }
}

extension ConfigUpstream {
    /// The settings without values that variables set.
    var knownSettings: UpstreamSettings { changes.known.applied(to: UpstreamSettings()) }
}
