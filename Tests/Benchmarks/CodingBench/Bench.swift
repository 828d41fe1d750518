import FoundationEssentials
import GatewayCore
import GatewayHTTP
import Glibc
import HTTPModel
import Networking
import Rx
import TestSupport

/// A gateway whose endpoint makes one or two calls to an upstream, at the far end of a link.
final class Bench {
    private let coded: [CodedBody]
    private let calls: Int
    private let upstream: CodedUpstream
    private let relay: LinkRelay?
    private let server: GatewayServer
    private let client: RawClient

    init(_ coded: [CodedBody], _ link: Link, calls: Int) throws {
        self.coded = coded
        self.calls = calls
        let upstream = CodedUpstream(coded)
        self.upstream = upstream
        relay = try link.relay.map {
            try LinkRelay(to: upstream.port, roundTrip: $0.roundTrip, rate: $0.rate)
        }
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.logLevel = .error
        configuration.accessLog = false
        configuration.drainDelay = .zero
        configuration.inbound.requestsPerConnection = .max
        configuration.upstreams = ["diary": UpstreamURLs("http://127.0.0.1:\(relay?.port ?? upstream.port)")]
        server = try GatewayServer.start(configuration) { gateway in
            let diary = gateway.provider(Diary.self, upstream: "diary")
            gateway.get("/page/{coding}") { request in
                let coding = try request.path("coding", as: String.self)
                let first = diary.rx.request(Diary(coding: coding)).fragment()
                guard calls == 2 else { return .parts(recent: first) }
                return .parts(recent: first, total: diary.rx.request(Diary(coding: coding)).fragment())
            }
            // Runs on the gateway's only loop.
            gateway.get("/cpu") { _ in
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                return .json(Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec))
            }
        }
        client = try RawClient(port: server.port)
    }

    func stop() {
        server.stop()
        server.waitUntilStopped()
        relay?.stop()
        upstream.stop()
    }

    /// Measures the codings in turns, so that a machine whose speed drifts slows all of them alike.
    func rows(_ count: Int) throws -> [Row] {
        let rounds = 5
        for body in coded { for _ in 0..<10 { _ = try ask(body) } }
        var times = [[Int64]](repeating: [], count: coded.count)
        var cpu = [Int64](repeating: 0, count: coded.count)
        for _ in 0..<rounds {
            for (index, body) in coded.enumerated() {
                let used = try cpuTime()
                for _ in 0..<(count / rounds) { times[index].append(try ask(body)) }
                cpu[index] += try cpuTime() - used
            }
        }
        return coded.indices.map {
            Row(
                coding: coded[$0].coding, wire: calls * coded[$0].response.count, times: times[$0],
                cpu: Double(cpu[$0]) / Double(times[$0].count) / 1000)
        }
    }

    /// Returns the nanoseconds of one request.
    private func ask(_ body: CodedBody) throws -> Int64 {
        let start = LinkRelay.now()
        client.send("GET /page/\(body.coding) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let reply = try client.reply()
        let time = LinkRelay.now() - start
        precondition(reply.status == 200, "the gateway must answer 200: \(reply.text.prefix(500))")
        return time
    }

    /// The CPU time of the gateway's loop so far, in nanoseconds.
    private func cpuTime() throws -> Int64 {
        client.send("GET /cpu HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let text = try client.reply().text
        // The number is the envelope's data.
        let digits = text.components(separatedBy: #""data":"#).last?.prefix { $0.isNumber }
        guard let time = digits.flatMap({ Int64($0) }) else { preconditionFailure("no CPU time in \(text)") }
        return time
    }
}

private struct Diary: TargetType {
    let coding: String

    // The configuration replaces it.
    var baseURL: String { "http://127.0.0.1:9" }
    /// The upstream answers in the coding that the path names, so that all requests have the same fields.
    var path: RequestPath { "/\(coding)" }
    var envelope: ResponseEnvelope { .genericResponse }
}
