import Foundation
import Testing

extension InBrowser {
    @Suite("The weight screen", .timeLimit(.minutes(2)))
    struct WeightTests {
        @Test(
            "A weight can be added, changed, deleted and restored, and the chart follows"
        )
        func wayOfAWeight() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                let day = try await page.day
                try await demo.setWeight(nil, on: day, "am")
                try await page["#weights [data-reload]"].click()
                try await page["[data-add=am]"].appears()
                #expect(try await page.spoken(day).contains("Morning none"))
                let dots = try await page.count("#chart [data-series=am] .dot")

                try await page["[data-add=am]"].click()
                try await page["#entry-weight"].fill("64.2")
                try await page["#entry [type=submit]"].click()
                try await page.weight("am", is: 64.2)
                try await page["#entry"].disappears()
                #expect(try await page.spoken(day).contains("Morning 64.2 kg"))
                #expect(try await page.count("#chart [data-series=am] .dot") == dots + 1)
                #expect(try await page["#weights-said"].text.contains("64.2 kg"))
                // The home screen's card reads the same diary.
                try await page.card("weights").says("64.2")

                try await page["[data-change=am]"].click()
                #expect(try await page["#entry-weight"].value == "64.2")
                try await page["#entry-weight"].fill("65,125")
                try await page["#entry [type=submit]"].click()
                try await page.weight("am", is: 65.125)
                #expect(try await page.spoken(day).contains("Morning 65.125 kg"))

                try await page["[data-delete=am]"].click()
                try await page["[data-add=am]"].appears()
                #expect(try await page.spoken(day).contains("Morning none"))
                #expect(try await page.count("#chart [data-series=am] .dot") == dots)
                try await page["[data-undo]"].click()
                try await page.weight("am", is: 65.125)
                // The diary has stored the weight, not only the page.
                try await page.reload()
                try await page.ready()
                #expect(try await page.weight("am") == 65.125)
            }
        }

        @Test("The form reports invalid weights and stays open until they are corrected")
        func formErrors() async throws {
            let cases = [
                ("", "Enter a weight"), ("heavy", "a number such as"), ("7e1", "a number such as"),
                ("70.1234", "a number such as"), ("19.9", "20 to 300"), ("300.1", "20 to 300"),
                ("-70", "20 to 300"),
                ("1000", "20 to 300"),
            ]
            try await withDemo { page, _ async throws in
                try await page.ready()
                let before = try await page.weight("pm")
                try await page["[data-change=pm]"].click()
                let field = page["#entry-weight"]
                for (text, complaint) in cases {
                    try await field.fill(text)
                    try await page["#entry [type=submit]"].click()
                    try await page["#entry-error"].says(complaint)
                    #expect(try await field.attribute("aria-invalid") == "true")
                    #expect(try await page["#entry-error"].role == "alert")
                    let described = try await page.accessibleNodes()
                        .first { $0.name == "Weight in kilograms" }
                    #expect(described?.description.contains(complaint) == true, "\(described as Any)")
                    #expect(
                        try await page.run("return document.activeElement.id", as: String.self)
                            == "entry-weight")
                    // The field keeps the entry, so that the user can correct it.
                    #expect(try await field.value == text)
                }
                #expect(try await page.weight("pm") == before)
                // Full-width digits from a Korean keyboard.
                try await field.fill("７０．０５ kg")
                try await page["#entry [type=submit]"].click()
                try await page["#entry"].disappears()
                try await page.weight("pm", is: 70.05)
            }
        }

        @Test("The form reports that the diary refused a weight, and why")
        func refused() async throws {
            try await withDemo(expectedStatuses: [422, 503]) { page, demo async throws in
                try await page.ready()
                for (fault, words) in [("status:422", "status 422"), ("status:503", "status 503")] {
                    try await demo.setFault(fault, of: "diary", api: "record")
                    try await page["[data-change=am]"].click()
                    // The sample weights have one decimal place, so none of them equals this.
                    try await page["#entry-weight"].fill("70.55")
                    try await page["#entry [type=submit]"].click()
                    try await page["#entry-error"].says(words)
                    #expect(try await page["#entry-weight"].attribute("aria-invalid") == "true")
                    try await page["#entry [data-cancel]"].click()
                    try await page["#entry"].disappears()
                }
                try await demo.setFault("none", of: "diary", api: "record")
                try await page["#weights [data-reload]"].click()
                try await page.weight("am", is: try await page.weight("am"))
                #expect(try await page.weight("am") != 70.55)
            }
        }

        @Test("The chart switches between seven days and twelve months, and its slots have labels")
        func spans() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                #expect(try await page.count("#chart .slot") == 7)
                #expect(try await page.count("#chart [data-series=am] .dot") == 7)
                try await page["#span input[value=total]"].click()
                try await eventually("twelve months are there") { try await page.count("#chart .slot") == 12 }
                let month = String(try await page.day.prefix(7))
                #expect(try await page.spoken(month).contains("kg"))
                try await page["#span input[value=recent]"].click()
                try await eventually("seven days are there") { try await page.count("#chart .slot") == 7 }
            }
        }

        @Test("Hover and focus show the chart's values, and arrow keys move between days")
        func values() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                let day = try await page.day
                #expect(try await !page["#chart .tip"].isDisplayed)
                try await page.hover("#chart [data-slot=\"\(day)\"]")
                try await page["#chart .tip"].appears()
                let shown = try #require(try await page.weight("am"))
                #expect(try await page["#chart .tip"].text.contains("\(shown) kg"))
                try await page.press(.escape)
                try await page["#chart .tip"].disappears()
                try await page.hover("#chart [data-slot=\"\(day)\"]")
                try await page["#chart .tip"].appears()
                try await page.hover("h1")
                try await page["#chart .tip"].disappears()

                try await page.run("document.querySelector('#chart [tabindex=\"0\"]').focus()")
                try await page["#chart .tip"].appears()
                #expect(try await page.focusedSlot == day)
                try await page.press(.left, .left)
                let before = try #require(try await page.focusedSlot)
                #expect(before < day)
                try await page.press(.home)
                let first = try #require(try await page.focusedSlot)
                #expect(first < before)
                try await page.press(.end)
                #expect(try await page.focusedSlot == day)
                try await page.press(.escape)
                try await page["#chart .tip"].disappears()
            }
        }

        @Test("A change with an unknown outcome is reported with its day until the next reload")
        func unknownInput() async throws {
            try await withDemo(expectedStatuses: [502]) { page, demo async throws in
                try await page.ready()
                try await demo.setFault("drop", of: "diary", api: "record")
                try await page["[data-delete=pm]"].click()
                try await page["#weights-said"].says("may or may not have been saved")
                #expect(try await page["#weights-said"].text.hasPrefix("Evening of "))
                try await demo.setFault("none", of: "diary", api: "record")
                try await page["#weights [data-reload]"].click()
                try await page.idle()
                #expect(try await page["#weights-said"].text == "")
            }
        }

        @Test("Both screens use the visitor's local day")
        func localDay() async throws {
            try await withDemo { page, _ async throws in
                // At any time one of these zones has a date other than the UTC date.
                let isLate = Int(Date().timeIntervalSince1970) % 86_400 >= 12 * 3600
                let (zone, hours) = isLate ? ("Pacific/Kiritimati", 14) : ("Etc/GMT+12", -12)
                func local() -> String {
                    Date(timeIntervalSinceNow: Double(hours) * 3600).ISO8601Format(
                        .iso8601.year().month().day())
                }
                try await page.stand(in: zone)
                let before = local()
                try await page.reload()
                try await page.ready()
                let day = try await page.day
                #expect([before, local()].contains(day))
                #expect(try await !page["#day-after"].isEnabled)
                try await page["#home-trace"].says("/api/home?date=\(day)")
                try await page.cards(are: ["weights": "there", "tags": "there"])
            }
        }

        @Test("The buttons move by a day and stop at today and at the earliest day")
        func days() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                let today = try await page.day
                #expect(try await !page["#day-after"].isEnabled)
                try await page["#day-before"].click()
                try await eventually("the day before is shown") { try await page.day < today }
                let before = try await page.day
                try await eventually("its chart ends with it") {
                    try await page.count("[data-slot=\"\(today)\"]") == 0
                }
                #expect(try await page.count("[data-slot=\"\(before)\"]") == 1)
                try await page["#day-after"].click()
                try await eventually("today is shown") { try await page.day == today }
                try await page.run(
                    "const day = document.querySelector('#day'); day.value = day.min; day.dispatchEvent(new Event('change'))"
                )
                try await eventually("there is no day before the first") {
                    try await !page["#day-before"].isEnabled
                }
                try await page.idle()
            }
        }

        @Test("Loading is shown and marked for screen readers until it ends")
        func loading() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                try await page["#weights [data-busy]"].disappears()
                try await demo.setFault("delay:1200", of: "diary")
                let isBusy = try await page.watch(
                    """
                    one("#weights [data-reload]").click();
                    await until(() => one("#weights [data-busy]").checkVisibility(), "loading is shown");
                    return one("#weights").getAttribute("aria-busy");
                    """, as: String.self)
                #expect(isBusy == "true")
                try await page["#weights [data-busy]"].disappears()
                #expect(try await page["#weights"].attribute("aria-busy") == "false")
                #expect(try await page.weight("am") != nil)
            }
        }

        @Test("A weight can be deleted and added without a mouse")
        func byKeyboard() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.tab(to: "[data-delete=am]")
                try await page.press(.enter)
                try await page["[data-add=am]"].appears()
                // The pressed button disappears, so the focus moves to its replacement.
                try await eventually("the focus is on the new button") {
                    try await page.run("return document.activeElement.dataset.add ?? ''", as: String.self)
                        == "am"
                }
                try await page.press(.space)
                try await page["#entry"].appears()
                #expect(
                    try await page.run("return document.activeElement.id", as: String.self) == "entry-weight")
                try await page.type("999")
                try await page.press(.enter)
                try await page["#entry-error"].appears()
                // The dialog traps the focus.
                for _ in 1...5 {
                    try await page.press(.tab)
                    #expect(
                        try await page.run(
                            "return document.activeElement === document.body || document.activeElement.closest('#entry') !== null",
                            as: Bool.self))
                }
                try await page.press(.escape)
                try await page["#entry"].disappears()
                try await page.press(.enter)
                try await page["#entry"].appears()
                try await page.type("66.6")
                try await page.press(.enter)
                try await page.weight("am", is: 66.6)
                try await eventually("the focus is back at the half of the day") {
                    try await page.run(
                        "return document.activeElement.closest('[data-half=am]') !== null", as: Bool.self)
                }
            }
        }
    }
}
