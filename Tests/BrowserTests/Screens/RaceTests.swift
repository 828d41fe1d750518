import Foundation
import JSONBytes
import Networking
import TestSupport
import Testing

extension InOtherBrowser {
    @Suite("With Sluice and without", .timeLimit(.minutes(3)))
    struct RaceTests {
        @Test(
            "Without Sluice, the page itself calls each upstream once, at its own address, and no call goes through the gateway"
        )
        func ownCalls() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                _ = try await page.requests()
                try await page["#mode input[value=without]"].click()
                try await page["#home-verdict"].says("to four services in three formats")
                try await page.idle()
                let urls = try await page.requests().map(\.url)
                let own = urls.filter { url in demo.upstreams.contains { url.hasPrefix($0 + "/") } }
                #expect(own.count == 6 && Set(own).count == 6, "\(own)")
                #expect(Set(own.compactMap { URL(string: $0)?.port }).count == 4)
                #expect(!urls.contains { $0.contains("/demo/direct") })
                #expect(try await page.requests().isEmpty)
            }
        }

        @Test("Each card is drawn as soon as its own calls have ended, and 204 is no data, not a failure")
        func asTheyCome() async throws {
            try await withDemo(path: "/#fault=tags:delay:2500,users:status:204&view=without") {
                page, _ async throws in
                try await page.cards(are: ["weights": "there", "weather": "there", "user": "empty"])
                #expect(try await page["#home"].attribute("aria-busy") == "true")
                #expect(try await page.card("tags").attribute("data-state") == "waiting")
                try await page["#lanes"].says("Without: 5 of 6 requests ended")
                try await page.cards(are: ["tags": "there"])
                try await page["#home-verdict"].says("the page made every call itself")
            }
        }

        @Test(
            "A body that breaks off is counted as far as it came, and a slow one ends at the limit that the page declares"
        )
        func sizes() async throws {
            try await withDemo(path: "/#fault=tags:truncate&view=without") { page, demo async throws in
                try await page.ready()
                try await page.card("tags").says("tags: TypeError: ")
                // Each body that came has its own details; the sum of them is what the page counts.
                let received = try await page.run(
                    """
                    return performance.getEntriesByType("resource").filter(({ name }) => new URL(name).port !== location.port)
                      .filter(({ name }) => !name.includes("/tags")).reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0);
                    """, as: Double.self)
                let said = try await page["#home-trace caption"].text
                let kilobytes = try #require(
                    said.firstMatch(of: /: ([\d.]+) kB$/).flatMap { Double($0.1) }, "\(said)")
                // At most half of the tags' 666 bytes came.
                #expect(
                    (received - 50...received + 333 + 50).contains(kilobytes * 1000),
                    "\(kilobytes) of \(received)")
                try await page["#home-trace caption"].says("a limit of 20 s that the page sets")
                try await page.openTraces()
                #expect(try await page["#home-trace [data-row-direct=tags]"].text.contains("TypeError"))
            }
        }

        @Test(
            "An upstream whose port the page cannot reach is not blamed",
            arguments: [Look(), Look(device: .phone, theme: .dark, language: .korean)])
        func unreachable(look: Look) async throws {
            try await withDemo(look) { page, demo async throws in
                try await page.ready()
                try await page.devTools("Network.enable")
                try await page.devTools(
                    "Network.setBlockedURLs", ["urls": demo.upstreams.map { "\($0)/*" }.parameterValue])
                try await page["#mode input[value=without]"].click()
                try await page["#home-verdict [data-reason=unreached]"].appears()
                let said = try await page["#home-verdict"].text
                for port in demo.upstreams.compactMap({ URL(string: $0)?.port }).enumerated()
                where port.offset != 2 {
                    #expect(said.contains("\(port.element)"))
                }
                try await page.cards(are: [
                    "weights": "unknown", "weather": "unknown", "tags": "unknown", "user": "unknown",
                ])
                #expect(try await page.count("#flow .upstream[data-state=bad]") == 0)
                expectNone(try await page.complaints(look))
                try await page.devTools("Network.setBlockedURLs", ["urls": [String]().parameterValue])
                try await page["#home-verdict [data-control=again]"].click()
                try await page.cards(are: [
                    "weights": "there", "weather": "there", "tags": "there", "user": "there",
                ])
            }
        }

        @Test(
            "Both are drawn on one clock: a bar of each call, and one of the page's own, none after the end of the scale"
        )
        func oneClock() async throws {
            try await withDemo(path: "/#fault=weather:delay:1200&view=without") { page, _ async throws in
                try await page.ready()
                try await page["#lane-note"].says("The bars end at ")
                let bars = try await page.run(
                    """
                    return [...document.querySelectorAll("[data-lane]")].map((lane) => {
                      const ends = [...lane.querySelectorAll("i:not(.limit)")].map((bar) => Number.parseFloat(bar.style.left) + Number.parseFloat(bar.style.width));
                      return [lane.querySelectorAll("i.own").length, lane.querySelectorAll("i:not(.own, .limit)").length, Math.max(...ends)];
                    });
                    """, as: [[Double]].self)
                #expect(bars.count == 6)
                #expect(bars.allSatisfy { $0[0] == 1 && $0[1] >= 1 && $0[2] <= 100 }, "\(bars)")
                // The weather's two calls take most of the time.
                #expect(bars[3][2] > 50 && bars[0][2] < 40, "\(bars)")
            }
        }

        @Test("The page says that the upstreams wait on purpose only if they do")
        func latency() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page["#mode input[value=without]"].click()
                try await page["#lanes"].says("No network lies between")
                #expect(try await !page["#lane-note"].text.contains("on purpose"))
                try await page["#mode input[value=with]"].click()
                try await page.idle()
                try await eventually("only the scale is named") {
                    try await !page["#lanes"].text.contains("network")
                }
            }
        }
    }
}
