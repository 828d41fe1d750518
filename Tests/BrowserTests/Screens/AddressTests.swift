import JSONBytes
import Networking
import Testing

extension InBrowser {
    @Suite("The address and what is typed", .timeLimit(.minutes(2)))
    struct AddressTests {
        @Test("Back undoes faults, mode, span and day one by one, and a reload keeps them")
        func history() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                let today = try await page.day
                try await page.breakUpstream("weather", by: "drop")
                try await page.cards(are: ["weather": "failed"])
                try await page["#mode input[value=without]"].click()
                try await page["#home-trace [data-row-direct]"].appears()
                try await page["#span input[value=total]"].click()
                try await page["#day-before"].click()
                try await page.idle()
                let before = try await page.day
                #expect(before < today)
                let address = "#fault=weather:drop&view=without&span=total&day=\(before)"
                try await page.isAt(address)

                try await page.reload()
                try await page.ready()
                try await page.isAt(address)
                #expect(try await page.day == before)
                #expect(try await page["#span input[value=total]"].property("checked").boolValue == true)
                #expect(try await page["#mode input[value=without]"].property("checked").boolValue == true)
                #expect(try await page["[data-fault-kind=weather]"].value == "drop")
                try await page["#chart [data-slot=\"\(before.prefix(7))\"]"].appears()

                try await page["#language input[value=ko]"].click()
                try await page.isAt("\(address)&lang=ko")

                // The language stays.
                try await page.goBack()
                try await page.isAt("#fault=weather:drop&view=without&span=total&lang=ko")
                try await eventually("today is shown") { try await page.day == today }
                try await page.goBack()
                try await eventually("the days are shown") {
                    try await page["#span input[value=recent]"].property("checked").boolValue == true
                }
                try await page.goBack()
                try await page.isAt("#fault=weather:drop&lang=ko")
                try await page["#home-verdict"].says("200 PARTIAL")
                try await page.goBack()
                try await page.isAt("#lang=ko")
                try await page.cards(are: ["weather": "there"])
                #expect(try await page.run("return location.pathname", as: String.self) == "/")
                try await page.run("history.forward()")
                try await page.isAt("#fault=weather:drop&lang=ko")
                try await page.cards(are: ["weather": "failed"])
                #expect(try await page["[data-fault-kind=weather]"].value == "drop")
            }
        }

        @Test("An impossible day in the address is today, and one that exists is shown")
        func addressedDay() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                let today = try await page.day
                for (day, shown) in [
                    ("2026-02-30", today), ("2999-01-01", today), ("1850-01-01", today), ("x", today),
                    ("2026-02-28", "2026-02-28"),
                ] {
                    try await page.open(demo.origin + "/?\(day)#day=\(day)")
                    try await page.ready()
                    #expect(try await page.day == shown)
                    try await page.isAt(shown == today ? "" : "#day=\(shown)")
                }
            }
        }

        @Test("A date that is typed shows no other day on the way, and says at once that it does not exist")
        func typedDate() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                let today = try await page.day
                _ = try await page.requests()
                // Month, day and year.
                try await page["#day"].type("02302026")
                try await page["#day-error"].says("does not exist")
                for _ in 1...2 { try await page.press(.left) }
                try await page["#day"].type("02282026")
                try await page.press(.enter)
                try await page["#weights [data-day]"].says("28 February 2026")
                try await page.idle()
                let days = try await page.requests().compactMap { $0.url.firstMatch(of: /fddDate=(.*)/)?.1 }
                #expect(days == ["2026-02-28"], "\(days), today is \(today)")
                #expect(try await page["#day-error"].text.isEmpty)
                // Leaving the field opens the date too.
                for _ in 1...2 { try await page.press(.left) }
                try await page["#day"].type("01052026")
                // The button of the calendar is next, which is in the field.
                for _ in 1...2 { try await page.press(.tab) }
                try await page["#weights [data-day]"].says("5 January 2026")
                // The arrow keys open each day at once.
                try await page["#day"].type("02")
                try await page.press(.up)
                try await page["#weights [data-day]"].says("2026")
            }
        }

        @Test("Arrow keys on a closed menu of faults send only the fault at which they rest")
        func arrowKeys() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                try await page.tab(to: "[data-fault-kind=weather]")
                _ = try await page.requests()
                for _ in 1...6 { try await page.press(.down) }
                try await page.cards(are: ["weather": "failed"])
                #expect(try await page["[data-fault-kind=weather]"].value == "drop")
                let sent = try await page.requests().filter { $0.method == "PUT" }.map(\.url)
                #expect(sent == ["\(demo.origin)/demo/faults/weather"])
                // Leaving the menu does not wait.
                try await page.press(.up)
                try await page.press(.tab)
                try await page.isAt("#fault=weather:status:204")
                #expect(try await page.requests().count { $0.method == "PUT" } == 1)
            }
        }

        @Test("Every fault in an address has a name", arguments: Look.Language.allCases)
        func names(language: Look.Language) async throws {
            let isKorean = language == .korean
            try await withDemo(
                Look(language: language), path: "/#fault=weather:status:418,tags:delay:2500"
            ) { page, _ async throws in
                try await page.ready()
                try await page.cards(are: ["weather": "failed", "tags": "there"])
                let chosen = { (upstream: String) in
                    try await page.run(
                        "return document.querySelector(arguments[0]).selectedOptions[0].textContent",
                        [.text("[data-fault-kind=\(upstream)]")], as: String.self)
                }
                #expect(try await chosen("weather") == (isKorean ? "418 응답" : "Answers 418"))
                #expect(try await chosen("tags") == (isKorean ? "2.5 s 지연" : "2.5 s late"))
            }
        }

        @Test("A step of the tour sends a request even if nothing has to change, and does not leave the mode")
        func steps() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page["[data-step=well]"].click()
                try await eventually("a second request is there") {
                    try await page.count("#home-trace .history li") == 2
                }
                try await page.idle()
                try await page["#mode input[value=without]"].click()
                try await page["#home-trace [data-row-direct]"].appears()
                try await page["[data-step=optional]"].click()
                try await page.cards(are: ["weather": "failed", "tags": "there"])
                #expect(try await page["#mode input[value=without]"].property("checked").boolValue == true)
                try await page["#home-verdict"].says("6 requests")
                try await page["[data-step=optional]"].has("aria-current", "step")
            }
        }
    }
}

extension Page {
    var hash: String { get async throws { try await run("return location.hash", as: String.self) } }

    fileprivate func isAt(_ hash: String) async throws {
        try await eventually("the address ends with \(hash)") { try await self.hash == hash }
    }

    fileprivate func goBack() async throws { try await run("history.back()") }
}
