import Foundation
import Testing

extension InOtherBrowser {
    /// Deque's axe-core knows more rules than our own checks. `Tests/axe` downloads it.
    @Suite("The page by axe", .timeLimit(.minutes(3)))
    struct AxeTests {
        static let script = try? String(
            contentsOf: URL(fileURLWithPath: #filePath)
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent(".build/axe/axe.min.js"),
            encoding: .utf8)

        @Test(
            "axe finds no fault in any state",
            .enabled(if: script != nil, "axe-core is missing; Tests/axe downloads it"),
            arguments: [Look(device: .phone, language: .korean), Look(theme: .dark)])
        func states(look: Look) async throws {
            try await withDemo(look, expectedStatuses: [503]) { page, demo async throws in
                try await page.ready()
                try await page.cards(are: ["weights": "there", "weather": "there", "tags": "there"])
                expectNone(try await page.axeComplaints())

                try await page["#halves [data-change]"].click()
                try await page["#entry-weight"].fill("900")
                try await page["#entry [type=submit]"].click()
                try await page["#entry-error"].appears()
                expectNone(try await page.axeComplaints())
                try await page["#entry [data-cancel]"].click()
                try await page["#entry"].disappears()

                try await demo.setFault("garbage", of: "weather")
                try await demo.setFault("status:204", of: "tags")
                try await page["#home [data-reload]"].click()
                try await page.cards(are: ["weather": "failed", "tags": "empty"])
                expectNone(try await page.axeComplaints())

                try await demo.setFault("status:503", of: "diary")
                try await page["#home [data-reload]"].click()
                try await page.cards(are: ["weights": "failed", "tags": "held", "user": "held"])
                try await page["#weights [data-reload]"].click()
                try await page["#chart-failed .failed"].appears()
                try await page["#weights-trace .raw summary"].click()
                expectNone(try await page.axeComplaints())

                // Both ways at once, with what a step says and the page's own table.
                try await page.run("document.querySelector('[data-step=optional]').click()")
                try await page.cards(are: ["weather": "failed", "tags": "there"])
                try await page.run("document.querySelector('#mode [value=without]').click()")
                try await page.card("weather").says("TypeError")
                try await page.idle()
                expectNone(try await page.axeComplaints())
            }
        }
    }
}

extension Page {
    /// The violations that axe finds, one for each element.
    func axeComplaints() async throws -> [String] {
        try await settle()
        return try await run(
            (InOtherBrowser.AxeTests.script ?? "") + """
                ;
                // Only what is returned is gathered.
                const { violations } = await axe.run(document, { resultTypes: ["violations"], selectors: false });
                return violations.flatMap(({ id, help, nodes }) =>
                  nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`));
                """, as: [String].self)
    }
}
