import JSONBytes
import Testing

extension InBrowser {
    @Suite("What stays when a screen is drawn again", .timeLimit(.minutes(2)))
    struct ReturnTests {
        @Test("After another tab added a weight, the focus stays on the control of the other half")
        func focusStays() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                let day = try await page.day
                try await demo.setWeight(nil, on: day, "am")
                try await page["#weights [data-reload]"].click()
                try await page["[data-add=am]"].appears()
                try await page.run("document.querySelector('[data-change=pm]').focus()")
                try await demo.setWeight(71.5, on: day, "am")
                try await page.comeBack()
                try await page.weight("am", is: 71.5)
                #expect(
                    try await page.run("return document.activeElement.dataset.change ?? ''", as: String.self)
                        == "pm")
            }
        }

        @Test("If the focused control is gone, the focus never moves to a deletion")
        func controlGone() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                try await page.run("document.querySelector('[data-delete=pm]').focus()")
                try await demo.setWeight(nil, on: try await page.day, "pm")
                try await page.comeBack()
                try await page["[data-add=pm]"].appears()
                #expect(
                    try await page.run("return document.activeElement.dataset.add ?? ''", as: String.self)
                        == "pm")
            }
        }

        @Test("Each of several deletions can be undone, in any order")
        func undoList() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                let (morning, evening) = (try await page.weight("am"), try await page.weight("pm"))
                try await page["[data-delete=am]"].click()
                try await page["[data-add=am]"].appears()
                try await page["[data-delete=pm]"].click()
                try await page["[data-add=pm]"].appears()
                #expect(try await page.count("[data-undo]") == 2)
                try await page["[data-undo=am]"].click()
                try await page.weight("am", is: morning)
                try await page["[data-undo=pm]"].click()
                try await page.weight("pm", is: evening)
                #expect(try await page.count("[data-undo]") == 0)
            }
        }

        @Test("A failure stays when the visitor comes back, until it is asked again")
        func failureStays() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                try await demo.setFault("drop", of: "weather")
                try await page["#home [data-reload]"].click()
                try await page.cards(are: ["weather": "failed"])
                try await eventually("the control shows the fault") {
                    try await page["[data-fault-kind=weather]"].value == "drop"
                }
                try await demo.setFault("none", of: "weather")
                try await page.comeBack()
                try await eventually("the control shows that the fault is gone") {
                    try await page["[data-fault-kind=weather]"].value == "none"
                }
                try await page.cards(are: ["weather": "failed"])
                try await page["article[data-part=weather] .failed button"].click()
                try await page.cards(are: ["weather": "there"])
            }
        }

        @Test("A reload by coming back changes no live region that says the same")
        func quiet() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.run(
                    """
                    window.changes = 0;
                    const observer = new MutationObserver((records) => {
                      window.changes += records.filter(({ type, target, attributeName, oldValue }) =>
                        type !== "attributes" || target.getAttribute(attributeName) !== oldValue).length;
                    });
                    for (const region of document.querySelectorAll("[role=status], [role=alert]")) {
                      observer.observe(region, {subtree: true, childList: true, characterData: true, attributeOldValue: true});
                    }
                    """)
                let requests = try await page.count("#home-trace .history li")
                try await page.comeBack()
                try await eventually("the home screen was asked again") {
                    try await page.count("#home-trace .history li") > requests
                }
                try await page.idle()
                #expect(try await page.run("return window.changes", as: Int.self) == 0)
            }
        }

        @Test("Earlier requests stay, and can be looked at again")
        func history() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.breakUpstream("users", by: "drop")
                try await page.cards(are: ["user": "failed"])
                try await page.repair("users")
                try await page.cards(are: ["user": "there"])
                #expect(try await page.count("#home-trace .history li") == 3)
                #expect(try await page.count("#home-trace .waterfall .lost") == 0)
                try await page["#home-trace .history li:nth-child(2) button"].click()
                try await page["#home-trace .waterfall .lost"].appears()
                #expect(try await page["#home-trace .trace-shown .trace-line"].text.contains("PARTIAL"))
                // Only the latest eight are kept.
                for _ in 1...8 {
                    try await page["#home [data-reload]"].click()
                    try await page.idle()
                }
                #expect(try await page.count("#home-trace .history li") == 8)
            }
        }

        @Test(
            "While a request is under way, the page counts its time and shows its limits, not the answer before it"
        )
        func waiting() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                let seen = try await page.watch(
                    """
                    // What is visible; an element of SVG has no innerText.
                    const text = (selector) => (one(selector)?.innerText ?? one(selector)?.textContent ?? "").trim();
                    choose("[data-fault-kind=weather]", "delay:8000");
                    await until(() => one("#home-verdict .waiting-time")?.checkVisibility(), "the time is counted");
                    const texts = ["#home-verdict", "#home-trace", "#flow .page", "#flow .gate"].map(text);
                    await until(() => text("#home-verdict").includes("waiting, 1"), "a second is counted");
                    const marks = [...document.querySelectorAll("#home-trace .waiting-bar .limit")];
                    return texts.concat(
                      marks.map((mark) => `${mark.dataset.limit} ${Math.round(parseFloat(mark.style.left))}`));
                    """, as: [String].self)
                #expect(!seen[0].contains("200"))
                #expect(!seen[1].contains("200"))
                #expect(seen[2].contains("waiting, "))
                #expect(seen[3] == "Sluice")
                #expect(seen.dropFirst(4) == ["3000 20", "5000 33", "10000 67", "15000 100"])
                try await page.cards(are: ["weather": "failed"])
                #expect(try await page.count(".waiting-time") == 0)
                // The part failed at the limit that was drawn.
                let elapsed = try await page.run(
                    "return parseFloat(document.querySelector('[data-row-part=weather] .result').textContent.replace(',', ''))",
                    as: Double.self)
                #expect((2900...3600).contains(elapsed))
            }
        }

        @Test("A busy page does not lengthen the times that it shows")
        func resourceTiming() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.run(
                    """
                    document.querySelector("#home [data-reload]").click();
                    // The request is sent first.
                    await new Promise((next) => setTimeout(next));
                    const end = performance.now() + 400;
                    while (performance.now() < end) {}
                    """)
                try await page.idle()
                let text = try await page["#home-trace .trace-shown .trace-line"].text
                let shown = text.firstMatch(of: /gateway, ([0-9.,]+) ms/).flatMap {
                    Double($0.1.replacing(",", with: ""))
                }
                #expect(try #require(shown, "\(text)") < 300)
            }
        }

        @Test("After a change with an unknown outcome, one reload asks both screens")
        func unknownChange() async throws {
            try await withDemo(expectedStatuses: [502]) { page, demo async throws in
                try await page.ready()
                try await demo.setFault("drop", of: "diary", api: "record")
                try await page["[data-delete=pm]"].click()
                try await page["#weights-said"].says("may or may not have been saved")
                try await demo.setFault("none", of: "diary", api: "record")
                let day = try await page.day
                try await demo.setWeight(75.25, on: day, "pm")
                try await page["#weights [data-reload]"].click()
                try await page.weight("pm", is: 75.25)
                try await page.card("weights").says("75.25")
            }
        }

        @Test("A reload sends one request for the screen and one for the faults, besides those for its calls")
        func twoRequests() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                _ = try await page.requests()
                try await page["#home [data-reload]"].click()
                try await eventually("both requests were sent") {
                    try await page.count("#home-trace .history li") == 2
                }
                try await page.idle()
                let paths = try await page.requests().map {
                    $0.url.dropFirst(demo.origin.count).prefix { $0 != "?" }
                }
                // A request that takes long is watched by further requests.
                let others = paths.filter { !$0.hasPrefix("/demo/calls/") }
                #expect(others.sorted() == ["/api/home", "/demo/faults"])
            }
        }
    }
}

extension Page {
    /// Does what a visitor's return to the tab does.
    fileprivate func comeBack() async throws {
        try await run("document.dispatchEvent(new Event('visibilitychange'))")
    }
}
