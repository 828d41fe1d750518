import JSONBytes
import Testing

extension InThirdBrowser {
    @Suite("Faults on the page", .timeLimit(.minutes(2)))
    struct FaultCardTests {
        /// A fault and the texts that the failed card must show.
        struct Case: Sendable {
            let fault: String
            let kind: String
            let reason: String
            let words: String
            let advice: String
        }

        private static let cases = [
            Case(
                fault: "delay:8000", kind: "networkFail", reason: "http_response_timeout",
                words: "took too long",
                advice: "Wait a little"),
            Case(
                fault: "status:503", kind: "serverErr", reason: "upstream_status", words: "status 503",
                advice: "Try again in a minute"),
            Case(
                fault: "drop", kind: "networkFail", reason: "connection_terminated",
                words: "closed the connection", advice: "Trying again may help"),
            Case(
                fault: "garbage", kind: "networkFail", reason: "http_protocol_error", words: "not HTTP",
                advice: "operator"),
            Case(
                fault: "truncate", kind: "networkFail", reason: "http_response_incomplete",
                words: "was incomplete",
                advice: "Trying again may help"),
            Case(
                fault: "trickle", kind: "networkFail", reason: "http_response_timeout",
                words: "took too long",
                advice: "Wait a little"),
        ]

        @Test("A failed card shows kind, reason and advice, leaves the other cards alone, and recovers")
        func cardFails() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                for fault in Self.cases {
                    try await page.breakUpstream("weather", by: fault.fault)
                    let failed = page["article[data-part=weather] .failed"]
                    try await failed.has("data-reason", fault.reason)
                    try await page.idle()
                    try await page.cards(are: [
                        "weights": "there", "weather": "failed", "tags": "there", "user": "there",
                    ])
                    #expect(try await failed.attribute("data-kind") == fault.kind)
                    let text = try await failed.text
                    for part in [fault.kind, fault.reason, fault.words, fault.advice] {
                        #expect(text.contains(part), "\(fault.fault): \(text)")
                    }
                    #expect(try await page["#home-verdict"].text.contains("200 PARTIAL"))
                    #expect(try await page["#home-verdict"].text.lowercased().contains("weather"))
                    #expect(
                        try await page.pictured("weather").text.contains(fault.reason))

                    try await page.repair("weather")
                    try await page.cards(are: ["weather": "there"])
                    #expect(try await page.count("article[data-part=weather] .failed") == 0)
                    #expect(try await page["#home-verdict"].text.contains("200 OK"))
                }
            }
        }

        /// A fault, what the failed card says about retries, and whether it offers another try.
        private static let retries: [(fault: String, words: String?, isOffered: Bool)] = [
            ("drop", "retried as often as its policy allows", true),
            ("status:503", "retried as often as its policy allows", true),
            ("delay:8000", "did not retry: too little time was left", true),
            ("status:500", nil, false), ("status:404", nil, false), ("garbage", nil, false),
        ]

        @Test("A failed card says why it was not retried, and offers another try only if that may help")
        func retries() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                for (fault, words, isOffered) in Self.retries {
                    try await demo.setFault(fault, of: "weather")
                    try await page["#home [data-reload]"].click()
                    try await page.cards(are: ["tags": "there", "weather": "failed"])
                    try await page.idle()
                    let said = try await page["article[data-part=weather] [data-advice]"].text
                    #expect(said.contains("retr") == (words != nil), "\(fault): \(said)")
                    #expect(said.contains(words ?? ""), "\(fault): \(said)")
                    #expect(
                        said.lowercased().contains("will not help")
                            == (fault == "garbage" || fault == "status:500"))
                    let buttons = try await page.count("article[data-part=weather] .failed button")
                    #expect(buttons == (isOffered ? 1 : 0), "\(fault)")
                }
            }
        }

        @Test("A failure that the gateway never retries is not said to have been retried, in both languages")
        func neverRetried() async throws {
            try await withDemo(expectedStatuses: [504]) { page, demo async throws in
                try await page.ready()
                try await demo.setFault("delay:8000", of: "diary")
                try await page["#home [data-reload]"].click()
                let advice = page["article[data-part=weights] [data-advice]"]
                try await advice.says("It may be busy. Wait a little, then try again.")
                try await advice.says("did not retry: a second call would burden a slow upstream even more")
                // The limit that ended the call is named and drawn: on the card, in the picture and in the
                // waterfall.
                try await page.card("weights").says("no response within 5000 ms")
                try await page.pictured("diary").says("first byte · 5 s")
                #expect(
                    try await page.count(
                        "#home-trace [data-row-attempt=\"weights diary 1\"] [data-limit=\"5000\"]") == 2)
                try await page["#language input[value=ko]"].click()
                try await advice.says("재시도하지 않았습니다. 다시 호출하면")
                try await page.card("weights").says("no response within 5000 ms")
                try await page.pictured("diary").says("첫 바이트 · 5 s")
            }
        }

        @Test("Each switch affects only its own card", arguments: ["tags": "tags", "users": "user"])
        func eachCard(upstream: String, part: String) async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.breakUpstream(upstream, by: "garbage")
                let parts = ["weights", "weather", "tags", "user"]
                try await page.cards(
                    are: Dictionary(uniqueKeysWithValues: parts.map { ($0, $0 == part ? "failed" : "there") })
                )
                try await page.repair(upstream)
                try await page.cards(are: Dictionary(uniqueKeysWithValues: parts.map { ($0, "there") }))
            }
        }

        @Test(
            "A slow upstream keeps the cards waiting, even if the language changes meanwhile")
        func slow() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                // Within the part's time limit.
                try await demo.setFault("delay:2500", of: "weather")
                let card = try await page.watch(
                    """
                    const card = (part) => one(`article[data-part=${part}]`);
                    const waits = (part) => card(part)?.dataset.state === "waiting";
                    one("#home [data-reload]").click();
                    await until(() => one("#home [data-busy]")?.checkVisibility(), "the page is busy");
                    // All cards wait for the same response.
                    await until(() => waits("weather") && waits("tags"), "the cards wait");
                    one("#language input[value=ko]").click();
                    await until(() => card("weather").innerText.includes("날씨"), "the card is Korean");
                    return [card("weather").innerText, card("weather").dataset.state];
                    """, as: [String].self)
                #expect(card[0].contains("대기"))
                #expect(card[1] == "waiting")
                try await page["#home [data-busy]"].disappears()
                try await page.cards(are: ["weather": "there", "tags": "there"])
            }
        }

        @Test("The card of an upstream without data says that it is empty")
        func empty() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.breakUpstream("tags", by: "status:204")
                try await page.cards(are: ["tags": "empty", "weather": "there"])
                try await page.card("tags").says("without tags")
                #expect(try await page["#home-verdict"].text.contains("200 OK"))
                try await page["#home-verdict"].says("All 4 parts answered. Without data: tags.")
                try await page["#language input[value=ko]"].click()
                try await page["#home-verdict"].says("데이터 없이 응답한 항목: 태그.")
            }
        }

        @Test("If the required weights fail, the whole screen fails, says why, and recovers")
        func required() async throws {
            try await withDemo(expectedStatuses: [503]) { page, _ async throws in
                try await page.ready()
                try await page.breakUpstream("diary", by: "status:503")
                try await page.cards(are: [
                    "weights": "failed", "weather": "held", "tags": "held", "user": "held",
                ])
                try await page["#home-verdict"].says("503 UPSTREAM_UNAVAILABLE")
                try await page["#chart-failed .failed"].appears()
                // Of its two calls, the one that fails first may have cancelled the other.
                let chart = page["#chart-failed .failed"]
                let reason = try await chart.attribute("data-reason")
                let kind = try await chart.attribute("data-kind")
                #expect(reason == "upstream_status" || kind == "cancelled")
                #expect(try await !page["#chart"].isDisplayed)

                try await page.repair("diary")
                try await page.cards(are: [
                    "weights": "there", "weather": "there", "tags": "there", "user": "there",
                ])
                try await page["#chart"].appears()
                #expect(try await page.weight("am") != nil)
            }
        }

        @Test("A fault of one API shows on the parts that use it, and the upstream's control removes it")
        func part() async throws {
            try await withDemo(expectedStatuses: [502]) { page, demo async throws in
                try await page.ready()
                try await demo.setFault("drop", of: "diary", api: "day")
                try await page["#weights [data-reload]"].click()
                try await page["#halves .failed"].appears()
                #expect(try await page["#halves .failed"].attribute("data-reason") == "connection_terminated")
                try await page["#chart-failed"].says("the day's weights")
                try await eventually("the diary's control shows the fault") {
                    try await page["[data-fault-kind=diary]"].value == "drop"
                }
                try await page.repair("diary")
                try await page["#chart"].appears()
                #expect(try await page.weight("am") != nil)
            }
        }

        @Test("Both screens report a gateway that is down and recover on retry")
        func gone() async throws {
            let demo = try await Demo()
            try await withPage { page async throws in
                try await page.open(demo.origin + "/")
                try await page.ready()
                demo.stop()
                try await page["#home [data-reload]"].click()
                try await page["#home-verdict"].says("unreachable")
                try await page.cards(are: ["weights": "unknown", "user": "unknown"])
                try await page["#weights [data-reload]"].click()
                try await page["#chart-failed"].says("unreachable")
                #expect(
                    try await page.count("#home [data-reason], #weights [data-reason]") == 2,
                    "each screen must report the failure once")
                try await page.idle()

                let next = try await Demo(port: demo.port)
                defer { next.stop() }
                try await page["#home .failed button"].click()
                try await page.cards(are: ["weights": "there", "user": "there"])
                // One retry is enough for both screens.
                try await page["#chart"].appears()
                let complaints = try await page.consoleComplaints()
                    .filter { !$0.contains("ERR_CONNECTION_REFUSED") }
                expectNone(complaints)
            }
        }
    }
}
