import JSONBytes
import Networking
import Testing

extension InOtherBrowser {
    @Suite("One thing has one word and one number", .timeLimit(.minutes(2)))
    struct NumberTests {
        @Test(
            "A cancelled call is called cancelled on its card, in the picture and in the waterfall",
            arguments: [
                (Look.Language.english, "cancelled", "not finished"), (.korean, "취소", "끝나지 않음"),
            ])
        func cancelled(language: Look.Language, word: String, other: String) async throws {
            try await withDemo(Look(language: language), expectedStatuses: [502]) { page, demo async throws in
                try await page.ready()
                try await demo.setFault("delay:2500", of: "tags")
                try await page.breakUpstream("diary", by: "garbage")
                try await page.card("tags").has("data-state", "held")
                try await page.card("tags").says(word)
                try await page["article[data-part=tags] [data-card-state]"].says(word)
                try await page.pictured("tags").says(word)
                try await page["#home-trace [data-row-attempt=\"tags tags 1\"]"].says(word)
                #expect(try await !page["#home-trace .waterfall"].text.contains(other))
            }
        }

        @Test("A failed part took as long on its card as in the waterfall and in Server-Timing")
        func times() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                for (part, upstream) in [("user", "users"), ("tags", "tags"), ("weather", "weather")] {
                    for fault in ["drop", "truncate", "status:503"] {
                        try await page.breakUpstream(upstream, by: fault)
                        try await page.card(part).has("data-state", "failed")
                        try await page.idle()
                        let row = try await page["#home-trace [data-row-part=\(part)] .result"].text
                        let card = try await page["article[data-part=\(part)] .names"].text
                        #expect(card.contains(", \(row)"), "\(card) instead of \(row)")
                        let fields = try await page["#home-trace .trace-fields"].text
                        let exact = try #require(fields.firstMatch(of: /\w+;dur=([\d.]+);desc=/)?.1)
                        let shown = try #require(Double(row.dropLast(3).replacing(",", with: "")))
                        #expect(abs((Double(exact) ?? 0) - shown) <= 0.5)
                        try await page.repair(upstream)
                        try await page.card(part).has("data-state", "there")
                    }
                }
            }
        }

        @Test("Each card names the service in which its part is broken", arguments: Look.Language.allCases)
        func services(language: Look.Language) async throws {
            try await withDemo(Look(language: language)) { page, _ async throws in
                try await page.ready()
                let services = ["weights": "diary", "weather": "weather", "tags": "tags", "user": "users"]
                for (part, service) in services {
                    #expect(try await page["article[data-part=\(part)] .policy code"].text == service)
                    #expect(try await page.count("#flow [data-upstream=\(service)]") == 1)
                }
                // The tour calls it as the other texts do.
                let isKorean = language == .korean
                try await page["[data-step=required]"].says(isKorean ? "다이어리" : "diary")
                #expect(try await !page["body"].text.contains("체중 일지"))
            }
        }
    }
}
