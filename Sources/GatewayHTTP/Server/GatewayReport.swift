import EventIO
public import HTTPInbound
public import HTTPOutbound
import Locking
import Metrics
public import NetworkingSession

@_exported public import struct HTTPInbound.ShedCounts
@_exported public import struct HTTPOutbound.PoolReport
@_exported public import struct NetworkingSession.UpstreamReport
@_exported public import struct NetworkingSession.UpstreamTables

/// The resources that all loops of a gateway hold at one moment. Anything left once the gateway is idle is a
/// leak.
public struct GatewayReport: Sendable, Hashable {
    /// Open connections of clients.
    public var connections = 0
    /// Requests that have not been answered.
    public var requests = 0
    /// Connections to upstreams, and calls that wait for one.
    public var calls = PoolReport()
    /// Timers of all loops that have not fired.
    public var timers = 0
    /// How often the loops have woken since the start, which tells a spinning loop from a waiting one.
    public var wakes: Int64 = 0
    /// Requests refused since the start, because their endpoint had its share or its own limit.
    public var refusedRequests = 0
    /// Bytes charged for the bodies of requests.
    public var requestBodyBytes = 0
    /// Bytes of answers that wait in memory for slow clients.
    public var waitingAnswerBytes = 0
    /// Bytes charged for bodies of responses and calls, and for composed values.
    public var upstreamBodyBytes = 0
    /// The circuits and limits of the upstreams that have been called, by name.
    public var upstreams: [String: UpstreamReport] = [:]
    /// The sizes of the tables by upstream.
    public var tables = UpstreamTables()
    /// Clients that were closed or refused at the connection limit since the start.
    public var shed = ShedCounts()
    /// Connections of trusted proxies that were closed since the start, because they did not begin with a
    /// header of the PROXY protocol.
    public var refusedProxyHeaders = 0
    /// Who was let in, and who was not.
    public var access = AccessReport()
    /// How reloads of the gateway's file went; nil without a file.
    public var configuration: ConfigurationReport?

    /// The sum of two loops. The upstreams belong to the process.
    static func + (one: GatewayReport, other: GatewayReport) -> GatewayReport {
        GatewayReport(
            connections: one.connections + other.connections, requests: one.requests + other.requests,
            calls: one.calls + other.calls, timers: one.timers + other.timers,
            wakes: one.wakes + other.wakes, refusedRequests: one.refusedRequests + other.refusedRequests,
            requestBodyBytes: one.requestBodyBytes + other.requestBodyBytes,
            waitingAnswerBytes: one.waitingAnswerBytes + other.waitingAnswerBytes,
            upstreams: one.upstreams, tables: one.tables + other.tables, shed: one.shed + other.shed,
            refusedProxyHeaders: one.refusedProxyHeaders + other.refusedProxyHeaders,
            access: one.access + other.access)
    }
}

extension GatewayServer {
    /// The resources held at this moment, from what the loops have counted: it waits for none of them. From
    /// any thread, and in a handler. Empty after the end.
    public var report: GatewayReport {
        guard !phase.isStopped else { return GatewayReport() }
        return report(of: workers.indices)
    }

    /// The same once each loop has ended what it does now. Blocks; never call it on a loop.
    package var settled: GatewayReport {
        guard !phase.isStopped else { return GatewayReport() }
        // A loop publishes some counts at the end of a wake.
        for worker in workers { for _ in 0..<2 { worker.loop.runBlocking {} } }
        return report
    }

    /// Returns what the process and some of its loops hold.
    func report(of loops: some Sequence<Int>) -> GatewayReport {
        var report = loops.reduce(GatewayReport()) { $0 + self.report(ofLoop: $1) }
        report.upstreams = protections.report
        report.upstreamBodyBytes = bodyMemory.inUse
        report.access.storeErrors = site.stores.failures.reduce(into: [:]) { sums, failure in
            sums[failure.store, default: 0] += failure.count
        }
        report.configuration = reloads.report
        (report.tables.names, report.tables.unreachable) = resolver.counts
        return report
    }

    /// Returns what one loop has counted, without what belongs to the process.
    func report(ofLoop index: Int) -> GatewayReport {
        let loop = workers[index].loop
        func count(_ family: MetricFamily, _ labels: String...) -> Int {
            metrics.value(family, labels, on: loop.page)
        }
        func refused(_ refusal: Refusal) -> Int { count(.httpRefused, refusal.rawValue) }
        var report = GatewayReport()
        report.connections = count(.connections)
        report.requests = count(.httpRequestsInFlight)
        report.calls = connectionClients[index].report
        report.timers = count(.loopTimers, loop.name)
        report.wakes = Int64(count(.loopWakeDuration))
        report.refusedRequests = refused(.endpointShare) + refused(.endpointLimit)
        report.requestBodyBytes = requestBodies[index].inUse
        report.waitingAnswerBytes = count(.answerBytesWaiting, "memory")
        report.tables.upstreams = count(.upstreamTables, "upstreams")
        report.tables.pools = count(.upstreamTables, "pools")
        report.shed = ShedCounts(
            idle: count(.connectionsShed, "idle"), slowHeads: count(.connectionsShed, "slow_head"),
            refused: count(.connectionsShed, "refused"))
        report.refusedProxyHeaders = refused(.proxyHeader)
        report.access = AccessReport(current.withLock { $0.responder.accessNames }) { count($0, $1, $2) }
        return report
    }
}
