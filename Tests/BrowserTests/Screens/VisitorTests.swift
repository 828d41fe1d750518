import Testing

extension InBrowser {
    @Suite("Visitors", .timeLimit(.minutes(2)))
    struct VisitorTests {
        private func curl(_ page: Page) async throws -> String {
            try await page.idle()
            return try await page["#home-trace [data-curl]"].text
        }

        @Test("A fault belongs to its visitor, survives a reload, and the curl line repeats it")
        func own() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                #expect(try await !curl(page).contains("Demo-Visitor"))
                try await page.breakUpstream("weather", by: "garbage")
                try await page.cards(are: ["weather": "failed", "tags": "there"])
                let line = try await curl(page)
                #expect(line.contains("-H 'Demo-Visitor: "), "\(line)")
                #expect(try Shell.run(line).contains(#""reason":"http_protocol_error""#))

                // A window of its own, so another visitor.
                try await withPage(Look(language: .korean)) { other async throws in
                    try await other.open(demo.origin + "/")
                    try await other.ready()
                    try await other.cards(are: ["weather": "there", "tags": "there"])
                    #expect(try await other.count("[data-fault-kind] option:not([value=none]):checked") == 0)
                    #expect(try await !curl(other).contains("Demo-Visitor"))
                    try await other.breakUpstream("tags", by: "status:503")
                    try await other.cards(are: ["weather": "there", "tags": "failed"])
                }

                try await page.open(demo.origin + "/")
                try await page.ready()
                try await page.cards(are: ["weather": "failed", "tags": "there"])
                #expect(try await curl(page).contains("-H 'Demo-Visitor: "))
                try await page.repair("weather")
                try await page.cards(are: ["weather": "there", "tags": "there"])
                #expect(try await !curl(page).contains("Demo-Visitor"))
            }
        }

        @Test(
            "Two windows of one visitor lose no update: the later change shows both values and who saved what",
            arguments: [Look(), Look(device: .phone, theme: .dark, language: .korean)])
        func conflict(look: Look) async throws {
            try await withDemo(look, expectedStatuses: [412]) { page, demo async throws in
                try await page.ready()
                try await page.withOtherWindow { turn async throws in
                    try await page.open(demo.origin + "/")
                    try await page.ready()
                    try await turn()
                    try await page.enter("66.6", at: "am")
                    try await page.weight("am", is: 66.6)
                    try await turn()
                    // This window has not seen the change.
                    #expect(try await page.weight("am") != 66.6)
                    try await page.enter("77.7", at: "am")
                    try await page["#entry-error"].says("66.6")
                    try await page["#entry-error"].says("77.7")
                    expectNone(try await page.complaints(look))
                    try await page["#entry [data-cancel]"].click()
                    try await page.weight("am", is: 66.6)
                    // Now it has.
                    try await page.enter("70.1", at: "am")
                    try await page.weight("am", is: 70.1)
                    try await turn()
                    try await page.enter("55.5", at: "am")
                    try await page["#entry-error"].says("70.1")
                    try await page["#entry [type=submit]"].click()
                    try await page.weight("am", is: 55.5)
                    // A deletion is a change, too.
                    try await turn()
                    try await page["[data-delete=am]"].click()
                    try await page["#weights-said"].says("55.5")
                    try await page.weight("am", is: 55.5)
                }
            }
        }

        @Test("What one window breaks is broken in the other at once, without a reload")
        func faultsOfWindows() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                try await page.withOtherWindow { turn async throws in
                    try await page.open(demo.origin + "/")
                    try await page.ready()
                    try await page.breakUpstream("tags", by: "drop")
                    try await page.cards(are: ["tags": "failed"])
                    try await turn()
                    try await page.cards(are: ["tags": "failed"])
                    #expect(try await page["[data-fault-kind=tags]"].value == "drop")
                    try await page.repair("tags")
                    try await turn()
                    try await page.cards(are: ["tags": "there"])
                }
            }
        }

        @Test("A visitor's weights are in both ways of loading the screen, and nobody else has them")
        func weights() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                try await page.enter("66.6", at: "pm")
                try await page.card("weights").says("66.6")
                try await page["#mode input[value=without]"].click()
                try await page["#home-verdict"].says("6 requests")
                try await page.card("weights").says("66.6")
                try await withPage(Look(language: .korean)) { other async throws in
                    try await other.open(demo.origin + "/")
                    try await other.ready()
                    #expect(try await other.weight("pm") != 66.6)
                }
            }
        }

        @Test("East and west of the server's day, the first card has weights, with Sluice and without")
        func timeZones() async throws {
            // One of these zones is always a day ahead of UTC or behind it.
            for zone in ["Pacific/Kiritimati", "Etc/GMT+12", "Asia/Seoul"] {
                try await withDemo { page, demo async throws in
                    try await page.stand(in: zone)
                    try await page.open(demo.origin + "/")
                    try await page.ready()
                    try await page.cards(are: ["weights": "there"])
                    #expect(try await page.weight("am") != nil, "\(zone)")
                    #expect(try await page.weight("pm") != nil, "\(zone)")
                    #expect(try await !page.card("weights").text.contains("none"), "\(zone)")
                    try await page.enter("66.6", at: "am")
                    try await page.weight("am", is: 66.6)
                    try await page["#mode input[value=without]"].click()
                    try await page["#home-verdict"].says("made every call itself")
                    try await page.card("weights").says("66.6")
                }
            }
        }
    }
}
