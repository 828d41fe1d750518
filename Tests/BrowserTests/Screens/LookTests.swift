import Testing

extension InOtherBrowser {
    @Suite("The look of the page", .timeLimit(.minutes(3)))
    struct LookTests {
        @Test("The page is accessible in every state", arguments: Look.pairs)
        func states(look: Look) async throws {
            try await withDemo(look, expectedStatuses: [503]) { page, demo async throws in
                try await page.ready()
                try await page.cards(are: [
                    "weights": "there", "weather": "there", "tags": "there", "user": "there",
                ])
                expectNone(try await page.complaints(look))

                try await page["#halves [data-change]"].click()
                try await page["#entry-weight"].fill("900")
                try await page["#entry [type=submit]"].click()
                try await page["#entry-error"].appears()
                expectNone(try await page.complaints(look))
                try await page["#entry [data-cancel]"].click()
                try await page["#entry"].disappears()

                try await demo.setFault("garbage", of: "weather")
                try await demo.setFault("status:204", of: "tags")
                try await page["#home [data-reload]"].click()
                try await page.cards(are: [
                    "weights": "there", "weather": "failed", "tags": "empty", "user": "there",
                ])
                expectNone(try await page.complaints(look))

                try await demo.setFault("status:503", of: "diary")
                try await page["#home [data-reload]"].click()
                try await page.cards(are: ["weights": "failed", "tags": "held", "user": "held"])
                try await page["#weights [data-reload]"].click()
                try await page["#chart-failed .failed"].appears()
                expectNone(try await page.complaints(look))

                // Both ways at once, with what a step says and the page's own table.
                try await page.run("document.querySelector('[data-step=optional]').click()")
                try await page.cards(are: ["weather": "failed", "tags": "there"])
                try await page.run("document.querySelector('#mode [value=without]').click()")
                try await page.card("weather").says("TypeError")
                try await page.idle()
                expectNone(try await page.complaints(look))
            }
        }

        @Test("The raw envelope is readable in every theme", arguments: Look.Theme.allCases)
        func envelope(theme: Look.Theme) async throws {
            let look = Look(device: .phone, theme: theme)
            try await withDemo(look) { page, _ async throws in
                try await page.ready()
                try await page["#weights-trace .raw summary"].click()
                try await page["#weights-trace [data-raw]"].appears()
                expectNone(try await page.complaints(look))
            }
        }

        @Test(
            "The narrowest screen does not scroll sideways",
            arguments: Look.Language.allCases)
        func narrow(language: Look.Language) async throws {
            let look = Look(device: .narrow, language: language)
            try await withDemo(look) { page, demo async throws in
                try await demo.setFault("drop", of: "weather")
                try await page.reload()
                try await page.ready()
                try await page["#weights-trace .raw summary"].click()
                expectNone(try await page.complaints(look))
                try await page["#halves [data-change]"].click()
                try await page["#entry"].appears()
                expectNone(try await page.complaints(look))
            }
        }

        @Test(
            "Text fits at twice the size", arguments: Look.Language.allCases, [Look.Device.desktop, .phone])
        func largeText(language: Look.Language, device: Look.Device) async throws {
            let look = Look(device: device, language: language, fontSize: 32)
            try await withDemo(look) { page, demo async throws in
                try await demo.setFault("drop", of: "tags")
                try await page.reload()
                try await page.ready()
                let size = try await page.run(
                    "return parseFloat(getComputedStyle(document.querySelector('main p')).fontSize)",
                    as: Double.self)
                #expect(size >= 28)
                expectNone(try await page.complaints(look))
            }
        }

        @Test(
            "Text fits where a style of the user has doubled its size", arguments: Look.Language.allCases)
        func userStyle(language: Look.Language) async throws {
            let look = Look(language: language)
            try await withDemo(look) { page, demo async throws in
                try await demo.setFault("drop", of: "tags")
                try await page.reload()
                try await page.ready()
                try await page.run(
                    """
                    const style = new CSSStyleSheet();
                    style.replaceSync("html { font-size: 200% !important }");
                    document.adoptedStyleSheets = [style];
                    """)
                for (width, height) in [(1920, 1080), (1280, 900), (768, 1024), (390, 844)] {
                    try await page.resize(width: width, height: height)
                    try await page.settle()
                    expectNone(try await page.overflowComplaints().map { "\(width) px: \($0)" })
                }
            }
        }

        @Test(
            "The keyboard reaches every control in order, with a visible focus",
            arguments: [Look(), Look(device: .phone, theme: .dark, language: .korean)])
        func keyboard(look: Look) async throws {
            try await withDemo(look) { page, _ async throws in
                try await page.ready()
                expectNone(try await page.keyboardComplaints())
            }
        }

        @Test("Nothing moves if the user prefers reduced motion", arguments: Look.Theme.allCases)
        func motion(theme: Look.Theme) async throws {
            let look = Look(theme: theme, reducesMotion: true)
            try await withDemo(look) { page, demo async throws in
                try await page.ready()
                expectNone(try await page.motionComplaints())
                // The busy indicator does not move either.
                try await demo.setFault("delay:1200", of: "diary")
                try await page["#weights [data-reload]"].click()
                try await page["#weights [data-busy]"].appears()
                expectNone(try await page.motionComplaints())
                try await page.idle()
            }
        }

        @Test("Everything stays visible under forced colors", arguments: Look.Theme.allCases)
        func forcedColors(theme: Look.Theme) async throws {
            let look = Look(theme: theme, forcesColors: true)
            try await withDemo(look) { page, _ async throws in
                try await page.ready()
                expectNone(try await page.complaints(look))
                if theme == .dark { expectNone(try await page.keyboardComplaints()) }
            }
        }
    }
}
