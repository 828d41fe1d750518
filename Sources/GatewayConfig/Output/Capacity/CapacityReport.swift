import EndpointPlans
import GatewayCore
import HTTPInbound
import HTTPOutbound
import Networking

/// What a load takes of a gateway, next to its limits: estimated from a file, or measured.
package struct CapacityReport: Sendable {
    /// Requests a second.
    package var rate: Double
    package var loops: Int
    /// Nil for an estimate.
    package var measurement: CapacityMeasurement?
    package var processor: ProcessorLoad
    package var upstreams: [UpstreamLoad]
    package var requests: RequestLoad
    package var memory: MemoryLoad
    /// What a variable sets, so that a default was used.
    package var notes: [String]
    /// Limits of the running gateway.
    var otherLimits: [LimitUse] = []

    /// The limit that gives way first, and how much of it the load uses; nil without calls and requests.
    package var first: LimitUse? {
        let all =
            [processor.limit] + upstreams.flatMap { $0.limits(loops: loops) } + requests.limits(loops: loops)
            + otherLimits
        return all.filter { $0.used > 0 }.max { $0.ratio < $1.ratio }
    }
}

/// The requests of all endpoints.
package struct RequestLoad: Sendable {
    /// Nanoseconds until the answer on average.
    package var latency: Nanoseconds
    /// The slowest endpoint, if there are several; nil in a measurement.
    package var slowest: (title: String, latency: Nanoseconds)?
    /// Requests in flight of one loop (Little's law).
    package var inFlight: Double
    /// The most requests in flight of one loop.
    package var limit: Int
    /// Requests in flight of one loop at the endpoint that has most of them.
    package var inFlightOfOne: Double
    /// The most connections of clients, of all loops.
    package var clients: Int

    /// The most requests in flight of one loop at one endpoint.
    var limitOfOne: Int { max(1, limit / 2) }

    func limits(loops: Int) -> [LimitUse] {
        [
            LimitUse(name: "requests in flight", used: inFlight, limit: Double(limit)),
            LimitUse(
                name: "requests in flight of one endpoint", used: inFlightOfOne, limit: Double(limitOfOne)),
            LimitUse(name: "client connections", used: inFlight * Double(loops), limit: Double(clients)),
        ]
    }
}

extension CapacityReport {
    /// Estimates the capacity of a file's gateway.
    ///
    /// - Parameters:
    ///   - document: the file. What a variable sets counts as its default.
    ///   - load: the load.
    ///   - descriptors: how the gateway divides its descriptors.
    ///   - calls: measured calls a second by upstream; nil for an estimate.
    package init(
        _ document: ConfigDocument, _ load: CapacityLoad, _ descriptors: DescriptorShares,
        calls measured: [String: Double]? = nil
    ) {
        let settings = document.knownSettings
        let loops = load.loops ?? settings.loops
        self.loops = loops
        rate = load.rate
        let items = document.items
        let times = FlowTimes(document, load.latencies)
        let flows = items.map { EndpointFlow($0, times) }
        let share = flows.isEmpty ? 0 : load.rate / Double(flows.count)
        upstreams = document.upstreams.map { upstream in
            UpstreamLoad(
                upstream, flows, share: share, calls: measured.map { $0[upstream.name.value] ?? 0 }, load,
                loops: loops, descriptors)
        }
        let calls = flows.flatMap(\.calls).reduce(0) { $0 + $1.count }
        let callsOfRequest = flows.isEmpty ? 0 : Double(calls) / Double(flows.count)
        let latencies = flows.map(\.latency)
        let inFlight = latencies.map { share * Double($0) / 1e9 / Double(loops) }
        let slowest = latencies.indices.max { latencies[$0] < latencies[$1] }
        requests = RequestLoad(
            latency: latencies.isEmpty ? 0 : latencies.reduce(0, +) / latencies.count,
            slowest: slowest.flatMap { index in
                latencies.count > 1
                    ? (document.titles(of: items[index]).first ?? "", latencies[index]) : nil
            }, inFlight: inFlight.reduce(0, +), limit: settings.inbound.requestsInFlight,
            inFlightOfOne: inFlight.max() ?? 0, clients: descriptors.clients)
        processor = ProcessorLoad(rate: load.rate, calls: callsOfRequest, loops: loops)
        memory = MemoryLoad(
            settings, document, upstreams, inFlight: inFlight.reduce(0, +) * Double(loops),
            calls: callsOfRequest, loops: loops, descriptors)
        notes = document.assumptions
    }
}

extension UpstreamLoad {
    /// Estimates the load of one upstream.
    ///
    /// - Parameters:
    ///   - share: requests a second of each endpoint.
    ///   - measured: the calls a second, if they are measured.
    init(
        _ upstream: ConfigUpstream, _ flows: [EndpointFlow], share: Double, calls measured: Double?,
        _ load: CapacityLoad, loops: Int, _ descriptors: DescriptorShares
    ) {
        let settings = upstream.knownSettings
        let name = upstream.name.value
        self.name = name
        let own = flows.flatMap { flow in flow.calls.filter { $0.upstream == name } }
        let relayed = own.filter(\.isRelay)
        let calls = Double(own.reduce(0) { $0 + $1.count })
        let share = measured.map { calls > 0 ? $0 / calls : 0 } ?? share
        callRate = measured ?? share * calls
        latency = load.latencies[name] ?? CapacityLoad.assumedLatency
        latencySource = load.latencies[name] == nil ? .assumed : .given
        inFlight = callRate * Double(latency) / 1e9 / Double(loops)
        connections = settings.limits.connectionsPerUpstream * max(1, settings.urls.count)
        relays =
            relayed.isEmpty ? nil : settings.limits.relaysPerUpstream * max(1, settings.urls.count)
        relaysInFlight = share * Double(relayed.count) * Double(latency) / 1e9 / Double(loops)
        concurrency = settings.policy.concurrency
        let longest = own.map(\.patience).max() ?? 0
        wait = settings.limits.waitTimeout?.inNanoseconds ?? longest
        guard share > 0, calls > 0 else { return }
        let each = relayed.count == own.count ? relays ?? connections : connections
        let most = min(each * loops, descriptors.upstreams)
        let places = concurrency.map { min($0, most) } ?? most
        let isConcurrency = concurrency.map { $0 <= most } ?? false
        silence = SilentUpstream(
            own.filter { !$0.after.contains(name) && $0.patience > 0 }.map {
                SilentUpstream.Flow(rate: share * Double($0.count), patience: $0.patience)
            }, succeeding: callRate, latency: latency,
            places: (places, isConcurrency ? "concurrency" : "connections"),
            wait: isConcurrency ? 0 : min(wait, longest), breaker: settings.policy.breaker)
    }
}

extension ConfigDocument {
    /// The settings without values that variables set.
    package var knownSettings: GatewayServerConfiguration {
        changes.known.applied(to: SettingTable.file.standard)
    }

    /// What a variable sets of what the estimate depends on, and what was used.
    fileprivate var assumptions: [String] {
        let settings = [
            "listen.loops", "limits.deadline", "limits.connections", "limits.requestsInFlight",
            "limits.upstreamBodies", "limits.headerBlock",
        ]
        var notes = settings.filter(changes.isUnknown).map {
            "\($0) is set by a variable; its default is used"
        }
        let keys = [
            "limits.connections", "limits.passThrough", "limits.wait", "concurrency", "timeouts.total",
            "timeouts.firstByte", "breaker.window", "breaker.minimumCalls", "breaker.failureRate",
        ]
        func names(_ key: String) -> String {
            upstreams.filter { $0.changes.isUnknown(key) }.map(\.name.value).joined(separator: ", ")
        }
        for key in keys where !names(key).isEmpty {
            notes.append("\(key) of \(names(key)) is set by a variable; its default is used")
        }
        for key in ["url", "urls"] where !names(key).isEmpty {
            notes.append("\(key) of \(names(key)) is set by a variable; one address is assumed")
        }
        return notes
    }
}
