import Foundation
import JSONBytes
import Networking
import TestSupport
import Testing

extension InBrowser {
    @Suite("The tour", .timeLimit(.minutes(2)))
    struct TourTests {
        /// A step, what its cards show, and what it says of the answer with Sluice and of the calls without.
        private struct Step {
            let name: String
            let cards: [String: String]
            let with: String
            let without: String
        }

        private static let english = [
            Step(
                name: "well", cards: ["weights": "there", "weather": "there"], with: "200 OK",
                without: "6 requests"),
            Step(
                name: "repaired", cards: ["weights": "there", "user": "there"], with: "attempt 3 succeeded",
                without: "User failed with “HTTP 503”"),
            Step(
                name: "optional", cards: ["weights": "there", "weather": "failed", "tags": "there"],
                with: "only Weather is missing: connection_terminated, 3 attempts",
                without: "Weather failed with “TypeError: Failed to fetch”"),
            Step(
                name: "required", cards: ["weights": "failed", "weather": "held"],
                with: "Weights failed, upstream_status, 3 attempts", without: "Weights failed with “HTTP 503”"
            ),
            Step(
                name: "slow", cards: ["weights": "there", "tags": "failed"],
                with: "only Tags is missing: http_response_timeout, 1 attempt",
                without: "the page is still waiting"),
        ]

        @Test(
            "A step says what came of it, with Sluice and without, one key press each; Escape repairs everything"
        )
        func steps() async throws {
            try await withDemo(expectedStatuses: [503]) { page, _ async throws in
                try await page.ready()
                try await page.tab(to: "[data-step=well]")
                try await page.press(.enter)
                for step in Self.english {
                    try await page["[data-step=\(step.name)]"].has("aria-current", "step")
                    try await page.cards(are: step.cards)
                    try await page["#tour"].says(step.with)
                    try await page["#tour"].says(step.without)
                    if step.name != "slow" { try await page.press(.right) }
                }
                #expect(try await page.count("[data-next]") == 0)
                try await page.press(.escape)
                try await page.cards(are: ["weights": "there", "weather": "there", "tags": "there"])
                #expect(try await page.count("[data-step][aria-current]") == 0)
                #expect(try await !page["#repair"].isEnabled)
            }
        }

        @Test("A step says nothing of an answer before it has come, and its numbers are those of the answer")
        func noAnswerYet() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page["[data-step=slow]"].click()
                try await page["#tour"].says("The tags are silent for 8 s.")
                #expect(try await !page["#tour"].text.contains("With Sluice"))
                try await page["#tour"].says("With Sluice: 200 PARTIAL after ")
                let said = try await page["#tour"].text
                let time = try #require(said.firstMatch(of: /PARTIAL after ([\d,]+ ms)/)?.1)
                #expect(try await page["#lanes"].text.contains("With Sluice: 1 request, \(time), "))
                #expect(try await page["#home-trace .trace-line"].text.contains("\(time) in this page"))
                try await page["#tour"].says("Tags came after 8,0")
            }
        }

        @Test("Without retries, a step does not say that a call was retried")
        func noRetries() async throws {
            try await withDemo(expectedStatuses: [503]) { page, demo async throws in
                try await page.ready()
                // Everybody's fault is not what the step sets.
                try await demo.setFault("status:500", of: "tags")
                try await page["[data-step=optional]"].click()
                try await page["#tour"].says("With Sluice: 200 PARTIAL after ")
                // The step has repaired the tags for this visitor.
                try await page["#tour"].says("only Weather is missing")
                try await page["[data-step=repaired]"].click()
                try await page["#tour"].says("attempt 3 succeeded")
                #expect(try await page["#flow [data-upstream=users]"].text.contains("×3"))
            }
        }

        @Test(
            "On a phone a step brings its effect into view, and what it says stays beside it",
            arguments: [
                Look(device: .phone), Look(device: .phone, theme: .dark, language: .korean),
            ])
        func phone(look: Look) async throws {
            try await withDemo(look, expectedStatuses: [503]) { page, _ async throws in
                try await page.ready()
                for (step, part, state) in [("optional", "weather", "failed"), ("repaired", "user", "there")]
                {
                    try await page.run("scrollTo(0, 0)")
                    try await page.run(
                        "document.querySelector(arguments[0]).click()", [.text("[data-step=\(step)]")])
                    try await page.cards(are: [part: state])
                    try await eventually("the card is in view, above what the step says") {
                        try await page.run(
                            """
                            const box = (node) => node.getBoundingClientRect();
                            const title = box(document.getElementById(arguments[0]));
                            const said = box(document.querySelector(".tour-said"));
                            const mini = document.getElementById("mini");
                            return title.top >= (mini.hidden ? 0 : box(mini).bottom) && title.bottom <= said.top && said.bottom <= innerHeight
                              && said.height > 40;
                            """, [.text("card-\(part)")], as: Bool.self)
                    }
                    expectNone(try await page.complaints(look))
                }
                try await page["[data-leave]"].click()
                try await page.cards(are: ["weather": "there", "user": "there"])
            }
        }

        @Test("What a card showed becomes a skeleton of the same height as soon as a new answer is awaited")
        func skeletons() async throws {
            try await withDemo(expectedStatuses: [503]) { page, _ async throws in
                try await page.ready()
                try await page["[data-step=required]"].click()
                try await page.cards(are: ["weights": "failed", "tags": "held"])
                let seen = try await page.run(
                    """
                    const texts = [];
                    const look = () => {
                      const card = document.querySelector("article[data-part=weights]");
                      texts.push(`${card.dataset.state}: ${card.querySelector(".card-body").textContent}`);
                    };
                    new MutationObserver(look).observe(document.getElementById("cards"), { subtree: true, attributes: true, childList: true });
                    const before = document.querySelector("article[data-part=weights]").offsetHeight;
                    document.querySelector("[data-step=slow]").click();
                    await new Promise((done) => setTimeout(done, 700));
                    const card = document.querySelector("article[data-part=weights]");
                    return [card.dataset.state, card.querySelector(".card-body").textContent, String(card.querySelectorAll(".skeleton").length),
                      String(Math.abs(card.offsetHeight - before) <= 1)];
                    """, as: [String].self)
                #expect(seen == ["waiting", "", "1", "true"])
                try await page.cards(are: ["weights": "there", "tags": "failed"])
            }
        }
    }
}
