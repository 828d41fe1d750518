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
    }
}
