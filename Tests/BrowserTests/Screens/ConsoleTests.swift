import Foundation
import HTTPModel
import JSONBytes
import Networking
import TestSupport
import Testing

extension InThirdBrowser {
    @Suite("The console", .timeLimit(.minutes(3)))
    struct ConsoleTests {
        @Test("Pages of other origins and rebound names get nothing from the admin listener")
        func foreignPages() async throws {
            let demo = try await Demo(admin: "127.0.0.1:0")
            defer { demo.stop() }
            let admin = try await demo.adminOrigin
            let port = try #require(admin.split(separator: ":").last)
            let form = """
                <form method="post" enctype="text/plain" action="\(admin)/drain"><button>Drain</button></form>
                """
            try await withHarness(form) { page, _ async throws in
                try await page["button"].click()
                try await page["body"].says("FORBIDDEN")
                // Chromium resolves all names below localhost to loopback.
                for path in ["/", "/status"] {
                    try await page.open("http://rebound.localhost:\(port)\(path)")
                    try await page["body"].says("MISDIRECTED")
                }
                try await page.open(admin + "/")
                try await page["#state"].says("live")
            }
        }

        @Test("Texts of requests never become markup")
        func hostile() async throws {
            try await withConsole(["--log-fields", "user-agent"], expectedStatuses: [502]) {
                page, demo async throws in
                let markup = "<img src=x onerror=\"document.title='owned'\"><b>hostile</b>"
                try await demo.setFault("drop", of: "users")
                try await demo.ask("/api/users/%3Cscript%3E", ["User-Agent": markup])
                try await page["#request-rows button"].click()
                try await page["#request-rows .waterfall"].says(markup)
                // What no request could send: markup at each place of a record.
                try await page.run(
                    """
                    const [markup] = arguments;
                    const { noteRequest } = await import("/console/requests.js");
                    noteRequest({
                      time: "2030-01-01T00:00:00Z", requestId: markup, traceId: markup, method: markup, path: markup, status: 503,
                      end: markup, elapsedMs: 1, client: markup, host: markup, code: markup, route: markup, refused: [markup],
                      parts: { [markup]: { kind: markup, reason: markup, message: markup, notRetried: markup } },
                      slow: { part: markup, upstream: markup, phase: markup, ms: 1 }, fields: { [markup]: markup },
                      timeline: [{ part: markup, kind: markup, beganMs: 0, endMs: 1, calls: [{ upstream: markup, method: markup, attempts: [
                        { beganMs: 0, connection: markup, assignedMs: 0, sentMs: 0, firstByteMs: 1, endMs: 1, address: markup, status: 503,
                          reason: markup }] }] }],
                    });
                    """, [.text(markup)])
                try await page["#request-rows tr:first-child button"].says(markup)
                try await page["#request-rows tr:first-child button"].click()
                try await page["#request-rows tr:first-child + tr .calls"].says(markup)
                try await page["#filter [name=search]"].fill("<b>nothing")
                try await page["#no-requests"].says("matches “<b>nothing”")
                #expect(try await page.count("main :is(img, b, script)") == 0)
                #expect(try await page.run("return document.title", as: String.self) == "Sluice console")
            }
        }

        @Test("A failed request appears with its reason and waterfall, and is found by id, route and reason")
        func failedRequest() async throws {
            try await withConsole(expectedStatuses: [502]) { page, demo async throws in
                try await page["#no-requests"].says("No failed or slow request yet.")
                try await demo.setFault("drop", of: "tags")
                try await demo.ask("/api/tags", ["X-Request-Id": "console-test-1"])
                let row = page["#request-rows [data-request=console-test-1]"]
                try await row.says("GET /api/tags")
                try await row.says("502 failed")
                try await row.says("tags: connection_terminated")
                let button = page["[data-request=console-test-1] button"]
                try await button.click()
                try await button.has("aria-expanded", "true")
                let calls = page["[data-request=console-test-1] + tr .calls"]
                for text in ["networkFail", "tags GET 1/3", "tags GET 3/3", "waited for the response"] {
                    try await calls.says(text)
                }
                #expect(try await page.count("#request-rows .calls .failure") == 3)
                let search = page["#filter [name=search]"]
                for text in ["console-test-1", "/API/tags", "connection_terminated"] {
                    try await search.fill(text)
                    try await page["#found"].says("1 of 1")
                }
                try await search.fill("connection_refused")
                try await page["#no-requests"].says("No failed or slow request matches")
                try await search.fill("")
                try await page["#filter label:has([value=slow])"].click()
                try await page["#no-requests"].says("No slow request yet.")
                // A click on a route shows its requests.
                try await page["#route-rows button"].appears()
                try await page.run(
                    """
                    [...document.querySelectorAll("#route-rows button")].find((button) => button.textContent === "/api/tags").click();
                    """)
                try await page["#found"].says("1 of 1")
                #expect(try await search.value == "/api/tags")
            }
        }

        @Test("The numbers are those of the counters")
        func numbers() async throws {
            try await withConsole(expectedStatuses: [502]) { page, demo async throws in
                for _ in 0..<4 { try await demo.ask("/api/users/GREEN") }
                try await demo.setFault("drop", of: "users")
                for _ in 0..<3 { try await demo.ask("/api/users/GREEN") }
                try await page["#window label:has([value=\"0\"])"].click()
                let row = "tr:has(> th button)"
                // The client may send a failed request again, so the counters say how many there were.
                try await eventually("the rows of the route and its upstream have what was counted") {
                    try await page.run(
                        """
                        const text = await (await fetch("metrics")).text();
                        const sum = (pattern) => [...text.matchAll(pattern)].reduce((sum, match) => sum + Number(match[1]), 0);
                        const failed = sum(/^sluice_http_requests_total\\{route="\\/api\\/users\\/\\{name\\}".*status="502".*\\} (\\d+)$/gm);
                        const all = sum(/^sluice_http_requests_total\\{route="\\/api\\/users\\/\\{name\\}".*\\} (\\d+)$/gm);
                        const lost = sum(/^sluice_upstream_attempts_total\\{upstream="users",status="",.*\\} (\\d+)$/gm);
                        const row = [...document.querySelectorAll("#route-rows \(row)")]
                          .find((row) => row.querySelector("button").textContent === "/api/users/{name}");
                        const upstream = document.querySelector("[data-upstream=users]").textContent;
                        const texts = ["Rate", "p50", "p95", "p99"]
                          .map((label) => row?.querySelector(`[data-label="${label}"]`).textContent ?? "–");
                        return texts.every((text) => /[1-9]/.test(text)) && failed >= 3 && all >= 7 && lost >= failed && upstream.includes(`Failed${lost} (`)
                          && row?.querySelector("[data-label=Failed]").textContent === `${failed} (${Math.round((100 * failed) / all)} %)`;
                        """, as: Bool.self)
                }
                try await page["[data-upstream=users]"].says("Last failure connection_terminated")
            }
        }

        @Test("Quantiles are those of Prometheus, and lie above the last bound if the requests do")
        func quantiles() async throws {
            try await withConsole { page, _ async throws in
                let texts = try await page.run(
                    """
                    const { quantile } = await import("/console/metrics.js");
                    const { quantileText } = await import("/console/format.js");
                    const bounds = [0.1, 0.2, 0.4, Infinity];
                    return [
                      quantile(0.5, bounds, [0, 10, 10, 10]), quantile(0.95, bounds, [50, 90, 100, 100]),
                      quantile(0.99, bounds, [0, 0, 0, 5]), quantile(0.5, bounds, [0, 0, 0, 0]),
                      quantile(0.5, [Infinity, 0.2, 0.1], [4, 4, 0]), null,
                    ].map(quantileText);
                    """, as: [String].self)
                #expect(texts == ["150 ms", "300 ms", "> 400 ms", "–", "150 ms", "–"])
            }
        }

        @Test("Each limit of the metrics is shown, and requests that the gateway refuses are counted")
        func limits() async throws {
            try await withConsole { page, demo async throws in
                try await page["#refused"].says("No request refused since the start.")
                try await eventually("the list has each limit of the metrics with its use") {
                    try await page.run(
                        """
                        const text = await (await fetch("metrics")).text();
                        const names = [...text.matchAll(/^sluice_limit_used_ratio\\{limit="(\\w+)"\\} /gm)].map((match) => match[1]);
                        const items = [...document.querySelectorAll("#limit-list [data-limit]")];
                        return names.length >= 10 && names.sort().join() === items.map((item) => item.dataset.limit).sort().join()
                          && items.every((item) => / of [0-9]/.test(item.textContent));
                        """, as: Bool.self)
                }
                // A loopback address does not serve the name of this client's Host.
                #expect(try RawClient(port: demo.port).get("/api/tags")?.status == 421)
                try await page["#refused"].says("Requests refused since the start: 1 for the host.")
            }
        }

        @Test("A slow request appears under Slow with the upstream and the phase that took the time")
        func slowRequest() async throws {
            try await withConsole(["--slow", "0.001"], latency: "on") { page, demo async throws in
                try await page["#filter label:has([value=slow])"].click()
                try await page["#no-requests"].says("No slow request yet.")
                try await demo.ask("/api/tags", ["X-Request-Id": "the-slow-one"])
                let row = page["#request-rows [data-request=the-slow-one]"]
                try await row.says("200 slow")
                try await row.says("tags: tags first_byte")
                try await page["#filter label:has([value=failed])"].click()
                try await page["#no-requests"].says("No failed request yet.")
            }
        }

        @Test("The charts draw the last 360 samples of 400, one for each 10 s of the last hour")
        func history() async throws {
            try await withConsole { page, _ async throws in
                // No reading of the page itself comes in between.
                let texts = try await page.run(
                    """
                    const { drawHistory, note } = await import("/console/history.js");
                    for (let index = 0; index <= 400; index += 1) {
                      const total = 10 * index;
                      note({
                        at: 10_000 * index, now: 10 * index, start: 1, cpu: 0, memory: 1, inFlight: 1, calls: 0, bounds: [Infinity],
                        routes: new Map([["/a", { total, failed: 0, buckets: [total] }]]), upstreams: new Map(),
                      });
                    }
                    drawHistory();
                    const chart = document.querySelector("[data-chart=requests]");
                    const ends = chart.querySelector("path.line.line-0").getAttribute("d").match(/L/g).length;
                    return [String(ends), document.getElementById("span").textContent, chart.querySelector("strong").textContent];
                    """, as: [String].self)
                #expect(texts == ["360", "Last 60 minutes", "1.0"])
            }
        }

        @Test("Explain draws a request that the gateway runs, and shows why it cannot")
        func explain() async throws {
            try await withConsole(expectedStatuses: [404]) { page, demo async throws in
                try await demo.setFault("status:503", of: "weather")
                let target = page["#target"]
                try await target.fill("api/home")
                try await page["#ask button"].click()
                try await page["#explain-said"].says("Enter a path, such as /page?x=1.")
                try await target.fill("/nowhere")
                try await page["#ask button"].click()
                try await page["#explain-said"].says("No endpoint matches this path")
                try await target.fill("/api/home")
                try await page.press(.enter)
                try await page["#explained h3"].says("200 PARTIAL")
                try await page["#explained .calls"].says("weather")
                try await page["#explained .calls"].says("503 upstream_status")
                try await page["#explained summary"].click()
                try await page["#explained pre"].says("\"weather\": null")
                // The datalist offers the routes without parameters.
                #expect(try await page.count("#targets option[value=\"/api/home\"]") == 1)
                #expect(try await page.count("#targets option[value*=\"{\"]") == 0)
            }
        }

        @Test("With a token the page asks for it, says that one is wrong, and keeps it in its tab alone")
        func token() async throws {
            let folder = ScratchFolder()
            let token = "the-token-of-these-tests"
            try token.write(toFile: folder.file("token"), atomically: true, encoding: .utf8)
            let arguments = ["--admin-token-file", folder.file("token")]
            try await withConsole(arguments, isOpen: false, expectedStatuses: [401]) {
                page, demo async throws in
                let field = page["#token"]
                try await field.appears()
                #expect(try await page["#board"].isDisplayed == false)
                try await field.fill("short")
                try await page["#token-form button"].click()
                try await page["#token-said"].says("A token has 16 to 256 visible ASCII characters.")
                try await field.fill("not-the-token-of-these-tests")
                try await page["#token-form button"].click()
                try await page["#token-said"].says("This is not the admin token.")
                try await field.has("aria-invalid", "true")
                try await field.fill(token)
                try await page.press(.enter)
                try await page["#state"].says("live")
                try await page["[data-upstream=diary]"].appears()
                #expect(try await field.isDisplayed == false)
                try await page.reload()
                try await page["#state"].says("live")
                let kept = try await page.run(
                    "return [document.cookie, JSON.stringify(localStorage), location.href, sessionStorage.length]"
                        + ".map(String)", as: [String].self)
                #expect(kept.prefix(2) == ["", "{}"])
                #expect(!kept[2].contains(token))
                try await page["#forget"].click()
                try await field.appears()
                #expect(try await page.run("return sessionStorage.length", as: Int.self) == 0)
            }
        }

        @Test("A gateway that stops is shown as gone, and comes back without a reload of the page")
        func gone() async throws {
            let demo = try await Demo(admin: "127.0.0.1:0")
            let admin = try await demo.adminOrigin
            try await withPage { page async throws in
                do {
                    defer { demo.stop() }
                    try await page.open(admin + "/")
                    try await page["#state"].says("live")
                    try await demo.setFault("drop", of: "tags")
                    try await demo.ask("/api/tags")
                    try await page["#request-rows tr"].says("502 failed")
                }
                try await page["#state"].says("gone")
                try await page["#gone-said"].says("The gateway has not answered since")
                // What was seen stays.
                try await page["#request-rows tr"].says("502 failed")
                let next = try await Demo(
                    port: demo.port, admin: String(admin.dropFirst("http://".utf8.count)))
                defer { next.stop() }
                try await page["#state"].says("live", within: .seconds(20))
                try await page["#gone"].disappears()
                try await next.setFault("status:503", of: "users")
                try await next.ask("/api/users/GREEN")
                try await page["#request-rows tr:first-child"].says("user: upstream_status")
                #expect(try await page.console().allSatisfy { $0.source == "network" })
            }
        }
    }
}

/// Runs `test` on the console of a fresh demo, then expects no complaints of the browser, no violation of the
/// policy and no requests to other hosts.
///
/// - Parameters:
///   - arguments: Further arguments of the demo.
///   - isOpen: Whether the listener needs no token.
///   - latency: Whether the upstreams take their time: `on` or `off`.
func withConsole(
    _ arguments: [String] = [], look: Look = Look(), isOpen: Bool = true, latency: String = "off",
    expectedStatuses: Set<Int> = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ test: @Sendable (Page, Demo) async throws -> Void
) async throws {
    let demo = try await Demo(admin: "127.0.0.1:0", latency: latency, arguments)
    defer { demo.stop() }
    let admin = try await demo.adminOrigin
    try await withPage(look) { page async throws in
        try await page.open(admin + "/")
        if isOpen { try await page["#state"].says("live") }
        try await test(page, demo)
        expectNone(
            try await page.consoleComplaints(expectedStatuses: expectedStatuses),
            sourceLocation: sourceLocation)
        expectNone(
            try await page.foreignRequestComplaints(origins: [admin]), sourceLocation: sourceLocation)
    }
}
