import Foundation
import JSONBytes
import Networking
import TestSupport
import Testing

extension InThirdBrowser {
    @Suite("The picture of the fan-out and its controls", .timeLimit(.minutes(2)))
    struct StageTests {
        @Test(
            "Breaking and repairing a service moves no control, and its effect is seen in the picture",
            arguments: [Look(), Look(device: .phone)])
        func controls(look: Look) async throws {
            try await withDemo(look) { page, _ async throws in
                try await page.ready()
                let places = """
                    // The stage stays in view and scrolls on its own.
                    return [...document.querySelectorAll("[data-fault-kind], #repair, #mode label, [data-step]")].map((node) => {
                      const { top } = node.getBoundingClientRect();
                      const stage = node.closest(".stage");
                      return Math.round(stage ? top - stage.getBoundingClientRect().top + stage.scrollTop : top + scrollY);
                    });
                    """
                let before = try await page.run(places, as: [Int].self)
                #expect(try await page["[data-fault-kind=weather] option"].text == "Works")
                for fault in ["drop", "status:204", "garbage"] {
                    try await page.breakUpstream("weather", by: fault)
                    try await page.pictured("weather").has(
                        "data-state", fault == "status:204" ? "good" : "bad")
                    #expect(try await page.run(places, as: [Int].self) == before)
                }
                try await page.breakUpstream("tags", by: "drop")
                try await page.pictured("tags").has("data-state", "bad")
                try await page["#repair"].click()
                try await page.cards(are: ["weather": "there", "tags": "there"])
                #expect(try await page.run(places, as: [Int].self) == before)
                #expect(try await page["[data-fault-kind=tags]"].value == "none")
            }
        }

        @Test(
            "The picture stays in view on both screens, small on a phone",
            arguments: [Look(), Look(device: .phone)])
        func inView(look: Look) async throws {
            try await withDemo(look) { page, _ async throws in
                try await page.ready()
                try await page.breakUpstream("weather", by: "drop")
                try await page.cards(are: ["weather": "failed"])
                try await page.run("document.getElementById('home-trace').scrollIntoView()")
                let picture = look.device == .phone ? "#mini" : "#flow"
                try await eventually("the picture is in view") {
                    try await page.run(
                        """
                        const box = document.querySelector(arguments[0]).getBoundingClientRect();
                        return box.height > 40 && box.top >= 0 && box.bottom <= innerHeight;
                        """, [.text(picture)], as: Bool.self)
                }
                #expect(
                    try await page[picture].property("textContent").stringValue?.contains(
                        "connection_terminated") == true)
            }
        }

        @Test("Calls, retries and slow calls are seen while the request is under way")
        func underWay() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                try await demo.setFault("delay:8000", of: "tags")
                // All of it before the answer: the tags delay it up to their limit.
                let lost = try await page.watch(
                    """
                    const pictured = (upstream) => one(`#flow [data-upstream=${upstream}]`);
                    const says = (element, part) => until(() => element()?.textContent.includes(part), part);
                    choose("[data-fault-kind=weather]", "drop");
                    await says(() => pictured("weather"), "lost ×");
                    await says(() => pictured("weather"), "pausing");
                    await until(() => pictured("diary").dataset.state === "good", "the diary has answered");
                    await says(() => one("#home-trace .arrivals"), "forecast");
                    await until(() => pictured("tags").dataset.state === "slow", "the tags are slow");
                    if (one("#home").getAttribute("aria-busy") !== "true") throw new Error("the answer is there");
                    return document.querySelectorAll("#home-trace .arrivals .lost").length;
                    """, as: Int.self)
                #expect(lost >= 2)
                try await page.cards(are: ["weather": "failed", "tags": "failed"])
                // The limit is drawn where it ended the wait.
                #expect(
                    try await page.count("#home-trace [data-row-attempt^=tags] [data-limit=\"3000\"]") == 1)
            }
        }

        @Test("A slow answer is amber")
        func slow() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.breakUpstream("users", by: "delay:1200")
                try await page.pictured("users").has("data-state", "slow")
                try await page.cards(are: ["user": "there"])
                try await page.pictured("users").has("data-state", "slow")
                try await page.pictured("diary").has("data-state", "good")
            }
        }

        @Test("The address holds faults, language and view, and opens the same screen for somebody else")
        func address() async throws {
            try await withDemo(expectedStatuses: [503]) { page, demo async throws in
                try await page.ready()
                try await page.breakUpstream("weather", by: "drop")
                try await page.breakUpstream("tags", by: "status:503")
                try await page["#language input[value=ko]"].click()
                try await page["#mode input[value=without]"].click()
                try await eventually("the address says so") {
                    try await page.run("return location.hash", as: String.self)
                        == "#fault=weather:drop,tags:status:503&lang=ko&view=without"
                }
                try await page["#repair"].click()
                try await eventually("the faults are gone from the address") {
                    try await page.run("return location.hash", as: String.self) == "#lang=ko&view=without"
                }
                try await page.open(demo.origin + "/#fault=diary:status:503,weather:drop&lang=en")
                try await page.reload()
                try await page.ready()
                // The weather may fail first, or be cancelled.
                try await page.cards(are: ["weights": "failed", "tags": "held"])
                #expect(try await page["[data-fault-kind=diary]"].value == "status:503")
                #expect(try await page["[data-fault-kind=weather]"].value == "drop")
                #expect(try await page["#claim"].text == "One request per screen. Every failure named.")
            }
        }

        @Test("An address with an unknown fault says that it was not set")
        func unknownFault() async throws {
            try await withDemo(path: "/#fault=weather:explode,nobody:drop", expectedStatuses: [400]) {
                page, _ async throws in
                try await page.ready()
                try await page["#fault-said"].says("The address names an unknown fault: explode")
                try await page.cards(are: ["weather": "there"])
            }
        }

        @Test("Without Sluice, the page makes six calls and knows only what fetch says")
        func without() async throws {
            try await withDemo(expectedStatuses: [502]) { page, _ async throws in
                try await page.ready()
                try await page["#mode input[value=without]"].click()
                try await page["#home-verdict"].says("6 requests")
                try await page.cards(are: [
                    "weights": "there", "weather": "there", "tags": "there", "user": "there",
                ])
                #expect(try await page.count("#home-trace [data-row-direct]") == 6)
                try await page.breakUpstream("weather", by: "drop")
                try await page.cards(are: ["weights": "there", "weather": "failed", "tags": "there"])
                try await page.card("weather").says("now: TypeError: Failed to fetch")
                #expect(try await page.count("article[data-part=weather] .failed button") == 0)
                try await page.breakUpstream("weather", by: "status:503")
                try await page.card("weather").says("forecast: HTTP 503")
                // No gateway keeps the diary's failure apart.
                try await page.breakUpstream("diary", by: "truncate")
                try await page.card("weights").says("recent: TypeError: ")
                try await page["#mode input[value=with]"].click()
                try await page.card("weights").says("http_response_incomplete")
                // The weather is not waited for until the diary answers.
                try await page.repair("diary")
                try await page.card("weather").says("503")
            }
        }

        @Test(
            "A body without the user fails only the user's card, and the page's own calls are shown as they end"
        )
        func strangeBody() async throws {
            try await withDemo(path: "/#fault=users:status:200,tags:delay:2500&view=without") {
                page, _ async throws in
                try await page.pictured("weather").has("data-state", "good")
                #expect(try await page["#home"].attribute("aria-busy") == "true")
                try await page.cards(are: ["user": "failed", "weather": "there", "tags": "there"])
                try await page.card("user").says("user: no data")
            }
        }

        @Test("An address that is edited in an open page is followed, and one without state changes nothing")
        func edited() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.run("location.hash = 'fault=weather:drop&view=without'")
                try await page.card("weather").says("now: TypeError: Failed to fetch")
                #expect(try await page["[data-fault-kind=weather]"].value == "drop")
                try await page.run("location.hash = 'screens'")
                try await page.breakUpstream("tags", by: "drop")
                try await page.card("tags").says("Failed to fetch")
                try await page.card("weather").says("Failed to fetch")
                try await page.run("location.hash = 'fault=tags:drop'")
                try await page.cards(are: ["weather": "there", "tags": "failed"])
                try await page["#home-verdict"].says("200 PARTIAL")
            }
        }

        @Test("Controls, tour and address follow faults that somebody else has set")
        func elsewhere() async throws {
            try await withDemo(expectedStatuses: [502, 503]) { page, demo async throws in
                try await page.ready()
                try await page["[data-step=optional]"].click()
                try await page.cards(are: ["weather": "failed"])
                try await page["#tour"].says("only Weather is missing")
                try await demo.setFault("drop", of: "diary")
                try await page["#home [data-reload]"].click()
                try await page.cards(are: ["weights": "failed"])
                try await eventually("the control shows the fault") {
                    try await page["[data-fault-kind=diary]"].value == "drop"
                }
                try await eventually("the tour says nothing untrue") {
                    try await !page["#tour"].text.contains("only Weather is missing")
                }
                // A step repairs what others broke, for this visitor.
                try await page["[data-step=well]"].click()
                try await page.cards(are: ["weights": "there", "weather": "there"])
            }
        }

        @Test("While a request waits, its calls and the history do not overlap")
        func noOverlap() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.breakUpstream("users", by: "drop")
                try await page.cards(are: ["user": "failed"])
                try await page.breakUpstream("tags", by: "delay:8000")
                try await page["#home-trace .arrivals"].appears()
                #expect(
                    try await page.run(
                        """
                        const box = (name) => document.querySelector(`#home-trace ${name}`).getBoundingClientRect();
                        return box(".history").height > 0 && box(".trace-now").bottom <= box(".history").top;
                        """, as: Bool.self))
                try await page.cards(are: ["tags": "failed"])
            }
        }

        @Test("A deletion that the answer contradicts is not called done")
        func keptWeight() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                try await demo.setFault("status:204", of: "diary", api: "record")
                try await page["#halves [data-delete=pm]"].click()
                try await page["#weights-said"].says("Nothing was changed. The diary still has this weight.")
                #expect(try await page.count("#undo button") == 0)
                #expect(try await page.weight("pm") != nil)
            }
        }

        @Test("Each screen shows its endpoint's source")
        func code() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                for (screen, word) in [
                    ("home", "gateway.get(\"/api/home\")"), ("weights", "func screen(_ date:"),
                ] {
                    try await page["#\(screen)-trace .code summary"].click()
                    try await page["#\(screen)-trace .code pre"].says(word)
                }
            }
        }
    }
}
