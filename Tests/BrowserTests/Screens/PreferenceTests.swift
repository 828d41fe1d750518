import JSONBytes
import Testing

extension InBrowser {
    @Suite("Language and colors", .timeLimit(.minutes(2)))
    struct PreferenceTests {
        @Test("The page uses the browser's language until the user chooses one, and keeps the choice")
        func language() async throws {
            try await withDemo(Look(language: .korean)) { page, _ async throws in
                try await page.ready()
                #expect(try await page["html"].attribute("lang") == "ko")
                #expect(try await page["#weights-title"].text == "체중")
                try await page["#language input[value=en]"].click()
                try await page["#weights-title"].says("Weights")
                #expect(try await page["html"].attribute("lang") == "en")
                // Parts that are already drawn change too.
                try await page.card("weather").says("Humidity")
                try await page.reload()
                try await page.ready()
                #expect(try await page["html"].attribute("lang") == "en")
                #expect(try await page["#weights-title"].text == "Weights")
                #expect(try await page["#language input[value=en]"].property("checked").boolValue == true)
            }
        }

        @Test("The Korean page contains no untranslated English words")
        func translated() async throws {
            try await withDemo(Look(language: .english)) { page, demo async throws in
                try await page.ready()
                try await demo.setFault("garbage", of: "weather")
                try await demo.setFault("status:204", of: "tags")
                try await page["#home [data-reload]"].click()
                try await page.cards(are: ["weather": "failed", "tags": "empty"])
                try await page["#language input[value=ko]"].click()
                try await page["html"].has("lang", "ko")
                let english = try await page.run(
                    CheckScript.text("common") + CheckScript.text("untranslated"), as: [String].self)
                expectNone(english)
            }
        }

        @Test("The page uses the system's theme until the user chooses one, and keeps the choice")
        func theme() async throws {
            try await withDemo(Look(theme: .dark)) { page, _ async throws in
                try await page.ready()
                #expect(try await page.isDark)
                try await page["#theme input[value=light]"].click()
                try await eventually("the page is light") { try await !page.isDark }
                try await page.reload()
                try await page.ready()
                #expect(try await !page.isDark)
                try await page["#theme input[value=auto]"].click()
                try await eventually("the page is dark") { try await page.isDark }
                try await page.reload()
                try await page.ready()
                #expect(try await page.isDark)
            }
        }

        @Test("Saves, failures and input errors are announced to screen readers")
        func announcements() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                #expect(try await page["#weights-said"].role == "status")
                #expect(try await page["#home-verdict"].role == "status")
                // Live regions must exist before their text: screen readers skip a region that arrives with
                // its text.
                try await page.run(
                    """
                    window.said = [];
                    for (const place of document.querySelectorAll("[role=status], [role=alert], [aria-live]"))
                      new MutationObserver(() => said.push(place.textContent.trim()))
                        .observe(place, {childList: true, characterData: true, subtree: true});
                    """)
                try await page["[data-change=am]"].click()
                try await page["#entry-weight"].fill("62.5")
                try await page["#entry [type=submit]"].click()
                try await page.weight("am", is: 62.5)
                try await eventually("the save is announced") {
                    try await page.said.contains { $0.contains("62.5 kg saved") }
                }
                try await demo.setFault("garbage", of: "tags")
                try await page["#home [data-reload]"].click()
                try await eventually("the failure is announced") {
                    try await page.said.contains { $0.lowercased().contains("missing: tags") }
                }
                try await page["[data-change=am]"].click()
                try await page["#entry-weight"].fill("1")
                try await page["#entry [type=submit]"].click()
                try await eventually("the error is announced") {
                    try await page.said.contains { $0.contains("20 to 300") }
                }
            }
        }
    }
}

extension Page {
    fileprivate var isDark: Bool {
        get async throws {
            try await run(
                CheckScript.text("common")
                    + "return luminance(fills(document.body)[0]) < 0.2 && luminance(rgba(getComputedStyle(document.body).color)) > 0.5",
                as: Bool.self)
        }
    }

    fileprivate var said: [String] {
        get async throws { try await run("return said", as: [String].self) }
    }
}
