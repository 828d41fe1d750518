import JSONBytes
import Networking
import Testing

extension InBrowser {
    @Suite("A gateway that stops under the page", .timeLimit(.minutes(3)))
    struct OutageTests {
        @Test(
            "After an outage the page asks again by itself, and sets the faults of its address again",
            arguments: ["online", "focus", "visibilitychange"])
        func recovery(event: String) async throws {
            let language: Look.Language = event == "focus" ? .korean : .english
            let demo = try await Demo()
            try await withPage(Look(language: language)) { page async throws in
                try await page.open(demo.origin + "/#fault=weather:drop")
                try await page.ready()
                try await page.cards(are: ["weather": "failed", "tags": "there"])
                demo.stop()
                for screen in ["home", "weights"] {
                    try await page["#\(screen) [data-reload]"].click()
                    try await page["#\(screen) [data-reason=unreachable]"].appears()
                }
                try await page.idle()
                #expect(try await page.hash.contains("fault=weather:drop"))

                let next = try await Demo(port: demo.port)
                defer { next.stop() }
                try await page.run(
                    "(arguments[0] === 'visibilitychange' ? document : window).dispatchEvent(new Event(arguments[0]))",
                    [.text(event)])
                try await page.cards(are: ["weights": "there", "weather": "failed", "tags": "there"])
                try await page["#chart"].appears()
                #expect(try await page["[data-fault-kind=weather]"].value == "drop")
                #expect(try await page.hash.contains("fault=weather:drop"))
                try await page["#fault-said"].says(
                    language == .korean ? "다시 설정했습니다" : "lost your faults. They are set again.")
                expectNone(try await page.complaints(Look(language: language)))
                try await page.repair("weather")
                try await page.cards(are: ["weather": "there"])
                #expect(try await page["#fault-said"].text.isEmpty)
            }
        }

        @Test("Faults that a restart removed unseen are called gone", arguments: Look.Language.allCases)
        func gone(language: Look.Language) async throws {
            let demo = try await Demo()
            try await withPage(Look(language: language)) { page async throws in
                try await page.open(demo.origin + "/")
                try await page.ready()
                try await page.breakUpstream("weather", by: "drop")
                try await page.cards(are: ["weather": "failed"])
                demo.stop()
                let next = try await Demo(port: demo.port)
                defer { next.stop() }
                try await page["#home [data-reload]"].click()
                try await page["#fault-said"].says(language == .korean ? "고장이 사라졌습니다" : "Faults are gone")
                try await page.cards(are: ["weather": "there"])
                #expect(try await page.hash == "")
            }
        }

        @Test(
            "What cannot be loaded says so and leaves its control as it was, and works once the gateway is back",
            arguments: Look.pairs)
        func firstUse(look: Look) async throws {
            let isKorean = look.language == .korean
            let demo = try await Demo()
            try await withPage(look) { page async throws in
                try await page.open(demo.origin + "/")
                try await page.ready()
                demo.stop()
                let other = isKorean ? "en" : "ko"
                try await page["#language input[value=\(other)]"].click()
                try await page["#language-said"].says(isKorean ? "불러오지 못했습니다" : "could not be loaded")
                try await page["#language input[value=\(look.language.code)]"].isChosen()

                for screen in ["home", "weights"] {
                    try await page["#\(screen)-trace .code summary"].click()
                    try await page["#\(screen)-trace .code + .lost"].says(
                        isKorean ? "소스를 불러오지 못했습니다" : "The source could not be loaded")
                    #expect(try await page["#\(screen)-trace .code"].property("open").boolValue == false)
                }

                try await page["#mode input[value=without]"].click()
                try await page["#tour"].says(isKorean ? "코드를 불러오지 못했습니다" : "could not be loaded")
                try await page["#mode input[value=with]"].isChosen()
                #expect(try await page["#home .asked"].text == "GET /api/home")

                try await page["[data-step=slow]"].click()
                try await page["#tour"].says(isKorean ? "설정하지 못했습니다" : "This step could not be set")
                try await page["[data-step=slow]"].has("aria-current", nil)
                #expect(try await page["[data-fault-kind=tags]"].value == "none")
                expectNone(try await page.complaints(look))

                let next = try await Demo(port: demo.port)
                defer { next.stop() }
                try await page["#home-trace .code summary"].click()
                try await page["#home-trace .code pre"].says("gateway.get(\"/api/home\")")
                #expect(try await page["#home-trace .code + .lost"].text.isEmpty)
                try await page["#mode input[value=without]"].click()
                try await page["#home-trace [data-row-direct]"].appears()
                try await page["#language input[value=\(other)]"].click()
                try await page["html"].has("lang", other)
                #expect(try await page["#language-said"].text.isEmpty)
            }
        }
    }
}

extension Element {
    /// Waits until a radio button is checked.
    fileprivate func isChosen() async throws {
        try await eventually("\(selector) is chosen") { try await property("checked").boolValue == true }
    }
}
