import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("Plans of endpoints")
struct CallReportTests {
    @Test(
        "A plan is the text beside the example",
        arguments: ["diary", "profile", "features", "proxies", "access"])
    func golden(name: String) throws {
        let plans = try EndpointReport.plans(of: try OutputFixture.document(name))
        #expect(EndpointReport.text(plans) == (try Fixture.text("Printed/\(name).plan.txt")))
    }

    @Test(
        "A plan as JSON is the document beside the example",
        arguments: ["diary", "profile", "features", "proxies", "access"])
    func goldenJSON(name: String) throws {
        let plans = try EndpointReport.plans(of: try OutputFixture.document(name))
        let text = String(decoding: EndpointReport.json(plans), as: UTF8.self)
        #expect(text + "\n" == (try Fixture.text("Printed/\(name).plan.json")))
        #expect(try JSONFragment(parsing: text)[member: "endpoints"]?.elements.count == plans.count)
    }

    @Test("One endpoint is planned alone, whatever the case of its method")
    func one() throws {
        let document = try OutputFixture.document("diary")
        for name in ["GET /api/home", "get /api/home"] {
            #expect(try EndpointReport.plans(of: document, only: name).map(\.path) == ["/api/home"])
        }
    }

    @Test(
        "An unknown endpoint is refused, and a near one is named",
        arguments: [
            ("GET /api/hom", #"there is no endpoint "GET /api/hom"; did you mean "GET /api/home"?"#),
            ("POST /x", #"there is no endpoint "POST /x""#), ("", #"there is no endpoint """#),
        ])
    func unknown(name: String, message: String) throws {
        let document = try OutputFixture.document("diary")
        let error = try #require(throws: UnknownEndpoint.self) {
            try EndpointReport.plans(of: document, only: name)
        }
        #expect(error.description == message)
    }

    @Test("A chain of as many parts as an endpoint may have adds up")
    func longChain() throws {
        var text = "upstreams: {a: {url: http://a, timeouts: {total: 1s}}}\nendpoints:\n- get: /x\n  parts:\n"
        text += "    p0: {upstream: a, get: /}\n"
        for part in 1..<256 { text += "    p\(part): {upstream: a, get: \"/{parts.p\(part - 1)}\"}\n" }
        let document = try #require(ConfigReading.read(text: text).document)
        let plan = CallReport(document.endpoints[0], document)
        #expect(plan.chain == ReportNumber(256 * 1_000_000_000))
        #expect(plan.slowest.count == 256)
        #expect(plan.calls == CallRange(least: 1, most: ReportNumber(768)))
        #expect(plan.worst == ReportNumber(15_000_000_000))
    }

    @Test("A time beyond the largest number stops there")
    func overflow() {
        let most = ReportNumber(.max)
        #expect(most + most == most)
        #expect(most * ReportNumber(2) == most)
        #expect(most + .unknown == .unknown)
        #expect(ReportNumber(50).rounds(of: ReportNumber(8)) == ReportNumber(7))
    }

    @Test(
        "A time is rounded up to a thousandth of its unit",
        arguments: [
            (0, "0 s"), (1, "0.001 ms"), (500_000_000, "500 ms"), (1_500_000_000, "1.5 s"),
            (999_999_999, "1000 ms"), (1_000_000_001, "1.001 s"), (1_050_000_000, "1.05 s"),
            (3_600_000_000_000, "3600 s"),
        ])
    func times(nanoseconds: Int, text: String) {
        #expect(ReportNumber(nanoseconds).time == text)
    }

    @Test("A plan shows no value of a variable", arguments: OutputFixture.files)
    func secrecy(name: String) throws {
        let plans = try EndpointReport.plans(of: try OutputFixture.document(name))
        for text in [EndpointReport.text(plans), String(decoding: EndpointReport.json(plans), as: UTF8.self)]
        {
            for secret in OutputFixture.secrets { #expect(!text.contains(secret), "\(secret): \(text)") }
        }
    }
}
