import Testing

@testable import GatewayConfig

@Suite("Plans of requests that pass through")
struct ProxyReportTests {
    private func plan(_ proxy: String, upstream: String = "url: http://a") throws -> ProxyReport {
        let text = "upstreams: {a: {\(upstream)}}\nendpoints:\n- {upstream: a, \(proxy)}\n"
        let document = try #require(ConfigReading.read(text: text).document)
        return ProxyReport(try #require(document.proxies.first), document)
    }

    @Test("Endpoints of both kinds stand in the order of the file")
    func order() throws {
        let plans = try EndpointReport.plans(of: try OutputFixture.document("proxies"))
        #expect(
            plans.map(\.path) == [
                "/files/{path...}", "/files/{id}", "/icon", "/${PLACE}/{tenant}/{path...}", "/hidden",
                "/last",
                "/{all...}",
            ])
    }

    @Test("Each method of a proxy names it, whatever its case")
    func one() throws {
        let document = try OutputFixture.document("proxies")
        for name in ["GET /files/{path...}", "patch /files/{path...}", "DELETE /files/{path...}"] {
            let plans = try EndpointReport.plans(of: document, only: name)
            #expect(plans.map(\.path) == ["/files/{path...}"])
        }
    }

    @Test(
        "A method that does not pass is refused, and a near endpoint is named",
        arguments: [
            ("POST /icon", #"there is no endpoint "POST /icon"; did you mean "GET /icon"?"#),
            ("GET /icons", #"there is no endpoint "GET /icons"; did you mean "GET /icon"?"#),
            ("PATCH /hidden", #"there is no endpoint "PATCH /hidden""#),
        ])
    func unknown(name: String, message: String) throws {
        let document = try OutputFixture.document("proxies")
        let error = try #require(throws: UnknownEndpoint.self) {
            try EndpointReport.plans(of: document, only: name)
        }
        #expect(error.description == message)
    }

    @Test(
        "The rest of a path follows the place at the upstream",
        arguments: [
            ("proxy: '/x/{path...}'", "/{path...}"), ("proxy: '/x/{path...}', at: /", "/{path...}"),
            ("proxy: '/x/{path...}', at: /y/", "/y/{path...}"), ("proxy: /x", "/"),
            ("proxy: '/x/{id}', at: /y", "/y"),
        ])
    func upstreamPath(proxy: String, path: String) throws {
        #expect(try plan(proxy).upstreamPath == path)
    }

    @Test("Only requests with idempotent methods are repeated")
    func calls() throws {
        let plan = try plan("proxy: /x", upstream: "url: http://a, retry: {attempts: 4}")
        #expect(plan.rows.map(\.methods) == [["GET", "PUT", "DELETE"], ["POST", "PATCH"]])
        #expect(plan.rows.map(\.calls.most) == [ReportNumber(4), ReportNumber(1)])
        #expect(plan.calls == CallRange(least: 1, most: ReportNumber(4)))
        #expect(
            try self.plan("proxy: /x, methods: [POST]").calls == CallRange(least: 1, most: ReportNumber(1)))
    }

    @Test(
        "The first byte has its own limit, or the longer one of 5 s and the time of a whole call",
        arguments: [
            ("", 5_000), (", timeouts: {firstByte: 1ms}", 1), (", timeouts: {total: 2s}", 5_000),
            (", timeouts: {total: 20s}", 20_000), (", timeouts: {total: 20s, firstByte: 3s}", 3_000),
        ])
    func firstByte(timeouts: String, milliseconds: Int) throws {
        let plan = try plan("proxy: /x", upstream: "url: http://a\(timeouts)")
        #expect(plan.firstByte == ReportNumber(milliseconds * 1_000_000))
        #expect(plan.deadline == ReportNumber(15_000_000_000))
    }
}
