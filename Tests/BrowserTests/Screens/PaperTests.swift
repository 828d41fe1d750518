import JSONBytes
import Testing

extension InOtherBrowser {
    @Suite("The printed page", .timeLimit(.minutes(2)))
    struct PaperTests {
        @Test(
            "Paper shows bars, choices and failures in the light colors, without controls",
            arguments: Look.Theme.allCases)
        func paper(theme: Look.Theme) async throws {
            let look = Look(theme: theme)
            try await withDemo(look) { page, demo async throws in
                try await page.ready()
                try await page.breakUpstream("weather", by: "garbage")
                try await page.cards(are: ["weather": "failed"])
                try await page.draw(look, medium: "print")
                try await page.settle()

                expectNone(try await page.complaints("paper"))
                expectNone(try await page.textContrastComplaints() + page.shapeContrastComplaints())
                #expect(try await page["#span"].isDisplayed)
                #expect(try await page["article[data-part=weather] .failed"].isDisplayed)
                // The lines on the screen have other places.
                #expect(try await !page["#flow .lines"].isDisplayed)
                let branches = try await page.run(
                    """
                    return [...document.querySelectorAll("#flow .upstream")].map((node) => {
                      const {content, borderTopWidth, position} = getComputedStyle(node, "::before");
                      return `${content} ${borderTopWidth} ${position}`;
                    });
                    """, as: [String].self)
                #expect(branches == Array(repeating: #""" 2px absolute"#, count: 4))
                // A fault that is on explains the failure; the others are off.
                #expect(try await page["#fault-weather"].isDisplayed)
                #expect(try await !page["#fault-tags"].isDisplayed)
            }
        }
    }
}
