import Glibc
import Locking
import TestSupport
import Testing

extension InOtherBrowser {
    @Suite("The test browser", .timeLimit(.minutes(2)))
    struct BrowserHarnessTests {
        struct Seen: Decodable, Equatable {
            var width: Int
            var ratio: Double
            var language: String
            var isDark: Bool
            var reduces: Bool
            var forces: Bool
            var fontSize: String
        }

        private static let seen = """
            const is = (query) => matchMedia(query).matches;
            return {width: innerWidth, ratio: devicePixelRatio, language: navigator.language,
              isDark: is("(prefers-color-scheme: dark)"), reduces: is("(prefers-reduced-motion: reduce)"),
              forces: is("(forced-colors: active)"), fontSize: getComputedStyle(document.documentElement).fontSize};
            """

        @Test(
            "A page sees the screen, language and preferences of its look",
            arguments: Look.matrix + [
                Look(device: .narrow, reducesMotion: true), Look(forcesColors: true), Look(fontSize: 32),
            ])
        func look(_ look: Look) async throws {
            try await withHarness("", look: look) { page, _ async throws in
                let seen = try await page.run(Self.seen, as: Seen.self)
                #expect(
                    seen
                        == Seen(
                            width: look.device.width, ratio: look.device.pixelRatio,
                            language: look.language.rawValue, isDark: look.theme == .dark,
                            reduces: look.reducesMotion, forces: look.forcesColors,
                            fontSize: "\(look.fontSize)px"))
            }
        }

        @Test("Elements can be clicked, typed into and read, even if they appear late")
        func elements() async throws {
            let content = """
                <input id=a aria-label="A field" value=old><button id=b>Copy</button><output id=c></output>
                <script>
                  b.onclick = () => setTimeout(() => {
                    c.textContent = `${a.value}!`;
                    c.insertAdjacentHTML("afterend", "<button id=late>Late</button>");
                  }, 50);
                </script>
                """
            try await withHarness(content) { page, _ async throws in
                try await page["#a"].fill("반응형 72.5")
                #expect(try await page["#a"].value == "반응형 72.5")
                #expect(try await page["#a"].accessibleName == "A field")
                #expect(try await page["#a"].role == "textbox")
                try await page["#b"].click()
                try await page["#late"].click()
                #expect(try await page["#c"].text == "반응형 72.5!")
                #expect(try await page["#late"].attribute("hidden") == nil)
                #expect(try await page.count("button") == 2)
                await #expect(throws: NotInTime.self) {
                    try await page["#c"].says("never", within: .milliseconds(50))
                }
            }
        }

        @Test("Keys go to the focused element")
        func keys() async throws {
            let content =
                "<input id=a aria-label=a><input id=b aria-label=b><button onclick='b.value += 1'>x</button>"
            try await withHarness(content) { page, _ async throws in
                try await page.press(.tab)
                try await page.type("first")
                try await page.press(.tab)
                try await page.type("second")
                try await page.press(.tab, .enter, .space)
                try await page.press(.tab, .tab, holding: .shift)
                try await page.type("!")
                #expect(try await page["#a"].value == "!")
                #expect(try await page["#b"].value == "second11")
            }
        }

        @Test("A failing script reports its error")
        func failingScript() async throws {
            try await withHarness("") { page, _ async throws in
                let error = await #expect(throws: WebDriverError.self) {
                    try await page.run("throw new Error('on purpose')")
                }
                #expect(error?.code == "javascript error")
                #expect(error?.message.contains("on purpose") == true)
                #expect(error?.isTransient == false)
            }
        }

        @Test("A screenshot is a PNG of the window or of the whole page")
        func picture() async throws {
            try await withHarness("<div style='height: 3000px'></div>") { page, _ async throws in
                let window = try await page.screenshot()
                let whole = try await page.screenshot(from: "body", .desktop, pixelRatio: 1)
                #expect(window.prefix(4) == whole.prefix(4))
                #expect(Array(window.prefix(4)) == [0x89, 0x50, 0x4E, 0x47])
                // Bytes 20 to 23 of a PNG hold its height.
                let heights = [window, whole].map { $0[20..<24].reduce(0) { $0 << 8 | Int($1) } }
                #expect(heights[0] == 900)
                #expect(heights[1] > 3000)
            }
        }

        @Test("Stopping or abandoning the driver also ends the browser")
        func nothingIsLeft() async throws {
            for isInItsMidst in [false, true] {
                let browser = try await Browser()
                let process = Lock<pid_t>(0)
                try await browser.withPage(Look()) { page in process.withLock { $0 = pid_t(page.process) } }
                let id = process.withLock { $0 }
                try #require(id > 0)
                #expect(kill(id, 0) == 0)
                if isInItsMidst {
                    await browser.abandon()
                } else {
                    await browser.stop()
                }
                #expect(kill(id, 0) != 0)
            }
        }

        @Test("Each test gets a clean window")
        func forgets() async throws {
            let site = try HarnessSite(["/": HarnessSite.html("<input id=a aria-label=a>")])
            defer { site.stop() }
            for _ in 1...2 {
                try await withPage { page async throws in
                    try await page.open(site.origin + "/")
                    #expect(try await page.run("return localStorage.length", as: Int.self) == 0)
                    #expect(try await page.requests().count == 1)
                    expectNone(try await page.consoleComplaints())
                    try await page.run("localStorage.kept = 1; console.error('told before')")
                }
            }
        }
    }
}
