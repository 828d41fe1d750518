import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("What a load takes of a gateway")
struct CapacityTests {
    private static let text = """
        upstreams:
          diary: {url: "http://d"}
          users: {url: "http://u", concurrency: 30, limits: {connections: 10, wait: 500ms}, timeouts: {total: 3s}}
        endpoints:
        - get: /a
          parts:
            x: {upstream: diary, get: /x}
            y: {upstream: diary, get: /y}
        - get: /b
          deadline: 4s
          parts:
            user: {upstream: users, get: /user}
            z: {upstream: diary, get: "/{parts.user.id}"}
        """
    private static let latencies = ["diary": 40_000_000, "users": 10_000_000]
    private static let descriptors = DescriptorShares(all: 20_000, clients: 7500, upstreams: 10_000, own: 40)

    private static func report(
        _ text: String = text, rate: Double = 2000, _ latencies: [String: Int] = latencies, loops: Int = 2
    ) throws -> CapacityReport {
        let document = try #require(ConfigReading.read(text: text, mode: .staticCheck).document)
        let load = CapacityLoad(rate: rate, latencies: latencies, loops: loops)
        return CapacityReport(document, load, descriptors)
    }

    @Test("Calls in flight are rate times latency, divided among the loops")
    func littlesLaw() throws {
        // 1000 requests/s for each endpoint: 2000 + 1000 calls/s to diary, 1000 to users.
        let report = try Self.report()
        let (diary, users) = (report.upstreams[0], report.upstreams[1])
        #expect(diary.callRate == 3000)
        #expect(diary.inFlight == 60)
        #expect(diary.connections == 64)
        #expect(users.callRate == 1000)
        #expect(users.inFlight == 5)
        #expect(users.concurrency == 30)
        // /a takes 40 ms, /b 10 + 40 ms.
        #expect(report.requests.latency == 45_000_000)
        #expect(report.requests.slowest?.title == "GET /b")
        #expect(report.requests.inFlight == 45)
        #expect(report.requests.inFlightOfOne == 25)
        #expect(report.first == LimitUse(name: "diary's connections", used: 60, limit: 64))
    }

    @Test("The processor time is the sum of the request, its calls and the bodies of their responses")
    func processor() throws {
        let report = try Self.report()
        let costs = try #require(report.processor.costs)
        #expect(report.processor.perRequest == costs.sum)
        #expect(abs(report.processor.cores - 2000 * costs.sum / 1e9) < 1e-9)
        // A request costs more if the loops sleep between two.
        let slower = try Self.report(rate: 20).processor
        #expect(slower.perRequest > report.processor.perRequest)
        #expect(try Self.report(rate: 100_000).first?.name == "diary's connections")
        let alone = try Self.report("endpoints: [{get: /a, data: {value: 1}}]\n", rate: 1_000_000, [:])
        #expect(alone.first?.name == "cpu")
    }

    @Test("An upstream with too few connections gets the number to set, or the loops")
    func advice() throws {
        let text = try Self.report(rate: 4000).text
        #expect(
            text.contains(
                """
                diary        6000 calls/s of 40 ms: 120 in flight a loop, of 64 connections: calls wait, and \
                47 % of them fail after 1 s; limits.connections: 150, or 4 loops
                """), "\(text)")
        #expect(text.hasSuffix("first limit at 0.53 times this load: diary's connections\n"), "\(text)")
        let absurd = try Self.report(rate: 10_000_000).text
        #expect(
            absurd.hasSuffix("first limit at 0.00021 times this load: diary's connections\n"), "\(absurd)")
        let third = try Self.report(rate: 2600).text
        #expect(third.contains("18 % of them fail after 1 s; limits.connections: 100, or a third loop"))
        let peaks = try Self.report().text
        #expect(
            peaks.contains(
                "60 in flight a loop, of 64 connections: calls wait at peaks; limits.connections: 80"))
        let enough = try Self.report(rate: 1000).text
        #expect(
            enough.contains("diary        1500 calls/s of 40 ms: 30 in flight a loop, of 64 connections\n"))
    }

    @Test("More calls than concurrency allows are refused")
    func concurrency() throws {
        let text = try Self.report(rate: 8000, ["users": 10_000_000, "diary": 1_000_000]).text
        #expect(
            text.contains(
                "of 10 connections; concurrency: 30 refuses 25 % of the calls; concurrency: 60"), "\(text)")
    }

    @Test("Without a flag a latency is assumed, and says so")
    func assumed() throws {
        let report = try Self.report(rate: 200, [:])
        #expect(report.upstreams[0].inFlight == 7.5)
        #expect(report.text.contains("diary        300 calls/s of 50 ms, assumed: 7.5 in flight a loop"))
    }

    @Test("A forEach counts as the calls that it makes at once, a condition as true, a proxy as one relay")
    func kinds() throws {
        let report = try Self.report(
            """
            upstreams: {a: {url: "http://a"}, b: {urls: ["http://b", "http://c"]}}
            endpoints:
            - get: /x
              query: {all: {type: boolean, default: false}}
              parts:
                list: {upstream: a, get: /list}
                each: {upstream: a, get: "/{item}", forEach: "{parts.list}", concurrency: 3, when: "{query.all}"}
            - {proxy: "/b/{path...}", upstream: b}
            """, rate: 100, ["a": 10_000_000, "b": 20_000_000], loops: 1)
        #expect(report.upstreams[0].callRate == 50 * 4)
        #expect(report.requests.slowest?.latency == 20_000_000)
        #expect(report.upstreams[1].callRate == 50)
        #expect(report.upstreams[1].connections == 128)
        #expect(report.upstreams[1].relays == 64)
        #expect(report.upstreams[1].relaysInFlight == 1)
    }

    @Test("Steps come before the parts, and a call after a silent upstream is not made")
    func steps() throws {
        let report = try Self.report(
            """
            upstreams: {a: {url: "http://a"}, b: {url: "http://b"}}
            endpoints:
            - post: /x
              first: {save: {upstream: a, post: /save}}
              parts: {saved: {upstream: a, get: /saved}, other: {upstream: b, get: /other}}
            """, rate: 100, ["a": 100_000_000, "b": 50_000_000], loops: 1)
        #expect(report.requests.latency == 200_000_000)
        #expect(report.upstreams[0].inFlight == 20)
        // 100 calls/s of save alone; 10 in flight are taken at the beginning.
        let silence = try #require(report.upstreams[0].silence)
        let taken = try #require(silence.taken)
        #expect(abs(taken - 440_000_000) <= 10_000_000)
    }

    @Test("A value that a variable sets is not shown: its default is used, and a line says so")
    func variables() throws {
        let report = try Self.report(
            """
            upstreams: {diary: {url: "${URL}", limits: {connections: "${MANY}"}}}
            endpoints: [{get: /a, parts: {x: {upstream: diary, get: /x}}}]
            limits: {deadline: "${LONG}"}
            """, rate: 100)
        #expect(report.upstreams[0].connections == 64)
        #expect(
            report.notes == [
                "limits.deadline is set by a variable; its default is used",
                "limits.connections of diary is set by a variable; its default is used",
                "url of diary is set by a variable; one address is assumed",
            ])
        for note in report.notes { #expect(report.text.contains("\n  \(note)\n")) }
    }

    @Test("The memory is bounded by the limits, which are listed")
    func memory() throws {
        let report = try Self.report()
        let bounds = Dictionary(report.memory.bounds.map { ($0.what, $0.bytes) }) { first, _ in first }
        #expect(bounds["for heads of 7500 clients"] == 7500 * 32 << 10)
        #expect(bounds["for bodies of requests and waiting answers, 256 MiB a loop"] == 512 << 20)
        // 64 + 10 connections of each loop.
        #expect(bounds["for 148 connections to upstreams"] == 148 * 112 << 10)
        #expect(report.memory.descriptors.used == 7500 + 148 + 40)
        #expect(report.memory.resident > 20 << 20 && report.memory.resident < report.memory.most)
    }

    @Test("The text has the memory of the load, each bound with what uses it, and the descriptors")
    func memoryText() throws {
        let text = try Self.report("limits: {upstreamBodies: 1GiB}\n" + Self.text).text
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("  memory ") })
        #expect(
            line == """
                  memory       about 31 MiB; at most 1.8 GiB: 1 GiB upstreamBodies, \
                512 MiB for bodies of requests and waiting answers, 256 MiB a loop, \
                70 MiB for records of 4096 requests, 234 MiB for heads of 7500 clients, \
                16 MiB for 148 connections to upstreams, 27 MiB for the program; \
                7688 of 20000 descriptors
                """)
    }

    @Test("A file without endpoints takes nothing")
    func empty() throws {
        let report = try Self.report("upstreams: {a: {url: \"http://a\"}}\n", rate: 1000, [:])
        #expect(report.upstreams[0].callRate == 0)
        #expect(report.text.contains("  a            no calls\n"))
        #expect(report.upstreams[0].silence == nil)
    }

    @Test("JSON has the numbers of the text")
    func json() throws {
        let report = try Self.report(rate: 100)
        let json = String(decoding: EndpointReport.json([], report), as: UTF8.self)
        let capacity = try #require(try JSONFragment(parsing: json)[member: "capacity"])
        #expect(capacity[member: "rate"]?.intValue == 100)
        #expect(capacity[member: "measured"]?.kind == .null)
        let diary = capacity[member: "upstreams"]?[element: 0]
        #expect(diary?[member: "name"]?.stringValue == "diary")
        #expect(diary?[member: "inFlight"]?.intValue == 3)
        #expect(diary?[member: "latency"]?.stringValue == "given")
        #expect(diary?[member: "silent"]?[member: "places"]?.intValue == 128)
        #expect(capacity[member: "requests"]?[member: "limit"]?.intValue == 2048)
        #expect(capacity[member: "descriptors"]?[member: "limit"]?.intValue == 20_000)
        #expect(capacity[member: "first"]?[member: "limit"]?.stringValue == "diary's connections")
    }

    @Test(
        "Numbers have two digits or more, and sizes their unit",
        arguments: [
            (0.0, "0"), (1e-13, "0"), (0.000_42, "0.00042"), (0.000_001, "0.000001"), (0.0312, "0.031"),
            (0.84, "0.84"), (3.14, "3.1"), (42.4, "42"), (4000, "4000"),
        ])
    func numbers(number: Double, text: String) {
        #expect(NumberText.significant(number) == text)
    }

    @Test(
        "Sizes have one place below ten",
        arguments: [(1 << 30, "1 GiB"), (27 << 20, "27 MiB"), (1_900_000_000, "1.8 GiB")])
    func sizes(bytes: Int, text: String) {
        #expect(ByteText.of(bytes) == text)
    }

    @Test("A latency has a unit and a range", arguments: ["40", "0s", "2h", "ms", ""])
    func latency(text: String) {
        #expect(CapacityLoad.latency(text) == nil)
        #expect(CapacityLoad.latency("40ms") == 40_000_000)
    }
}
