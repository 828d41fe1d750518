import JSONBytes
import Networking
import Testing

extension InThirdBrowser {
    @Suite("The small picture and long reasons", .timeLimit(.minutes(2)))
    struct PictureTests {
        struct Window: Sendable, CustomTestStringConvertible {
            let width: Int
            let height: Int
            var look = Look()

            var testDescription: String { "\(width)x\(height), \(look.testDescription)" }
        }

        /// Windows in which the picture begins below the fold. 640x450 is a laptop at 200 %.
        private static let lowWindows = [
            Window(width: 320, height: 640, look: Look(device: .narrow, language: .korean)),
            Window(width: 844, height: 390, look: Look(device: .phone, theme: .dark)),
            Window(width: 1280, height: 400), Window(width: 640, height: 450, look: Look(language: .korean)),
            Window(width: 1280, height: 900, look: Look(theme: .dark, fontSize: 32)),
        ]

        @Test(
            "The small picture is shown only above the large one, and never covers the top of the page",
            arguments: lowWindows)
        func top(window: Window) async throws {
            try await withDemo(window.look) { page, _ async throws in
                try await page.resize(width: window.width, height: window.height)
                try await page.ready()
                try await page.settle()
                #expect(try await page.coveredAtTop == [])
                #expect(try await !page["#mini"].isDisplayed)

                // A jump over the picture, which is never in view on the way.
                let isBeside = try await page.run(
                    "return getComputedStyle(document.getElementById('stage')).position === 'sticky'",
                    as: Bool.self)
                if !isBeside {
                    try await page.run(
                        "document.getElementById('weights-trace').scrollIntoView({behavior: 'instant'})")
                    try await page["#mini"].appears()
                    try await page.run("scrollTo({top: 0, behavior: 'instant'})")
                    try await page["#mini"].disappears()
                    #expect(try await page.coveredAtTop == [])
                }
            }
        }

        @Test(
            "A long reason stays inside the picture, is cut there, and its title has all of it",
            arguments: Look.pairs)
        func longReasons(look: Look) async throws {
            try await withDemo(look) { page, _ async throws in
                try await page.ready()
                for width in [320, 390, 1280] {
                    try await page.resize(width: width, height: 700)
                    try await page.run(
                        """
                        for (const note of document.querySelectorAll("#flow .calls .note")) {
                          note.textContent = note.title = "SyntaxError: Unexpected end of JSON input, and more of the same";
                        }
                        """)
                    #expect(try await page.brokenRows == [])
                    expectNone(try await page.overflowComplaints())
                }
                try await page["#mode input[value=without]"].click()
                try await page["#home-trace [data-row-direct]"].appears()
                try await page.idle()
                try await page.breakUpstream("weather", by: "truncate")
                try await page.cards(are: ["weather": "failed", "tags": "there"])
                let note = page["#flow [data-upstream=weather] [data-state=bad] .note"]
                #expect(
                    try await note.property("title").stringValue == note.property("textContent").stringValue)
                #expect(try await page.brokenRows == [])
            }
        }

        @Test("On the narrowest screen no menu covers a name", arguments: Look.Language.allCases)
        func menus(language: Look.Language) async throws {
            try await withDemo(Look(device: .narrow, language: language)) { page, _ async throws in
                try await page.ready()
                // With a scroll bar of 15 px.
                try await page.resize(width: 305, height: 640)
                let covered = try await page.run(
                    """
                    return [...document.querySelectorAll("#flow .upstream")].filter((upstream) => {
                      const range = document.createRange();
                      range.selectNodeContents(upstream.querySelector(".upstream-name"));
                      const right = Math.max(...[...range.getClientRects()].map((box) => box.right));
                      return right > upstream.querySelector("select").getBoundingClientRect().left;
                    }).map((upstream) => upstream.dataset.upstream);
                    """, as: [String].self)
                #expect(covered == [])
                expectNone(try await page.overflowComplaints())
            }
        }

        @Test(
            "The gateway in both pictures has the colour and the words of its answer", arguments: Look.pairs)
        func gateway(look: Look) async throws {
            let isKorean = look.language == .korean
            try await withDemo(look, expectedStatuses: [503]) { page, demo async throws in
                try await page.ready()
                try await page.gateway(is: "good", "--accent", saying: "200 OK")
                try await page.breakUpstream("tags", by: "drop")
                try await page.gateway(is: "slow", "--late", saying: "200 PARTIAL")
                try await page.breakUpstream("diary", by: "status:503")
                try await page.gateway(is: "bad", "--bad", saying: "503 UPSTREAM_UNAVAILABLE")
                demo.stop()
                try await page["#home [data-reload]"].click()
                try await page.gateway(is: "bad", "--bad", saying: isKorean ? "응답 없음" : "no answer")
                _ = try await page.console()
            }
        }
    }
}

extension Page {
    /// Waits for the state of the gateway in the picture, and compares the small picture with it.
    fileprivate func gateway(is state: String, _ color: String, saying words: String) async throws {
        try await self["#flow .gate"].has("data-state", state)
        #expect(try await self["#flow .gate .note"].property("textContent").stringValue == words)
        try await run("document.getElementById('weights-trace').scrollIntoView({behavior: 'instant'})")
        let isShown = try await run(
            "return getComputedStyle(document.getElementById('stage')).position !== 'sticky'", as: Bool.self)
        guard isShown else { return #expect(try await hasColor(color, of: "#flow .gate", "backgroundColor")) }
        try await self["#mini"].appears()
        let said = try await self["#mini .gate-name.note"].property("textContent").stringValue ?? ""
        #expect(said == words || said.hasSuffix("…") && words.hasPrefix(said.dropLast()), "\(said)")
        #expect(try await hasColor(color, of: "#mini .gate", "fill"))
        #expect(try await hasColor(color, of: "#flow .gate", "backgroundColor"))
        try await run("scrollTo({top: 0, behavior: 'instant'})")
    }

    private func hasColor(_ variable: String, of selector: String, _ property: String) async throws -> Bool {
        try await run(
            """
            const probe = document.body.appendChild(document.createElement("i"));
            probe.style.color = `var(${arguments[0]})`;
            const wanted = getComputedStyle(probe).color;
            probe.remove();
            return getComputedStyle(document.querySelector(arguments[1]))[arguments[2]] === wanted;
            """, [.text(variable), .text(selector), .text(property)], as: Bool.self)
    }

    /// The rows of the picture whose note leaves its upstream, or whose name does not stand on one line.
    fileprivate var brokenRows: [String] {
        get async throws {
            try await run(
                """
                return [...document.querySelectorAll("#flow .calls li")].filter((row) => {
                  const [name, note] = row.children;
                  const box = row.closest(".upstream").getBoundingClientRect();
                  return note.getBoundingClientRect().right > box.right || name.getClientRects().length > 1
                    || name.getBoundingClientRect().height > 30;
                }).map((row) => row.textContent);
                """, as: [String].self)
        }
    }

    /// The elements at the top of the page that something else covers.
    fileprivate var coveredAtTop: [String] {
        get async throws {
            try await run(
                """
                const places = document.querySelectorAll(".brand, #language label, #theme label, #claim");
                return [...places].filter((place) => {
                  const box = place.getBoundingClientRect();
                  if (box.top > innerHeight) return false;
                  const top = document.elementFromPoint(box.left + box.width / 2, Math.min(box.top + box.height / 2, innerHeight - 1));
                  return !place.contains(top);
                }).map((place) => place.id || place.className || place.textContent);
                """, as: [String].self)
        }
    }
}
