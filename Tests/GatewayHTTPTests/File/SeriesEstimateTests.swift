import Foundation
import GatewayConfig
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The number of series of a file", .timeLimit(.minutes(1)))
struct SeriesEstimateTests {
    private static func text(_ metrics: String, endpoints: Int, parts: Int) -> String {
        var text = "version: 1\n\(metrics)\nupstreams: {api: {url: \"http://127.0.0.1:1\"}}\nendpoints:\n"
        for endpoint in 0..<endpoints {
            text += "- get: /e\(endpoint)\n  parts:\n"
            for part in 0..<(endpoint == 0 ? 2 * parts : parts) {
                text += "    p\(part): {upstream: api, get: /x}\n"
            }
        }
        return text
    }

    private static func check(_ text: String) throws -> (problems: [ConfigProblem], series: Int?) {
        let scratch = ScratchFolder()
        let path = scratch.file("sluice.yaml")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return GatewayFile.checked(path, isStatic: true)
    }

    @Test("More than 20000 series are a warning, which names the routes that have the most")
    func many() throws {
        let (problems, series) = try Self.check(Self.text("", endpoints: 90, parts: 10))
        let total = try #require(series)
        #expect(total > SeriesEstimate.most)
        #expect(problems.map(\.severity) == [.warning])
        let message = problems.first?.message ?? ""
        #expect(message.hasPrefix("the metrics have up to \(total) series, more than 20000: /e0 has 585, "))
        #expect(message.contains("/e0 has 585, 540 of them of parts; "))
        #expect(message.contains("/e1 has 315, 270 of them of parts; "))
        #expect(message.hasSuffix("; metrics.parts: off leaves the series of parts out"))
        let json = String(decoding: ConfigProblem.json([], series: total), as: UTF8.self)
        #expect(json == #"{"errors":0,"warnings":0,"problems":[],"series":\#(total)}"#)
    }

    @Test("Without metrics of parts, and with fewer buckets, there are fewer")
    func few() throws {
        let whole = try #require(try Self.check(Self.text("", endpoints: 90, parts: 10)).series)
        let without = try Self.check(Self.text("metrics: {parts: off}", endpoints: 90, parts: 10))
        #expect(without.problems.isEmpty)
        #expect(without.series == whole - 90 * 270 - 270)
        let short = try Self.check(
            Self.text("metrics: {parts: off, buckets: [1s]}", endpoints: 90, parts: 10))
        #expect(short.series == whole - 90 * 270 - 270 - 93 * 14)
    }

    @Test("A file with an error has no number, and no part counts above 33")
    func bounds() throws {
        #expect(try Self.check("version: 2").series == nil)
        let many = try #require(try Self.check(Self.text("", endpoints: 1, parts: 50)).series)
        let limit = try #require(try Self.check(Self.text("", endpoints: 1, parts: 17)).series)
        #expect(many == limit)
    }

    @Test(
        "Entries, limits and stores have series of their own, and requests without a credential one entry more"
    )
    func access() throws {
        let scratch = ScratchFolder()
        try "".write(toFile: scratch.file("keys"), atomically: true, encoding: .utf8)
        let without = try #require(try Self.check(Self.text("", endpoints: 1, parts: 1)).series)
        let access = """
            auth: {a: {apiKeys: {file: "\(scratch.file("keys"))"}}}
            rateLimits: {b: {key: client, rate: 1/1s}, c: {key: endpoint, rate: 1/1s, store: main}}
            stores: {main: {redis: "redis://cache"}}
            defaults: {require: a, rateLimits: [b, c]}
            """
        let with = try #require(try Self.check(Self.text(access, endpoints: 1, parts: 1)).series)
        #expect(with == without + 2 * 8 + 2 * 2 + 17)
    }

    @Test("A gateway that has been asked has fewer series than the estimate")
    func honest() throws {
        let upstream = try ScriptedUpstream([.answer { _ in FileGateway.ok() }])
        defer { upstream.stop() }
        let text = FileGateway.text(["a": (upstream.port, ""), "b": (upstream.port, "")])
        let gateway = try FileGateway(text)
        defer { gateway.stop() }
        for path in ["/a", "/b", "/none"] { _ = try gateway.get(path) }
        let lines = gateway.server.metricLines.count { !$0.hasPrefix("#") }
        let series = try #require(try Self.check(text).series)
        #expect(lines > 100)
        #expect(lines < series)
    }
}
