import Networking
import Testing

extension InBrowser {
    @Suite("What a visitor enters", .timeLimit(.minutes(2)))
    struct EntryTests {
        @Test("A weight may be entered with its unit")
        func units() async throws {
            let entries = [
                ("70.25kg", 70.25), ("100.5kg", 100.5), ("100.5 kg", 100.5), ("100.125 kg", 100.125),
            ]
            try await withDemo { page, demo async throws in
                try await page.ready()
                for (text, kilograms) in entries {
                    try await page["[data-change=am]"].click()
                    try await page["#entry-weight"].fill(text)
                    #expect(try await page["#entry-weight"].value == text)
                    try await page["#entry [type=submit]"].click()
                    try await page.weight("am", is: kilograms)
                    try await page["#entry"].disappears()
                    try await demo.setWeight(60, on: page.day, "am", of: page.visitor)
                    try await page["#weights [data-reload]"].click()
                    try await page.weight("am", is: 60)
                }
            }
        }

        @Test("A date that cannot be shown is refused with the reason, beside the field")
        func dates() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                let cases = [
                    ("2999-01-01", "is in the future"), ("1850-01-01", "the first day"),
                    ("", "does not exist"),
                ]
                for (date, reason) in cases {
                    try await page.run(
                        """
                        const day = document.querySelector("#day");
                        day.focus();
                        day.value = arguments[0];
                        day.blur();
                        """, [.text(date)])
                    try await page["#day-error"].says(reason)
                    #expect(try await page["#day"].attribute("aria-invalid") == "true")
                    #expect(try await !page.day.isEmpty)
                }
                try await page["#day-before"].click()
                try await page["#day-error"].disappears()
                #expect(try await page["#day"].attribute("aria-invalid") == nil)
            }
        }

        @Test("An empty answer for a day that has weights does not offer to add some")
        func forcedEmptiness() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                let day = try await page.day
                // The charts still have the day's weights.
                try await demo.setFault("status:204", of: "diary", api: "day")
                try await page.run("document.querySelector('#weights [data-reload]').click()")
                try await page["#halves [data-reason=doubtful]"].appears()
                #expect(try await page.count("[data-add]") == 0)
                // Nothing has the day's weights, but the page knows of the fault.
                try await demo.setFault("none", of: "diary", api: "day")
                try await page["#halves button"].click()
                try await page["#halves [data-weight]"].appears()
                try await page.breakUpstream("diary", by: "status:204")
                try await page["#halves"].says("because its fault is on")
                #expect(try await page.count("[data-add]") == 0)
                try await page.card("weights").says("answered without weights")

                try await page.repair("diary")
                try await page["#halves [data-weight]"].appears()
                #expect(try await page.day == day)
                // A day is really empty.
                try await demo.setWeight(nil, on: day, "am")
                try await demo.setWeight(nil, on: day, "pm")
                try await page["#weights [data-reload]"].click()
                try await page["[data-add=am]"].appears()
                try await page["[data-add=pm]"].appears()
            }
        }

        @Test("A weight is not called saved if the diary then answers that the day is empty")
        func doubtfulSave() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                try await page["[data-change=am]"].click()
                try await demo.setFault("status:204", of: "diary")
                try await page["#entry [type=submit]"].click()
                try await page["#entry-error"].says("may or may not have been saved")
            }
        }
    }
}
